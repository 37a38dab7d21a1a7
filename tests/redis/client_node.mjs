// client_node.mjs PORT RESP: what a program in Node.js does with Bloom filters and their relatives, by npm's redis.
import assert from "node:assert/strict";
import { createClient } from "redis";

const [port, resp] = process.argv.slice(2).map(Number);
const client = createClient({ socket: { host: "127.0.0.1", port }, RESP: resp });
client.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
await client.connect();

await client.bf.reserve("b", 0.01, 1000, { EXPANSION: 4 });
assert.equal(await client.bf.add("b", "x"), true);
assert.equal(await client.bf.add("b", "x"), false);
assert.deepEqual(await client.bf.mAdd("b", ["x", "y", "z"]), [false, true, true]);
assert.deepEqual(await client.bf.insert("i", ["x"], { CAPACITY: 50, ERROR: 0.001 }), [true]);
assert.equal(await client.bf.exists("b", "x"), true);
assert.deepEqual(await client.bf.mExists("b", ["x", "absent"]), [true, false]);
assert.equal(await client.bf.card("b"), 3);
const bloom = await client.bf.info("b");
assert.equal(bloom["Capacity"], 1000);
assert.equal(bloom["Number of items inserted"], 3);
assert.equal(bloom["Expansion rate"], 4);
await assert.rejects(client.bf.reserve("b", 0.01, 1000), /item exists/);

await client.cf.reserve("c", 1000, { BUCKETSIZE: 4, MAXITERATIONS: 30, EXPANSION: 2 });
assert.equal(await client.cf.add("c", "x"), true);
assert.equal(await client.cf.addNX("c", "x"), false);
assert.deepEqual(await client.cf.insert("c", ["y", "z"]), [true, true]);
assert.deepEqual((await client.cf.insertNX("c", ["y", "w"])).map(Number), [0, 1]);
assert.equal(await client.cf.exists("c", "x"), true);
assert.equal(await client.cf.count("c", "x"), 1);
assert.equal(await client.cf.del("c", "x"), true);
const cuckoo = await client.cf.info("c");
assert.equal(cuckoo["Bucket size"], 4);
assert.equal(cuckoo["Number of items deleted"], 1);

await client.cms.initByDim("s", 1000, 5);
await client.cms.initByProb("p", 0.01, 0.01);
assert.deepEqual(await client.cms.incrBy("s", [{ item: "x", incrementBy: 5 }, { item: "y", incrementBy: 7 }]), [5, 7]);
assert.deepEqual(await client.cms.query("s", ["x", "y", "absent"]), [5, 7, 0]);
await client.cms.initByDim("m", 1000, 5);
await client.cms.merge("m", [{ name: "s", weight: 3 }]);
assert.deepEqual(await client.cms.query("m", ["x", "y"]), [15, 21]);
const sketch = await client.cms.info("m");
assert.deepEqual([sketch.width, sketch.depth, sketch.count], [1000, 5, 36]);

await client.topK.reserve("t", 3, { width: 50, depth: 4, decay: 0.9 });
assert.deepEqual(await client.topK.add("t", ["a", "b", "c"]), [null, null, null]);
assert.deepEqual(await client.topK.incrBy("t", [{ item: "a", incrementBy: 30 }, { item: "b", incrementBy: 20 }]), [null, null]);
assert.deepEqual(await client.topK.query("t", ["a", "absent"]), [true, false]);
assert.deepEqual(await client.topK.list("t"), ["a", "b", "c"]);
assert.deepEqual(await client.topK.listWithCount("t"), [
  { item: "a", count: 31 },
  { item: "b", count: 21 },
  { item: "c", count: 1 },
]);
const top = await client.topK.info("t");
assert.deepEqual([top.k, top.width, top.depth, top.decay], [3, 50, 4, 0.9]);

let iterator = 0;
const chunks = [];
for (;;) {
  const part = await client.withTypeMapping({ 36: Buffer }).bf.scanDump("b", iterator);
  if (part.iterator === 0) break;
  iterator = part.iterator;
  chunks.push(part);
}
for (const part of chunks) await client.bf.loadChunk("loaded", part.iterator, part.chunk);
assert.deepEqual(await client.bf.mExists("loaded", ["x", "y", "z", "absent"]), [true, true, true, false]);

await client.close();
