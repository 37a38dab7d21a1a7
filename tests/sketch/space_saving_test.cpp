// Space-Saving: what is peculiar to it. Its bounds, and those of merged sketches, are laws: tests/laws/topping.hpp.
#include <hortus/sketch/space_saving.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <string>

#include <hortus/any/any_filter.hpp>

#include "io/parts.hpp"
#include "laws/support.hpp"

namespace hortus::testing {
namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};
constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

/// So many counters for keys of up to `key_bytes`.
space_saving::params counters_for(std::uint64_t counters, std::uint64_t key_bytes) {
  return {{counters * plan::counter_bytes(key_bytes), key_bytes}};
}

space_saving_sketch sketch(std::uint64_t counters, std::uint64_t key_bytes = 8) {
  return space_saving_sketch(space_saving(counters_for(counters, key_bytes)));
}

/// "ada 3 (1), bob 2": keys, counts, errors.
std::string text_of(top_keys const& top) {
  std::string text;
  for (auto const& key : top.keys) {
    text += (text.empty() ? "" : ", ") + std::string(key.bytes) + " " + std::to_string(key.count);
    if (key.error != 0) text += " (" + std::to_string(key.error) + ")";
  }
  return text;
}

TEST(space_saving, a_key_without_counter_takes_the_least_one_over_with_its_count) {
  auto s = sketch(3);
  for (auto const* const key : {"ada", "ada", "ada", "bob", "bob", "kim"}) s.insert(key);
  EXPECT_EQ(text_of(s.top(all)), "ada 3, bob 2, kim 1");
  EXPECT_EQ(s.count("joe"), 0U);
  s.insert("joe");
  EXPECT_EQ(text_of(s.top(all)), "ada 3, bob 2, joe 2 (1)");
  EXPECT_EQ(s.count("kim"), 1U) << "the most it can have been";
  EXPECT_EQ(s.top(all).others_at_most, 1U);
  EXPECT_EQ(s.top(all).certain, 3U) << "joe came once or twice, and bob not less often";
  EXPECT_EQ(s.top(1).certain, 1U);
  EXPECT_EQ(s.top(1).others_at_most, 2U);
  s.insert("kim");  // the first of the least counted goes: bob
  EXPECT_EQ(text_of(s.top(all)), "ada 3, kim 3 (2), joe 2 (1)");
  EXPECT_EQ(s.top(all).certain, 1U) << "kim came once to three times, and joe once or twice";
  EXPECT_EQ(s.count("bob"), 2U);
  EXPECT_EQ(s.family().inserted(), 8U);
  EXPECT_EQ(s.about().items_inserted, 8U);
}

TEST(space_saving, equal_counts_come_in_the_order_of_their_keys) {
  auto s = sketch(20);
  for (auto const* const key : {"b", "a", "c", "a", "", "b", "\xff", "c"}) s.insert(key);
  EXPECT_EQ(text_of(s.top(10)), "a 2, b 2, c 2,  1, \xff 1");
  EXPECT_EQ(s.top(2).keys.size(), 2U);
  EXPECT_TRUE(s.top(0).keys.empty());
  EXPECT_TRUE(sketch(1).top(5).keys.empty());
  auto of_numbers = sketch(20);
  for (std::uint64_t const key : {256U, 3U, 70'000U, 1U}) of_numbers.insert(key);
  std::vector<std::uint64_t> order;
  for (auto const& key : of_numbers.top(all).keys) order.push_back(key.integer());
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 3, 256, 70'000}));
}

struct point {
  std::uint32_t x, y;
};
std::array<std::byte, 8> key_bytes(point p) { return little_endian_bytes(p.x | std::uint64_t{p.y} << 32); }

TEST(space_saving, keys_of_every_kind_are_kept_as_what_they_are) {
  auto s = sketch(20);
  s.insert("text");
  s.insert(std::vector<std::byte>{std::byte{0}, std::byte{255}});
  s.insert(-1);
  s.insert(point{1, 2});
  s.insert(digest(77));
  std::map<key_kind, std::vector<frequent_key>> kinds;
  for (auto const& key : s.top(all).keys) kinds[key.kind].push_back(key);
  ASSERT_EQ(kinds[key_kind::bytes].size(), 3U);
  EXPECT_EQ(kinds[key_kind::bytes][0].bytes, std::string_view("\0\xff", 2));
  EXPECT_EQ(kinds[key_kind::bytes][1].bytes, std::string_view("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(kinds[key_kind::bytes][2].bytes, "text");
  ASSERT_EQ(kinds[key_kind::integers].size(), 1U);
  EXPECT_EQ(kinds[key_kind::integers][0].integer(), largest);
  ASSERT_EQ(kinds[key_kind::digests].size(), 1U);
  EXPECT_EQ(kinds[key_kind::digests][0].of, digest(77));
  EXPECT_EQ(kinds[key_kind::digests][0].length, 0U);
}

/// Keys are told apart by their digests: what is cut off counts.
TEST(space_saving, of_long_keys_the_beginning_is_kept_and_they_stay_apart) {
  auto s = sketch(10, 16);
  std::string const beginning(16, 'x');
  s.insert(beginning);
  for (int i = 0; i < 3; ++i) s.insert(beginning + "a");
  for (int i = 0; i < 2; ++i) s.insert(beginning + std::string(1'000'000, 'b'));
  auto const top = s.top(all);
  ASSERT_EQ(top.keys.size(), 3U);
  for (auto const& key : top.keys) EXPECT_EQ(key.bytes, beginning);
  EXPECT_EQ(top.keys[0].length, 17U);
  EXPECT_EQ(top.keys[1].length, 1'000'016U);
  EXPECT_TRUE(top.keys[1].is_cut());
  EXPECT_FALSE(top.keys[2].is_cut());
  EXPECT_EQ(s.count(beginning + "a"), 3U);
  EXPECT_EQ(from_bytes<space_saving_sketch>(to_bytes(s)), s);
}

TEST(space_saving, inserted_several_times_at_once_is_inserted_one_by_one) {
  space_saving at_once(counters_for(3, 8)), singly(counters_for(3, 8));
  numbers draw(1);
  for (int i = 0; i < 300; ++i) {
    auto const key = digest::of_hash(draw(9));
    auto const times = draw(4);
    at_once.insert(key, times);
    for (std::uint64_t j = 0; j < times; ++j) singly.insert(key);
    ASSERT_TRUE(at_once == singly) << i;
  }
}

TEST(space_saving, counts_stay_at_2_to_the_64) {
  space_saving s(counters_for(2, 8));
  s.insert(digest(1), largest - 1);
  s.insert(digest(1));
  s.insert(digest(1));
  EXPECT_EQ(s.count(digest(1)), largest);
  s.insert(digest(2), largest);
  for (std::uint64_t i = 3; i < 10; ++i) s.insert(digest(i));
  EXPECT_EQ(s.inserted(), largest);
  EXPECT_EQ(s.count(digest(100)), largest);
  s.merge(space_saving(s));
  space_saving_sketch const again = from_bytes<space_saving_sketch>(to_bytes(space_saving_sketch(s)));
  EXPECT_TRUE(again.family() == s);
}

/// One that is counted in both adds up; one that only one knows may have come to the other as often as that has pushed out.
TEST(space_saving, merge_adds_counts_and_what_the_other_may_have_pushed_out) {
  auto a = sketch(2), b = sketch(2);
  for (auto const* const key : {"x", "x", "x", "x", "x", "y", "z"}) a.insert(key);  // z 2 (1)
  for (auto const* const key : {"x", "x", "w", "w", "w"}) b.insert(key);
  EXPECT_EQ(text_of(a.top(all)), "x 5, z 2 (1)");
  auto const before = b;
  b.merge(a);
  EXPECT_EQ(text_of(b.top(all)), "x 7, w 4 (1)");
  EXPECT_EQ(b.family().others_at_most(), 2U) << "z, which was dropped";
  EXPECT_EQ(b.family().inserted(), 12U);
  EXPECT_EQ(b.about().items_inserted, 12U);
  a.merge(before);
  EXPECT_EQ(text_of(a.top(all)), text_of(b.top(all)));
  auto twice = before;
  twice.merge(twice);
  EXPECT_EQ(text_of(twice.top(all)), "w 6, x 4");
  auto c = sketch(2);
  for (auto const* const key : {"x", "x", "y", "z"}) c.insert(key);
  c.merge(c);  // nothing is dropped, and y came twice
  EXPECT_EQ(text_of(c.top(all)), "x 4, z 4 (2)");
  EXPECT_EQ(c.count("y"), 2U);
  auto bare = sketch(2), named = sketch(2);
  bare.insert(bare("x"));
  named.insert("x");
  bare.merge(named);
  EXPECT_EQ(text_of(bare.top(all)), "x 2") << "of a key that came as a digest the other sketch knows the bytes";
}

TEST(space_saving, unequal_ones_do_not_merge_and_say_why) {
  auto a = sketch(2);
  for (auto const& other : {sketch(3), sketch(2, 16)}) {
    try {
      a.merge(other);
      FAIL();
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::incompatible);
      EXPECT_NE(std::string(e.what()).find("only with equal room and key_bytes"), std::string::npos) << e.what();
    }
  }
}

/// Keys of all lengths, so that keys and counters move again and again, and some push out several.
TEST(space_saving, takes_no_more_memory_than_planned_whatever_the_keys_are) {
  for (std::uint64_t const longest : {0U, 8U, 40U, 1000U, 5000U}) {
    space_saving_sketch s(space_saving(counters_for(50, 1000)));
    std::map<std::string, std::uint64_t> truth;
    numbers draw(longest);
    std::size_t most = 0;
    for (int i = 0; i < 50'000; ++i) {
      auto key = std::to_string(draw(1 + draw(3000)));
      key += std::string(longest == 0 ? 0 : mix64(std::stoull(key)) % longest, '.');
      s.insert(key);
      ++truth[key];
      most = std::max(most, s.family().allocated_bytes());
    }
    EXPECT_LE(most, s.size_bytes() + plan::counter_bytes(1000) + 512) << longest << ": the key that comes has its place first";
    EXPECT_GE(s.family().counters(), 50U) << longest;
    auto const top = s.top(all);
    EXPECT_LE(top.others_at_most, 1000U) << longest;
    for (auto const& key : top.keys)
      if (!key.is_cut()) {
        ASSERT_LE(key.at_least(), truth.at(std::string(key.bytes)));
        ASSERT_GE(key.count, truth.at(std::string(key.bytes)));
      }
    EXPECT_EQ(from_bytes<space_saving_sketch>(to_bytes(s)), s);
  }
}

/// First many short keys, then few long ones, and again: what one part gives back the other takes.
TEST(space_saving, gives_back_what_it_took_for_keys_of_another_length) {
  space_saving_sketch s(space_saving(counters_for(200, 4000)));
  for (int round = 0; round < 3; ++round)
    for (std::size_t const length : {8U, 4000U}) {
      std::size_t most = 0;
      for (int i = 0; i < 20'000; ++i) {
        auto key = std::to_string(round * 100'000 + i);
        key.resize(length, '.');
        s.insert(key);
        most = std::max(most, s.family().allocated_bytes());
      }
      EXPECT_LE(most, s.size_bytes() + plan::counter_bytes(4000) + 512) << round << ", " << length;
      EXPECT_GE(s.family().counters(), length == 8 ? 9000U : 200U);
    }
}

/// Keys 5, 6, 5 that are made while they are read: from a range that may be read twice, or once only.
template <class Category>
struct made_keys {
  struct iterator {
    using iterator_concept = Category;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    int i = 0;
    std::string operator*() const { return "made-up key number " + std::to_string(i % 2 + 5); }
    iterator& operator++() { return ++i, *this; }
    iterator operator++(int) { return {i++}; }
    bool operator==(iterator const&) const = default;
  };
  [[nodiscard]] iterator begin() const { return {0}; }
  [[nodiscard]] iterator end() const { return {3}; }
};

TEST(space_saving, batches_of_every_kind_keep_the_bytes) {
  auto s = sketch(20, 32);
  EXPECT_EQ(s.insert(made_keys<std::forward_iterator_tag>()), 3U);
  EXPECT_EQ(s.insert(made_keys<std::input_iterator_tag>()), 3U);
  EXPECT_EQ(s.insert(std::vector<digest>{s("made-up key number 6")}), 1U);
  EXPECT_EQ(text_of(s.top(all)), "made-up key number 5 4, made-up key number 6 3");
  EXPECT_EQ(s.about().items_inserted, 7U);
  EXPECT_EQ(s.about().kinds, key_kind::bytes | key_kind::digests);
}

/// insert(key, times) keeps the bytes too: one key and a batch, of the type itself and of a family chosen at run time.
TEST(space_saving, keys_that_come_with_a_number_are_kept) {
  std::vector<std::string> const names{"ada", "bob"};
  auto typed = sketch(10);
  typed.insert("eve", 5);
  typed.insert(names, std::vector<std::uint64_t>{7, 2});
  EXPECT_EQ(text_of(typed.top(all)), "ada 7, eve 5, bob 2");
  EXPECT_EQ(typed.about().items_inserted, 14U);

  auto chosen = make_filter("space_saving", {.items = 0, .fpr = 0.1, .settings = {}});
  chosen.insert("eve", 5);
  chosen.insert(names, std::vector<std::int64_t>{7, 2});
  EXPECT_EQ(text_of(chosen.top(all)), "ada 7, eve 5, bob 2");
  EXPECT_EQ(code_of([&] { chosen.insert("eve", -1); }), errc::bad_params);
  EXPECT_EQ(text_of(chosen.top(all)), "ada 7, eve 5, bob 2");
}

TEST(space_saving, is_carried_by_any_filter_with_the_bytes_of_its_keys) {
  auto any = make_filter("space_saving", {.items = 0, .fpr = 0.01, .settings = {{"key_bytes", "16"}}});
  space_saving_sketch typed({.items = 0, .fpr = 0.01, .key_bytes = 16});
  std::vector<std::string> const words{"a", "rose", "is", "a", "rose", "is", "a", "rose"};
  EXPECT_EQ(any.insert(words), 8U);
  EXPECT_TRUE(any.insert("is"));
  EXPECT_TRUE(any.insert(7));
  typed.insert(words);
  typed.insert("is");
  typed.insert(7);
  EXPECT_EQ(to_bytes(any), to_bytes(typed));
  EXPECT_EQ(text_of(any.top(3)), "a 3, is 3, rose 3");
  EXPECT_TRUE(any.family().keeps_keys());
  any_filter other = make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}});
  EXPECT_FALSE(other.family().keeps_keys());
  try {
    (void)other.top(3);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(std::string(e.what()), "a bloom filter has no top; families that have it: space_saving");
  }
  other = any;
  EXPECT_TRUE(other.insert("is"));
  EXPECT_EQ(text_of(other.top(1)), "is 4");
  auto const bytes = to_bytes(any);
  EXPECT_EQ(text_of(view(bytes)->top(3)), "a 3, is 3, rose 3");
}

/// Files with right checksums and wrong content.
class hostile : public ::testing::Test {
 protected:
  hostile() {
    auto s = sketch(3, 16);
    for (auto const* const key : {"ada", "ada", "ada", "ada", "bob", "bob", "bob", "kim", "kim", "a key of 21 bytes ..."})
      s.insert(key);  // ada 4, bob 3, the last one 3 (2)
    original = to_bytes(s);
    parts = take_apart(original);
  }
  /// The word of counter i: 0 digest, 1 count, 2 error, 3 about the key.
  std::uint64_t word(std::size_t i, std::size_t which) { return get<std::uint64_t>(parts.sections[0], 32 * i + 8 * which); }
  void set(std::size_t i, std::size_t which, std::uint64_t value) { put(parts.sections[0], 32 * i + 8 * which, value); }
  [[nodiscard]] bool is_accepted() const {
    try {
      (void)from_bytes<space_saving_sketch>(put_together(parts));
      return true;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt) << e.what();
      return false;
    }
  }
  [[nodiscard]] bool is_equal() const {
    return from_bytes<space_saving_sketch>(put_together(parts)) == from_bytes<space_saving_sketch>(original);
  }
  bytes_of_file original;
  file_parts parts;
};

TEST_F(hostile, as_it_was_it_is_accepted) {
  EXPECT_TRUE(is_accepted());
  EXPECT_TRUE(is_equal());
}
TEST_F(hostile, what_differs_anywhere_is_not_equal) {
  auto const good = parts;
  set(2, 0, word(2, 0) + 1);  // a digest
  EXPECT_FALSE(is_equal());
  parts = good;
  set(0, 1, word(0, 1) - 1);  // a count
  EXPECT_FALSE(is_equal());
  parts = good;
  set(2, 2, 1);  // an error
  EXPECT_FALSE(is_equal());
  parts = good;
  set(2, 3, word(2, 3) + 4);  // the length of a key of which as much is kept
  EXPECT_FALSE(is_equal());
  parts = good;
  parts.sections[1][0] ^= std::byte{1};  // a byte of a key
  EXPECT_FALSE(is_equal());
  parts = good;
  parts.scalars[3] += 1;  // the length of the stream
  EXPECT_FALSE(is_equal());
}
TEST_F(hostile, two_counters_of_one_digest) {
  set(1, 0, word(0, 0));
  EXPECT_FALSE(is_accepted());
}
TEST_F(hostile, a_count_of_0_below_its_error_or_below_what_was_pushed_out) {
  auto const count = word(2, 1);
  for (std::uint64_t const wrong : {std::uint64_t{0}, word(2, 2), parts.scalars[2] - 1}) {
    set(2, 1, wrong);
    EXPECT_FALSE(is_accepted()) << wrong;
  }
  set(2, 1, count);
  set(0, 2, parts.scalars[2] + 1);
  EXPECT_FALSE(is_accepted()) << "an error larger than what was pushed out";
}
TEST_F(hostile, counts_that_are_more_than_the_stream) {
  --parts.scalars[3];
  EXPECT_FALSE(is_accepted()) << "4 counts above what was pushed out, and three counters that were pushed out twice, are 10";
  ++parts.scalars[3];
  set(0, 1, word(0, 1) + 1);
  EXPECT_FALSE(is_accepted());
  set(0, 1, largest);
  EXPECT_FALSE(is_accepted());
  parts.scalars[3] = largest;  // a stream without end may have had them
  EXPECT_TRUE(is_accepted());
}
TEST_F(hostile, keys_of_no_kind_and_of_no_length) {
  auto const about = word(0, 3);
  for (std::uint64_t const wrong : {about | 1, about | 2, about | 3, about + 4, about - 4, largest})
    EXPECT_FALSE((set(0, 3, wrong), is_accepted())) << wrong;
  set(0, 3, about);
  set(2, 3, counted_keys::max_length << 2);
  EXPECT_TRUE(is_accepted());
  set(2, 3, (counted_keys::max_length + 1) << 2);
  EXPECT_FALSE(is_accepted());
}
TEST_F(hostile, bytes_too_few_or_too_many) {
  parts.sections[1].push_back(std::byte{0});
  EXPECT_FALSE(is_accepted());
  parts.sections[1].resize(parts.sections[1].size() - 2);
  EXPECT_FALSE(is_accepted());
}
TEST_F(hostile, half_a_counter_and_a_shape_that_none_has) {
  auto const good = parts;
  parts.sections[0].resize(parts.sections[0].size() - 8);
  EXPECT_FALSE(is_accepted());
  for (auto const& [room, bytes] : {std::pair<std::uint64_t, std::uint64_t>{1, 16},
                                    {largest, 16},
                                    {plan::most_room + 1, 16},
                                    {10'000, 7},
                                    {10'000, plan::most_key_bytes + 1},
                                    {good.scalars[0] / 2, 16}}) {
    parts = good;
    parts.scalars[0] = room;
    parts.scalars[1] = bytes;
    EXPECT_FALSE(is_accepted()) << room << " " << bytes;
  }
}
/// A terabyte that a file of 1 KB speaks of is not allocated.
TEST_F(hostile, a_large_room_is_a_word_and_no_memory) {
  parts.scalars[0] = plan::most_room;
  parts.scalars[2] = 0;
  for (std::size_t i = 0; i < 3; ++i) set(i, 2, 0);
  parts.scalars[3] = 1000;
  ASSERT_TRUE(is_accepted());
  EXPECT_LT(from_bytes<space_saving_sketch>(put_together(parts)).family().allocated_bytes(), 10'000U);
}

}  // namespace
}  // namespace hortus::testing
