#include <gtest/gtest.h>

#include <string>

#include "redis/redisbloom/cuckoo_chain.hpp"
#include "redis/saved_fields.hpp"

namespace hortus::redisbloom {
namespace {

cuckoo_chain chain_of(cuckoo_chain::goal const& goal) {
  cuckoo_chain made;
  EXPECT_EQ(cuckoo_chain::make(goal, roomy, made), obstacle::none);
  return made;
}
void insert(cuckoo_chain& chain, std::string const& item) {
  auto const hash = cuckoo_chain::hash(item);
  if (chain.insert(hash) != insertion::must_grow) return;
  EXPECT_EQ(chain.grow(roomy), obstacle::none);
  EXPECT_EQ(chain.insert(hash), insertion::inserted);
}
std::string numbered(int i) { return "item" + std::to_string(i); }
cuckoo_chain with_items(cuckoo_chain::goal const& goal, int items) {
  auto chain = chain_of(goal);
  for (int i = 0; i < items; ++i) insert(chain, numbered(i));
  return chain;
}
std::string dump_of(cuckoo_chain const& chain) { return dumped(chain, std::string(cuckoo_chain::header_bytes, '\0')); }
bool contains(cuckoo_chain const& chain, int i) { return chain.contains(cuckoo_chain::hash(numbered(i))); }
bool erase(cuckoo_chain& chain, int i) { return chain.erase(cuckoo_chain::hash(numbered(i))); }
std::uint64_t used(cuckoo_chain const& chain) {
  std::uint64_t sum = 0;
  for (auto const& each : chain.filters()) {
    EXPECT_EQ(each.used, used_slots(each.store.bytes()));
    sum += each.used;
  }
  return sum;
}
constexpr cuckoo_chain::goal usual{.capacity = 1000, .bucket_slots = 2, .iterations = 20, .expansion = 1};
constexpr cuckoo_chain::goal large{.capacity = 1 << 20, .bucket_slots = 2, .iterations = 20, .expansion = 1};

/// What RedisBloom 8.10 dumps for the same commands. The hash of a dump is murmur64 with seed 0.
TEST(cuckoo_chain, has_the_slots_of_redisbloom) {
  auto erased = with_items(usual, 800);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(erase(erased, i));
  EXPECT_EQ(murmur64(dump_of(erased), 0), 0x5f5d15be88a7bc5eU);
  auto const expanding = with_items({.capacity = 64, .bucket_slots = 4, .iterations = 50, .expansion = 2}, 500);
  EXPECT_EQ(murmur64(dump_of(expanding), 0), 0x287464f6043312feU);
  EXPECT_EQ(expanding.reported_bytes(), 1064U);
  auto duplicates = chain_of({.capacity = 64, .bucket_slots = 2, .iterations = 20, .expansion = 1});
  for (int i = 0; i < 9; ++i) insert(duplicates, "same");
  for (int i = 0; i < 100; ++i) insert(duplicates, numbered(i));
  EXPECT_EQ(murmur64(dump_of(duplicates), 0), 0xc302d0531095a160U);
  EXPECT_GE(duplicates.count(cuckoo_chain::hash("same")), 9U);

  long sum = 0;
  for (int i = 0; i < 20000; ++i)
    if (expanding.contains(cuckoo_chain::hash("neg" + std::to_string(i)))) sum += i;
  EXPECT_EQ(sum, 18320275);
}

TEST(cuckoo_chain, rounds_as_redisbloom_does) {
  auto const chain = chain_of({.capacity = 100, .bucket_slots = 3, .iterations = 7, .expansion = 3});
  EXPECT_EQ(chain.buckets(), 64U);
  EXPECT_EQ(chain.expansion(), 4U);
  cuckoo_chain made;
  EXPECT_EQ(cuckoo_chain::make({.capacity = 3, .bucket_slots = 2, .iterations = 1, .expansion = 1}, roomy, made),
            obstacle::impossible);
  EXPECT_EQ(cuckoo_chain::make({.capacity = 1 << 20, .bucket_slots = 2, .iterations = 1, .expansion = 1}, {1000, 0}, made),
            obstacle::too_large);
}

TEST(cuckoo_chain, a_failed_insert_restores_every_slot) {
  auto chain = chain_of({.capacity = 4, .bucket_slots = 2, .iterations = 500, .expansion = 0});
  for (int i = 0; i < 4; ++i) insert(chain, numbered(i));
  ASSERT_EQ(used(chain), 4U);
  auto const before = dump_of(chain);
  for (int i = 4; i < 100; ++i) EXPECT_EQ(chain.insert(cuckoo_chain::hash(numbered(i))), insertion::full);
  EXPECT_EQ(dump_of(chain), before);
}

TEST(cuckoo_chain, every_item_is_found_until_it_is_erased) {
  for (std::uint16_t const slots : std::initializer_list<std::uint16_t>{1, 2, 3, 8, 9, 255}) {
    auto chain = with_items({.capacity = 600, .bucket_slots = slots, .iterations = 20, .expansion = 2}, 3000);
    EXPECT_EQ(used(chain), 3000U);
    for (int i = 0; i < 3000; i += 2) EXPECT_TRUE(erase(chain, i));
    EXPECT_EQ(used(chain), 1500U);
    EXPECT_EQ(chain.items(), 1500U);
    for (int i = 1; i < 3000; i += 2) EXPECT_TRUE(contains(chain, i)) << i;
    for (int i = 1; i < 3000; i += 2) EXPECT_TRUE(erase(chain, i));
    EXPECT_EQ(used(chain), 0U);
    EXPECT_FALSE(erase(chain, 1));
    chain.compact();
    EXPECT_EQ(chain.filters().size(), 1U);
  }
}

/// The compaction of a large chain takes many steps. No step loses an item, and the last one says so.
TEST(cuckoo_chain, a_large_chain_is_compacted_step_by_step) {
  constexpr int items = 900'000;
  auto chain = with_items(large, items);
  ASSERT_EQ(chain.filters().size(), 2U);
  int next = 0;
  while (chain.deletes() <= chain.items() / 10) erase(chain, next++);  // the first step was done
  auto const newest = chain.filters()[1].used;
  erase(chain, next++);
  EXPECT_LT(newest - chain.filters()[1].used, 20'000U) << "a step is bounded";
  // Where it stands is saved: a loaded copy goes on at the same place.
  auto copy = loaded<cuckoo_chain>(saved(chain));
  int steps = 0;
  while (chain.filters().size() == 2 && next < items) {
    EXPECT_EQ(erase(chain, next), erase(copy, next));
    ++next;
    ++steps;
  }
  EXPECT_EQ(saved(chain), saved(copy));
  EXPECT_EQ(chain.filters().size(), 1U) << "the newest is freed when it is empty";
  EXPECT_GT(steps, 20);
  EXPECT_EQ(used(chain), chain.items());
  for (int i = next; i < items; ++i) ASSERT_TRUE(contains(chain, i)) << i;
}

TEST(cuckoo_chain, compact_of_a_large_chain_ends) {
  auto chain = with_items(large, 1'300'000);
  for (int i = 0; i < 100'000; ++i) erase(chain, i);
  auto const before = used(chain);
  int calls = 1;
  for (chain.compact(); chain.deletes() != 0; chain.compact()) ASSERT_LT(++calls, 1000);
  EXPECT_GT(calls, 100);
  EXPECT_EQ(used(chain), before);
  for (int i = 100'000; i < 1'300'000; ++i) ASSERT_TRUE(contains(chain, i)) << i;
}

TEST(cuckoo_chain, its_memory_can_be_moved) {
  auto chain = with_items(usual, 3000);
  auto const before = saved(chain);
  move_blocks(chain);
  EXPECT_EQ(saved(chain), before);
}

TEST(cuckoo_chain, what_is_saved_loads_and_is_equal) {
  for (auto const& chain : {with_items(usual, 3000), chain_of(usual), with_items({4, 1, 3, 0}, 2)}) {
    auto const fields = saved(chain);
    EXPECT_EQ(saved(loaded<cuckoo_chain>(fields)), fields);
    auto const header = dump_of(chain).substr(0, cuckoo_chain::header_bytes);
    auto restored = cuckoo_chain::from_header(header, roomy);
    EXPECT_EQ(saved(loaded<cuckoo_chain>(saved(restored))), saved(restored)) << "without its chunks";
    for (auto piece = chain.chunk_at(1); !piece.bytes.empty(); piece = chain.chunk_at(piece.next))
      EXPECT_EQ(restored.write_chunk(piece.next, piece.bytes), chunk_fault::none);
    EXPECT_EQ(saved(restored), fields);
    EXPECT_EQ(used(restored), chain.items());
    for (std::size_t length = 0; length < header.size(); ++length)
      EXPECT_THROW(static_cast<void>(cuckoo_chain::from_header(header.substr(0, length), roomy)), error);
    for (std::size_t count = 0; count < fields.size(); ++count)
      EXPECT_THROW(loaded<cuckoo_chain>(std::span(fields).first(count)), error);
  }
}

TEST(cuckoo_chain, reads_the_encoding_without_bucket_size) {
  std::vector<saved_field> const encoding_3{std::uint64_t{2}, std::uint64_t{8}, std::uint64_t{0}, saved_bytes(16),
                                            saved_bytes(16)};
  auto chain = loaded<cuckoo_chain>(encoding_3, 3);
  EXPECT_EQ(chain.bucket_slots(), 2U);
  for (int i = 0; i < 100; ++i) insert(chain, numbered(i));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(contains(chain, i));
}

/// A header can say more items than its chunks bring. What is made of it, and filled, must load.
TEST(cuckoo_chain, fewer_slots_than_items_do_no_harm) {
  auto header = dump_of(with_items({4, 2, 20, 1}, 4)).substr(0, cuckoo_chain::header_bytes);
  header[1] = 127;
  auto chain = cuckoo_chain::from_header(header, roomy);
  for (int i = 0; i < 4; ++i) insert(chain, numbered(i));
  EXPECT_EQ(saved(loaded<cuckoo_chain>(saved(chain))), saved(chain));
}

/// A chunk can bring more slots than the header said items. Erasing them must not wrap around.
TEST(cuckoo_chain, more_slots_than_items_do_no_harm) {
  auto chain = chain_of({.capacity = 4, .bucket_slots = 2, .iterations = 20, .expansion = 1});
  saved_bytes const all(4, static_cast<std::uint8_t>(cuckoo_chain::hash("x") % 255 + 1));
  EXPECT_EQ(chain.write_chunk(5, all), chunk_fault::none);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(chain.erase(cuckoo_chain::hash("x")));
  EXPECT_EQ(chain.items(), 0U);
  EXPECT_FALSE(chain.erase(cuckoo_chain::hash("x")));
}

/// Whatever loads is a chain that answers, grows, shrinks, saves and loads again.
TEST(cuckoo_chain, damaged_fields_are_refused_or_harmless) {
  std::mt19937_64 random(13);
  auto const good = saved(with_items({.capacity = 64, .bucket_slots = 2, .iterations = 20, .expansion = 2}, 300));
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto fields = good;
    for (auto times = 1 + random() % 2; times != 0; --times) damage(fields[random() % fields.size()], random);
    try {
      auto chain = loaded<cuckoo_chain>(fields, i % 5, {1 << 20, 0});
      for (int j = 0; j < 50; ++j) static_cast<void>(erase(chain, j));
      if (chain.insert(cuckoo_chain::hash("y")) == insertion::must_grow) static_cast<void>(chain.grow({1 << 20, 0}));
      chain.compact();
      static_cast<void>(used(chain));
      EXPECT_EQ(saved(loaded<cuckoo_chain>(saved(chain))), saved(chain));
    } catch (error const& why) {
      ++refused;
      EXPECT_EQ(why.code(), errc::corrupt);
    }
  }
  EXPECT_GT(refused, 10000);
}

TEST(cuckoo_chain, damaged_headers_are_refused_or_harmless) {
  std::mt19937_64 random(14);
  auto const good = dump_of(with_items(usual, 3000)).substr(0, cuckoo_chain::header_bytes);
  for (int i = 0; i < 5000; ++i) {
    auto header = good;
    for (auto times = 1 + random() % 3; times != 0; --times) header[random() % header.size()] = static_cast<char>(random());
    try {
      auto chain = cuckoo_chain::from_header(header, {1 << 20, 0});
      insert(chain, "x");
      static_cast<void>(chain.erase(cuckoo_chain::hash("x")));
      EXPECT_EQ(saved(loaded<cuckoo_chain>(saved(chain))), saved(chain));
    } catch (error const&) {
    }
  }
}

}  // namespace
}  // namespace hortus::redisbloom
