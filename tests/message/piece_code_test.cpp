// The coder of arrays: it gives back every array, is as short as it should be, the same on all machines, and refuses the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include <hortus/error.hpp>
#include <hortus/message/piece_code.hpp>

#include "message/array_bits.hpp"
#include "with_target.hpp"

namespace hortus::testing {
namespace {

using message::code;
using message::decode_array;
using message::encode_array;
using message::piece_bytes;
using message::piece_kind;

std::vector<std::byte> decoded(std::span<std::byte const> in, std::size_t bytes) {
  std::vector<std::byte> array(bytes, std::byte{0x5a});
  decode_array(in, array);
  return array;
}
piece_kind kind_of(code const& in) { return static_cast<piece_kind>(in.front()); }

// Sizes around a step of 32 bytes, a word and a piece.
constexpr std::array<std::size_t, 21> sizes{1,  2,   3,    7,    8,     9,     31,    32,     33,     63,    64,
                                            65, 100, 1000, 1031, 12500, 12513, 65536, 262143, 262144, 262145};

TEST(array_code, gives_back_bits_of_any_density) {
  for (auto const bytes : sizes)
    for (double const density : {0.0, 1e-6, 1e-4, 0.001, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.97, 0.999, 0.99999, 1.0}) {
      auto const bits = independent_bits(bytes, density, bytes);
      auto const coded = encode_array(bits);
      ASSERT_EQ(decoded(coded, bytes), bits) << bytes << " bytes, density " << density;
      ASSERT_LE(coded.size(), bytes + 1 + bytes / piece_bytes);
    }
}

TEST(array_code, gives_back_one_bit_and_one_missing_bit_wherever_they_are) {
  for (std::size_t const bytes : {1U, 5U, 8U, 33U, 1000U})
    for (std::size_t bit = 0; bit<8 * bytes; bit += bytes> 100 ? 61 : 1)
      for (bool const full : {false, true}) {
        std::vector<std::byte> bits(bytes, full ? std::byte{0xff} : std::byte{0});
        bits[bit / 8] ^= std::byte{1} << bit % 8;
        ASSERT_EQ(decoded(encode_array(bits), bytes), bits);
      }
}

TEST(array_code, is_within_a_hundredth_of_the_entropy) {
  for (double const sparse :
       {0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.45, 0.49, 0.5})
    for (double const density : {sparse, 1 - sparse})
      for (std::size_t const bytes : {12500U, 40'001U, 262'144U, 270'000U, 1'000'000U}) {
        auto const bits = independent_bits(bytes, density, bytes);
        EXPECT_LE(static_cast<double>(encode_array(bits).size()), 1.01 * entropy_bytes(bits) + 64)
            << density << ", " << bytes << " bytes";
      }
}

TEST(array_code, an_empty_and_a_full_piece_take_a_byte) {
  EXPECT_TRUE(encode_array({}).empty());
  EXPECT_EQ(encode_array(independent_bits(piece_bytes, 0, 1)), code{std::byte{0}});
  EXPECT_EQ(encode_array(independent_bits(2 * piece_bytes, 1, 1)), code(2, std::byte{1}));
}

TEST(array_code, random_bytes_are_stored_as_they_are) {
  random_words random(5);
  std::vector<std::byte> bytes(100'000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  auto const coded = encode_array(bytes);
  EXPECT_EQ(kind_of(coded), piece_kind::raw);
  EXPECT_EQ(coded.size(), bytes.size() + 1);
}

// Each piece has its own parameters: a quarter of the array is dense.
TEST(array_code, a_density_that_varies_is_used) {
  auto bits = independent_bits(4 * piece_bytes, 0.01, 7);
  auto const dense = independent_bits(piece_bytes, 0.4, 8);
  std::copy(dense.begin(), dense.end(), bits.begin());
  double entropy = 0;
  for (std::size_t i = 0; i < 4; ++i) entropy += entropy_bytes(std::span(bits).subspan(i * piece_bytes, piece_bytes));
  auto const coded = encode_array(bits);
  EXPECT_LE(static_cast<double>(coded.size()), 1.01 * entropy);
  EXPECT_LT(entropy, 0.75 * entropy_bytes(bits));
  EXPECT_EQ(decoded(coded, bits.size()), bits);
}

/// A small number with a skewed distribution: k with probability 2^-(k+1).
unsigned skewed(random_words& random) { return static_cast<unsigned>(std::countr_zero(random() | 0x80)); }

TEST(array_code, counters_are_coded_by_the_frequencies_of_bytes) {
  random_words random(9);
  std::vector<std::byte> cells(300'000);
  for (auto& cell : cells) cell = static_cast<std::byte>(skewed(random) | skewed(random) << 4);
  auto const coded = encode_array(cells);
  EXPECT_EQ(kind_of(coded), piece_kind::bytes);
  EXPECT_LT(static_cast<double>(coded.size()), 1.02 * 0.5 * static_cast<double>(cells.size()));  // 2 bits a cell: 4 a byte
  EXPECT_EQ(decoded(coded, cells.size()), cells);
}

TEST(array_code, the_bytes_of_wide_counters_have_contexts) {
  random_words random(10);
  std::vector<std::byte> cells(300'001);
  for (std::size_t i = 0; i < cells.size(); i += 4) cells[i] = static_cast<std::byte>(random());  // the lowest of four
  auto const coded = encode_array(cells);
  EXPECT_LT(static_cast<double>(coded.size()), 1.03 * static_cast<double>(cells.size()) / 4);
  EXPECT_EQ(decoded(coded, cells.size()), cells);
}

TEST(array_code, few_changed_bytes_take_their_places_and_values) {
  random_words random(11);
  std::vector<std::byte> bytes(piece_bytes);
  for (int i = 0; i < 1000; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random() | 1);
  auto const coded = encode_array(bytes);
  EXPECT_EQ(kind_of(coded), piece_kind::nonzero);
  EXPECT_LT(static_cast<double>(coded.size()), 1.03 * (binary_entropy(1000.0 / piece_bytes) * piece_bytes + 8000) / 8);
  EXPECT_EQ(decoded(coded, bytes.size()), bytes);
}

TEST(array_code, has_the_same_bytes_with_all_vector_instructions) {
  random_words random(12);
  std::vector<std::byte> cells(50'000);
  for (auto& cell : cells) cell = static_cast<std::byte>(skewed(random) | skewed(random) << 4);
  for (auto const& array :
       {independent_bits(50'000, 0.1, 1), independent_bits(50'017, 0.8, 2), independent_bits(262'144, 0.05, 3), cells}) {
    auto const best = encode_array(array);
    for (auto const target : kernels::targets()) {
      with_target const one(target);
      EXPECT_EQ(encode_array(array), best) << target;
      EXPECT_EQ(decoded(best, array.size()), array) << target;
    }
  }
}

/// Refused, or decoded to something: never anything else.
bool refused(std::span<std::byte const> in, std::size_t bytes) {
  try {
    (void)decoded(in, bytes);
    return false;
  } catch (error const& e) {
    EXPECT_TRUE(e.code() == errc::corrupt || e.code() == errc::unsupported);
    return true;
  }
}

std::vector<std::vector<std::byte>> one_of_each_kind() {
  random_words random(13);
  std::vector<std::byte> cells(3000);
  for (auto& cell : cells) cell = static_cast<std::byte>(skewed(random) | skewed(random) << 4);
  std::vector<std::byte> changed(30'000);
  for (int i = 0; i < 40; ++i) changed[random() % changed.size()] = static_cast<std::byte>(random() | 1);
  return {independent_bits(3000, 0, 1),
          independent_bits(3000, 1, 1),
          independent_bits(3000, 0.5, 1),
          independent_bits(100'000, 0.2, 1),
          independent_bits(3000, 0.02, 1),
          independent_bits(3000, 0.98, 1),
          cells,
          changed};
}

TEST(array_code, every_truncation_and_every_longer_code_is_refused) {
  std::array<bool, message::piece_kinds> seen{};
  for (auto const& array : one_of_each_kind()) {
    auto coded = encode_array(array);
    seen[static_cast<std::size_t>(kind_of(coded))] = true;
    for (std::size_t bytes = 0; bytes < coded.size(); bytes += 1 + bytes / 50)
      EXPECT_TRUE(refused(std::span(coded).first(bytes), array.size()));
    coded.push_back(std::byte{0});
    EXPECT_TRUE(refused(coded, array.size()));
  }
  EXPECT_EQ(seen, (std::array<bool, message::piece_kinds>{true, true, true, true, true, true, true, true}));
}

// A word below all others on the stack: it is never popped.
TEST(array_code, words_that_are_left_over_are_refused) {
  auto gaps = encode_array(independent_bits(3000, 0.02, 1));
  ASSERT_EQ(kind_of(gaps), piece_kind::gaps);
  ASSERT_LT(std::to_integer<unsigned>(gaps[1]) & 0x7f, 126U);
  gaps[1] = static_cast<std::byte>(std::to_integer<unsigned>(gaps[1]) + 2);  // the size, of two bytes
  gaps.insert(gaps.begin() + 9, 2, std::byte{0});                            // behind kind, size, number of ones and a state
  EXPECT_TRUE(refused(gaps, 3000));

  auto classes = encode_array(independent_bits(piece_bytes, 0.3, 1));
  ASSERT_EQ(kind_of(classes), piece_kind::classes);
  std::size_t words = 4;  // behind kind and size of three bytes: the frequencies
  for (int i = 0; i < 8; ++words) i += std::to_integer<unsigned>(classes[words]) < 128 ? 1 : 0;
  words += 124;
  ASSERT_LT(std::to_integer<unsigned>(classes[1]) & 0x7f, 126U);
  classes[1] = static_cast<std::byte>(std::to_integer<unsigned>(classes[1]) + 2);
  classes.insert(classes.begin() + static_cast<std::ptrdiff_t>(words), 2, std::byte{0});
  EXPECT_TRUE(refused(classes, piece_bytes));
}

TEST(array_code, any_changed_byte_is_refused_or_decoded) {
  random_words random(14);
  for (auto const& array : one_of_each_kind()) {
    auto const coded = encode_array(array);
    std::size_t refusals = 0;
    for (int i = 0; i < 1000; ++i) {
      auto changed = coded;
      changed[i < 300 ? static_cast<std::size_t>(i) % coded.size() : random() % coded.size()] =
          static_cast<std::byte>(random());
      for (auto const* const target : {"", "SSE4"}) {
        with_target const one(target);
        refusals += refused(changed, array.size()) ? 1U : 0U;
      }
      (void)refused(changed, array.size() + 1);
      (void)refused(changed, 1);
    }
    EXPECT_TRUE(refusals > 0 || kind_of(coded) == piece_kind::raw);
  }
}

TEST(array_code, skipping_finds_the_end_without_decoding) {
  code all;
  for (auto const& array : one_of_each_kind()) {
    auto const one = encode_array(array);
    all.insert(all.end(), one.begin(), one.end());
  }
  std::span<std::byte const> in(all);
  for (auto const& array : one_of_each_kind()) message::skip_array(in, array.size());
  EXPECT_TRUE(in.empty());
  EXPECT_THROW(message::skip_array(in, 1), error);
  in = std::span(all).first(1);  // a piece of zeros
  EXPECT_THROW(message::skip_array(in, 2 * piece_bytes), error);
}

}  // namespace
}  // namespace hortus::testing
