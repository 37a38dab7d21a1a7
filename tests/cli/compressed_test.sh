#!/usr/bin/env bash
# Compressed input: gzip and zstd are read as what they hold, other formats and filters are refused with what to do.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 100000 >keys
gzip -k keys
zstd -q keys
hortus build bloom -o plain keys

section "a compressed file gives the same filter: counted first, with -n, through a pipe, as standard input, in parts"
for packed in keys.gz keys.zst; do
  done_quietly hortus build bloom -o f $packed
  same_bytes plain f
  hortus build bloom -o f -n 100000 <$packed
  same_bytes plain f
  cat $packed | hortus build bloom -o f
  same_bytes plain f
  hortus build bloom -o f - <$packed
  same_bytes plain f
  hortus build blocked_counting -o f $packed # which counts distinct keys
  hortus build blocked_counting -o g keys
  same_bytes f g
  equal "lines" 100000 "$(count plain $packed)"
  equal "lines" 200000 "$(cat $packed $packed | count plain)"
  equal "lines" 300000 "$(count plain keys $packed - <$packed)"
  hortus query -v plain <(printf 'x\ny\n' | gzip) >selected || fail "query -v of a compressed pipe"
  equal "printed" "x y" "$(xargs <selected)"
  hortus build bloom -o f -n 200000 /dev/null
  hortus add f $packed
  equal "added" 100000 "$(count f keys)"
  equal "distinct" 100000 "$(hortus uniq $packed keys | wc -l)"
  equal "counted" 100000 "$(hortus count --top 1M $packed | wc -l)"
done
equal "NUL" 2 "$(printf 'a\0b\0' | gzip | hortus uniq -0 | tr -dc '\0' | wc -c)"

section "progress is by the bytes of the file"
run 0 hortus query -c --progress plain keys.gz
grep -q "^asking: 100 % of $(stat -c %s keys.gz | awk '{ printf "%.0f", $1 / 1024 }') KiB, " "$err" ||
  fail "progress of a compressed file" "$(cat "$err")"

section "damaged, cut off, or followed by something else: an error, and no output file"
for packed in keys.gz keys.zst; do
  head -c 5000 $packed >bad
  refused "cannot read 'bad': .*ends too soon" hortus build bloom -o none bad
  refused "cannot read 'bad': .*ends too soon" hortus build bloom -o none -n 5 bad
  refused "cannot read standard input: .*ends too soon" hortus build bloom -o none < <(cat bad)
  cp $packed bad
  damage bad 20000
  refused "cannot read 'bad': .*damaged" hortus build bloom -o none bad
  cat $packed <(echo more) >bad
  refused "cannot read 'bad': after the end of the compressed data" hortus build bloom -o none bad
  cp plain f
  refused "cannot read 'bad'" hortus add f bad
  same_bytes plain f
done
[ ! -e none ] || fail "an output file after an error"

section "other formats and filters"
python3 - <<'PYTHON'
import bz2, lzma, zipfile
keys = open("keys", "rb").read()
open("keys.xz", "wb").write(lzma.compress(keys))
open("keys.bz2", "wb").write(bz2.compress(keys))
zipfile.ZipFile("keys.zip", "w", zipfile.ZIP_DEFLATED).write("keys")
open("keys.lz4", "wb").write(b"\x04\x22\x4d\x18\x64\x40\xa7")
PYTHON
for case in 'xz xzcat' 'bz2 bzcat' 'lz4 lz4cat' 'zip unzip -p'; do
  packed=keys.${case%% *} program=${case#* }
  for command in 'build bloom -o none' 'add f' 'query plain' 'query plain keys' 'uniq keys' 'count --top 3' 'tour -o none'; do
    refused "^hortus: '$packed' looks compressed \([a-z0-9]+\): $program $packed \| hortus" hortus $command $packed
  done
  refused "^hortus: standard input looks compressed \([a-z0-9]+\): $program \| hortus" hortus query plain < <(cat $packed)
  run 0 hortus build bloom -o raw --no-decompress $packed
done
cp plain other
for command in 'build bloom -o none' 'add f' 'query plain' 'uniq'; do
  refused "^hortus: 'other' is a hortus filter, not a list of keys" hortus $command other
  refused '^hortus: standard input is a hortus filter, not a list of keys' hortus $command < <(cat other)
done
same_bytes plain f
[ ! -e none ] || fail "an output file after an error"

section "--no-decompress: the bytes as they are"
hortus build bloom -o raw --no-decompress keys.gz
equal "all of its lines are found, as bytes" "$(python3 -c 'print(len(open("keys.gz", "rb").read().removesuffix(b"\n").split(b"\n")))')" \
  "$(count raw --no-decompress keys.gz)"
run 0 hortus build bloom -o raw --no-decompress other
