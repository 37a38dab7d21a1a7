#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "redis/redisbloom/bloom_chain.hpp"
#include "redis/saved_fields.hpp"

namespace hortus::redisbloom {
namespace {

bloom_chain chain_of(bloom_chain::goal const& goal) {
  bloom_chain made;
  EXPECT_EQ(bloom_chain::make(goal, roomy, made), obstacle::none);
  return made;
}
bool add(bloom_chain& chain, std::string const& item) {
  auto const hash = chain.hash(item);
  auto result = chain.add(hash);
  if (result == addition::full && chain.scales()) {
    EXPECT_EQ(chain.grow(roomy), obstacle::none);
    result = chain.add(hash);
  }
  return result == addition::added;
}
bloom_chain with_items(bloom_chain::goal const& goal, std::string const& prefix, int items) {
  auto chain = chain_of(goal);
  for (int i = 0; i < items; ++i) add(chain, prefix + std::to_string(i));
  return chain;
}
std::string dump_of(bloom_chain const& chain) { return dumped(chain, std::string(chain.header_bytes(), '\0')); }
constexpr bloom_chain::goal of_100{.capacity = 100, .error = 0.01, .expansion = 2, .scaling = true};
constexpr bloom_chain::goal of_10{.capacity = 10, .error = 0.01, .expansion = 2, .scaling = true};

/// What RedisBloom 8.10 dumps for the same commands. The hash of a dump is murmur64 with seed 0.
TEST(bloom_chain, has_the_bits_of_redisbloom) {
  auto const hash_of = [](bloom_chain const& chain) { return murmur64(dump_of(chain), 0); };
  EXPECT_EQ(hash_of(with_items(of_100, "item", 100)), 0x9072619d1e792c1bU);
  EXPECT_EQ(hash_of(with_items(of_10, "item", 200)), 0x6020c9d9bf2003d4U);
  EXPECT_EQ(hash_of(with_items({50, 0.001, 4, true}, "k", 300)), 0x5ca295761a479f6dU);
  EXPECT_EQ(hash_of(with_items({100, 0.02, 2, false}, "item", 100)), 0x596c27e7f47ccbc1U);
  auto lengths = chain_of({64, 0.001, 2, true});
  for (std::size_t length = 0; length <= 40; ++length) add(lengths, std::string(length, 'x'));
  EXPECT_EQ(hash_of(lengths), 0xbea6f10c0ec5de0eU);
}

TEST(bloom_chain, has_the_false_positives_of_redisbloom) {
  auto const chain = with_items(of_100, "item", 100);
  int hits = 0;
  long sum = 0;
  for (int i = 0; i < 20000; ++i)
    if (chain.contains(chain.hash("neg" + std::to_string(i)))) {
      ++hits;
      sum += i;
    }
  EXPECT_EQ(hits, 105);
  EXPECT_EQ(sum, 1017189);
}

TEST(bloom_chain, grows_as_redisbloom_does) {
  auto const chain = with_items({10, 0.01, 2, true}, "", 100);
  EXPECT_EQ(chain.items(), 99U);
  ASSERT_EQ(chain.filters().size(), 4U);
  EXPECT_EQ(chain.filters()[3].items, 29U);
  EXPECT_EQ(with_items({100, 0.001, 2, true}, "", 4000).items(), 3997U);
  EXPECT_EQ(with_items({4, 0.01, 1, true}, "", 100).filters().size(), 23U);
}

/// Positions come from a reciprocal. Here they come from a division.
TEST(bloom_chain, positions_are_remainders) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    bloom_shape shape{.entries = 1, .error = 0.5, .bits_per_entry = 1, .probes = 1 + static_cast<std::uint32_t>(random() % 20)};
    shape.bits = i < 70 ? static_cast<std::uint64_t>(i) + 1 : 1 + random() % (1 << 14);
    if (i % 10 == 0) shape.bits = std::uint64_t{1} << (random() % 15);
    shape.bytes = (shape.bits + 7) / 8;
    sub_bloom filter(shape);
    item_hash const x{random(), i % 3 == 0 ? ~std::uint64_t{0} - random() % 3 : random()};
    saved_bytes expected(shape.bytes);
    for (std::uint64_t j = 0; j < shape.probes; ++j) {
      auto const at = (x.first + j * x.step) % shape.bits;
      expected[at / 8] = static_cast<std::uint8_t>(expected[at / 8] | 1U << (at % 8));
    }
    EXPECT_EQ(filter.contains(x), false);
    filter.set(x);
    EXPECT_TRUE(std::ranges::equal(filter.store.bytes(), expected)) << shape.bits;
    EXPECT_TRUE(filter.contains(x));
  }
}

TEST(bloom_chain, one_that_does_not_scale_says_that_it_is_full) {
  auto chain = chain_of({3, 0.01, 2, false});
  for (auto const* const item : {"a", "b", "c"}) EXPECT_EQ(chain.add(chain.hash(item)), addition::added);
  EXPECT_EQ(chain.add(chain.hash("d")), addition::full);
  EXPECT_EQ(chain.add(chain.hash("a")), addition::present);
  EXPECT_EQ(chain.items(), 3U);
}

TEST(bloom_chain, growth_ends_at_the_limits_and_changes_nothing) {
  auto chain = chain_of({1, 0.01, 1, true});
  obstacle why{};
  while ((why = chain.grow(roomy)) == obstacle::none) ASSERT_LE(chain.filters().size(), 64U);
  EXPECT_EQ(why, obstacle::too_many_probes);
  EXPECT_EQ(chain.filters().size(), 57U);
  EXPECT_EQ(chain.filters().back().shape().probes, 64U);

  auto large = chain_of({1000, 0.01, 32768, true});
  auto const before = dump_of(large);
  EXPECT_EQ(large.grow({1 << 20, most_probes}), obstacle::too_large);
  EXPECT_EQ(dump_of(large), before);
}

TEST(bloom_chain, impossible_wishes_are_refused_without_undefined_conversions) {
  bloom_chain made;
  auto const why = [&](std::uint64_t capacity, double error) {
    return bloom_chain::make({capacity, error, 2, true}, {most_cell_bytes, most_probes}, made);
  };
  EXPECT_EQ(why(0, 0.01), obstacle::impossible);
  EXPECT_EQ(why(1, 0), obstacle::impossible);
  EXPECT_EQ(why(1, -1), obstacle::impossible);
  EXPECT_EQ(why(1, 2), obstacle::impossible);
  EXPECT_EQ(why(1, std::nan("")), obstacle::impossible);
  EXPECT_EQ(why(1, 5e-324), obstacle::impossible);  // half of it is 0
  EXPECT_EQ(why(1, 1e-30), obstacle::too_many_probes);
  EXPECT_EQ(why(~std::uint64_t{0}, 0.01), obstacle::too_large);
  EXPECT_EQ(why(most_entries, 0.99), obstacle::too_large);
  EXPECT_EQ(made.filters().size(), 0U);
}

/// The filters of 2017: hashes of 32 bits, a power of two of bits that is saved as 0, no options, no expansion.
TEST(bloom_chain, reads_the_first_encodings) {
  double const rate = 0.01;
  double const bpe = bits_per_entry(rate);
  auto const bits = static_cast<std::uint64_t>(1000 * bpe);
  std::vector<saved_field> const encoding_0{
      std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, rate, std::uint64_t{7}, bpe, saved_bytes((bits + 7) / 8),
      std::uint64_t{0}};
  auto chain = loaded<bloom_chain>(encoding_0, 0);
  EXPECT_EQ(chain.filters()[0].shape().bits, bits);
  EXPECT_EQ(chain.expansion(), 2U);
  for (int i = 0; i < 3000; ++i) add(chain, std::to_string(i));
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(chain.contains(chain.hash(std::to_string(i))));
  auto const first = murmur32("12", 0x9747b28cU);
  EXPECT_EQ(chain.hash("12").first, first);
  EXPECT_EQ(chain.hash("12").step, murmur32("12", first));
  ASSERT_EQ(chain.filters().size(), 2U);  // the second: 2000 entries and what the next power of two takes besides
  EXPECT_EQ(chain.filters()[1].shape().log2_bits, 15U);
  EXPECT_EQ(chain.filters()[1].entries(), static_cast<std::uint64_t>(32768 / bits_per_entry(rate / 2)));
  EXPECT_EQ(saved(loaded<bloom_chain>(saved(chain))), saved(chain));

  std::vector<saved_field> const encoding_1{
      std::uint64_t{0},  std::uint64_t{1},  std::uint64_t{800}, rate, std::uint64_t{7}, bpe, std::uint64_t{0},
      std::uint64_t{13}, saved_bytes(1024), std::uint64_t{0}};
  auto const power = loaded<bloom_chain>(encoding_1, 1);
  EXPECT_EQ(power.filters()[0].shape().bits, 8192U);
  EXPECT_EQ(power.filters()[0].saved_bits(), 8192U);
  EXPECT_THROW(loaded<bloom_chain>(encoding_1, 5), error);
}

TEST(bloom_chain, its_memory_can_be_moved) {
  auto chain = with_items(of_10, "item", 500);
  auto const before = saved(chain);
  move_blocks(chain);
  EXPECT_EQ(saved(chain), before);
}

TEST(bloom_chain, what_is_saved_loads_and_is_equal) {
  for (auto const& chain : {with_items(of_10, "item", 500), chain_of({1, 0.25, 1, true}), chain_of({5, 0.9, 0, false})}) {
    auto const fields = saved(chain);
    EXPECT_EQ(saved(loaded<bloom_chain>(fields)), fields);
    auto const dump = dump_of(chain);
    auto const header = std::string_view(dump).substr(0, chain.header_bytes());
    auto restored = bloom_chain::from_header(header, roomy);
    EXPECT_EQ(saved(loaded<bloom_chain>(saved(restored))), saved(restored)) << "without its chunks";
    for (auto piece = chain.chunk_at(1); !piece.bytes.empty(); piece = chain.chunk_at(piece.next))
      EXPECT_EQ(restored.write_chunk(piece.next, piece.bytes), chunk_fault::none);
    EXPECT_EQ(saved(restored), fields);
    for (std::size_t length = 0; length < header.size(); ++length)
      EXPECT_THROW(static_cast<void>(bloom_chain::from_header(header.substr(0, length), roomy)), error);
    for (std::size_t count = 0; count < fields.size(); ++count)
      EXPECT_THROW(loaded<bloom_chain>(std::span(fields).first(count)), error);
  }
}

/// Whatever loads is a chain that answers, grows, saves and loads again.
TEST(bloom_chain, damaged_fields_are_refused_or_harmless) {
  std::mt19937_64 random(11);
  auto const good = saved(with_items(of_10, "item", 100));
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto fields = good;
    for (auto times = 1 + random() % 2; times != 0; --times) damage(fields[random() % fields.size()], random);
    try {
      auto chain = loaded<bloom_chain>(fields, i % 5, {1 << 20, most_probes});
      static_cast<void>(chain.contains(chain.hash("x")));
      if (chain.add(chain.hash("y")) == addition::full) static_cast<void>(chain.grow({1 << 20, most_probes}));
      static_cast<void>(dump_of(chain));
      EXPECT_EQ(saved(loaded<bloom_chain>(saved(chain))), saved(chain));
    } catch (error const& why) {
      ++refused;
      EXPECT_EQ(why.code(), errc::corrupt);
    }
  }
  EXPECT_GT(refused, 15000);
}

TEST(bloom_chain, damaged_headers_are_refused_or_harmless) {
  std::mt19937_64 random(12);
  auto const chain = with_items(of_10, "item", 100);
  auto const good = dump_of(chain).substr(0, chain.header_bytes());
  for (int i = 0; i < 20000; ++i) {
    auto header = good;
    for (auto times = 1 + random() % 3; times != 0; --times) header[random() % header.size()] = static_cast<char>(random());
    try {
      auto made = bloom_chain::from_header(header, {1 << 20, most_probes});
      add(made, "x");
      EXPECT_EQ(saved(loaded<bloom_chain>(saved(made))), saved(made));
    } catch (error const&) {
    }
  }
}

/// A sub-filter that claims more items than it has room for would never be full.
TEST(bloom_chain, items_beyond_the_capacity_are_refused) {
  auto const chain = with_items(of_10, "item", 5);
  auto const header = dump_of(chain).substr(0, chain.header_bytes());
  auto const with = [&](std::uint64_t items) {
    auto changed = header;
    std::memcpy(changed.data(), &items, sizeof items);                          // of the chain,
    std::memcpy(changed.data() + 20 + 2 * sizeof items, &items, sizeof items);  // of its sub-filter, after bytes and bits
    return changed;
  };
  ASSERT_EQ(with(5), header);
  EXPECT_EQ(bloom_chain::from_header(with(10), roomy).items(), 10U);
  for (std::uint64_t const items : {std::uint64_t{11}, std::uint64_t{1000}, std::uint64_t{1} << 45, ~std::uint64_t{0}})
    EXPECT_THROW((void)bloom_chain::from_header(with(items), roomy), error) << items;
}

TEST(bloom_chain, chunks_stay_in_their_sub_filter) {
  auto chain = with_items(of_10, "item", 40);  // 16 and 32 and 72 bytes
  auto const before = dump_of(chain);
  saved_bytes const bytes(16);
  EXPECT_EQ(chain.write_chunk(0, bytes), chunk_fault::before_start);
  EXPECT_EQ(chain.write_chunk(-5, bytes), chunk_fault::before_start);
  EXPECT_EQ(chain.write_chunk(15, bytes), chunk_fault::before_start);
  EXPECT_EQ(chain.write_chunk(16, bytes), chunk_fault::after_end);
  EXPECT_EQ(chain.write_chunk(18, bytes), chunk_fault::across_filters);
  EXPECT_EQ(chain.write_chunk(1 + 16 + 32 + 72 + 1, bytes), chunk_fault::across_filters);
  EXPECT_EQ(chain.write_chunk(1 + 16 + 32 + 72 + 16, bytes), chunk_fault::after_end);
  EXPECT_EQ(chain.write_chunk(std::numeric_limits<long long>::max(), bytes), chunk_fault::after_end);
  EXPECT_EQ(dump_of(chain), before);
  EXPECT_EQ(chain.write_chunk(17, bytes), chunk_fault::none);
  EXPECT_TRUE(chain.chunk_at(-1).bytes.empty());
  EXPECT_TRUE(chain.chunk_at(122).bytes.empty());
  EXPECT_EQ(chain.chunk_at(3).bytes.size(), 14U);
}

TEST(bloom_chain, failed_allocations_leave_it_as_it_was) {
  static int left = 0;
  auto const usual = current_memory_source();
  auto chain = with_items(of_10, "item", 10);
  auto const before = dump_of(chain);
  for (int allowed = 0; allowed < 2; ++allowed) {
    left = allowed;
    set_memory_source({[](std::size_t bytes, std::size_t alignment) noexcept -> void* {
                         return left-- > 0 ? default_memory_source().allocate(bytes, alignment) : nullptr;
                       },
                       usual.release});
    EXPECT_THROW(static_cast<void>(chain.grow(roomy)), std::bad_alloc);
    bloom_chain made;
    left = allowed;
    EXPECT_THROW(static_cast<void>(bloom_chain::make(of_10, roomy, made)), std::bad_alloc);
    left = allowed;
    EXPECT_THROW(bloom_chain copy(chain), std::bad_alloc);
    set_memory_source(usual);
    EXPECT_EQ(dump_of(chain), before);
  }
}

}  // namespace
}  // namespace hortus::redisbloom
