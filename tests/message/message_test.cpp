// Messages: every family comes back as the same file, and what is no message is refused without taking memory.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <hortus/any/any_message.hpp>
#include <hortus/bloom/bloom.hpp>

#include "io/allocations.hpp"
#include "io/parts.hpp"
#include "io/scratch_folder.hpp"
#include "message/array_bits.hpp"

namespace hortus::testing {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = from + i;
  return keys;
}

bloom_filter shaped(std::uint64_t bits, unsigned probes) { return bloom_filter(bloom<>({.bits = bits, .probes = probes})); }

any_filter filter_of(family_info const& family, std::vector<std::uint64_t> const& keys) {
  request const wish{.items = 3000, .fpr = 0.01, .settings = {}};
  if (family.has(verb::build)) return build_filter(family.name, keys, wish);
  auto filter = make_filter(family.name, wish);
  (void)filter.insert(keys);
  return filter;
}

std::vector<std::byte> contents_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto const bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class Act>
std::optional<errc> refusal(Act act) {
  try {
    act();
    return std::nullopt;
  } catch (error const& e) {
    return e.code();
  }
}

TEST(message, every_family_comes_back_as_the_same_file) {
  for (auto const& family : catalogue())
    for (std::uint64_t const items : {0U, 1U, 300U, 3000U}) {
      auto const filter = filter_of(family, numbers(0, items));
      auto const message = pack(filter);
      EXPECT_EQ(to_bytes(unpack(message)), to_bytes(filter)) << family.name << " of " << items;
      EXPECT_LE(message.size(), to_bytes(filter).size()) << family.name << " of " << items;
    }
}

TEST(message, every_family_comes_back_from_a_change) {
  for (auto const& family : catalogue()) {
    auto const before = filter_of(family, numbers(0, 2000));
    for (auto const& [from, count] : {std::pair<std::uint64_t, std::uint64_t>{0, 2000}, {0, 2010}, {10, 2000}, {0, 0}}) {
      auto const after = filter_of(family, numbers(from, count));
      auto const change = pack(after, before);
      EXPECT_EQ(to_bytes(unpack<any_filter>(change, before)), to_bytes(after)) << family.name;
      if (to_bytes(before) == to_bytes(after)) continue;
      EXPECT_EQ(refusal([&] { (void)unpack<any_filter>(change, after); }), errc::incompatible) << family.name;
    }
  }
}

TEST(message, golden_files_come_back) {
  std::size_t files = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(HORTUS_SOURCE_DIR "/tests/golden/v1")) {
    if (entry.path().extension() != ".hortus") continue;
    auto const file = contents_of(entry.path());
    EXPECT_EQ(to_bytes(unpack(pack(from_bytes(file)))), file) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 100U);
}

TEST(message, has_the_length_of_its_entropy) {
  auto filter = shaped(14 * 100'000, 2);
  filter.insert(numbers(0, 100'000));
  double const entropy = 1.4e6 * binary_entropy(std::exp(-1 / 7.0));
  EXPECT_NEAR(8.0 * static_cast<double>(pack(filter).size()), entropy, 0.01 * entropy);
  EXPECT_LT(pack(bloom_filter({.items = 1'000'000, .fpr = 0.01})).size(), 120U);  // empty: its header
}

TEST(message, goes_through_files_and_results) {
  scratch_folder const folder;
  auto const path = folder / "seen.message";
  bloom_filter seen({.items = 1000, .fpr = 0.01});
  seen.insert("ada");
  save_packed(seen, path);
  EXPECT_EQ(load_packed<bloom_filter>(path), seen);
  EXPECT_EQ(to_bytes(load_packed(path)), to_bytes(seen));
  EXPECT_EQ(*try_unpack<bloom_filter>(pack(seen)), seen);
  auto later = seen;
  later.insert("grace");
  save_packed(later, seen, path);
  EXPECT_EQ(load_packed<bloom_filter>(path, seen), later);
  EXPECT_EQ(*try_unpack<bloom_filter>(contents_of(path), seen), later);
  EXPECT_EQ(try_unpack(contents_of(path)).code(), errc::incompatible);
  EXPECT_EQ(refusal([&] { (void)load_packed(folder / "nothing"); }), errc::io);
  save(seen, path);
  EXPECT_EQ(refusal([&] { (void)load_packed(path); }), errc::corrupt);  // a file is no message
  EXPECT_EQ(refusal([&] { (void)from_bytes(pack(seen)); }), errc::corrupt);
}

TEST(message, a_secret_key_stays_secret_and_is_checked) {
  std::array<std::byte, secret_key::size> bytes{};
  secret_key const wrong(bytes);
  bytes[3] = std::byte{1};
  secret_key const right(bytes);
  of_keys<bloom<>, siphash24> filter({.items = 100, .fpr = 0.01}, siphash24(right));
  filter.insert("ada");
  auto const message = pack(filter);
  EXPECT_TRUE((unpack<of_keys<bloom<>, siphash24>>(message, {.key = right}).may_contain("ada")));
  EXPECT_EQ(refusal([&] { (void)unpack<of_keys<bloom<>, siphash24>>(message, {.key = wrong}); }), errc::wrong_key);
  EXPECT_EQ(refusal([&] { (void)unpack<bloom_filter>(message); }).has_value(), true);
}

// -- what is refused ----------------------------------------------------------------------------------------------------------

/// Makes the checksum right again, and with `size` what the message says of its length.
void sign_message(std::vector<std::byte>& message, bool size = true) {
  if (message.size() < 48) return;
  if (size) put(std::span(message), 16, std::uint64_t{message.size()});
  put(std::span(message), message.size() - 8, xxh3_of(std::span(message).first(message.size() - 8)));
}

std::vector<std::byte> small_message() {
  bloom_filter filter({.items = 3000, .fpr = 0.01});
  filter.insert(numbers(0, 300));
  return pack(filter);
}

TEST(message, every_damage_is_refused) {
  auto const message = small_message();
  for (std::size_t i = 0; i < message.size(); ++i) {
    EXPECT_TRUE(refusal([&] { (void)unpack(std::span(message).first(i)); }) == errc::corrupt);
    auto damaged = message;
    damaged[i] ^= std::byte{1} << i % 8;
    EXPECT_TRUE(refusal([&] { (void)unpack(damaged); }).has_value()) << i;
  }
  auto longer = message;
  longer.push_back(std::byte{0});
  EXPECT_EQ(refusal([&] { (void)unpack(longer); }), errc::corrupt);
}

TEST(message, a_forged_message_is_refused_or_valid) {
  auto const message = small_message();
  random_words random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto forged = message;
    for (std::uint64_t changes = 1 + random() % 3; changes != 0; --changes)
      forged[i % 2 == 0 ? 40 + random() % 60 : random() % forged.size()] = static_cast<std::byte>(random());
    if (i % 5 == 0) forged.resize(random() % forged.size());
    sign_message(forged);
    (void)refusal([&] { EXPECT_EQ(to_bytes(unpack(forged)), to_bytes(unpack(message))); });  // the identity would not match
  }
}

/// A message of one empty section of that size, with `pieces` bytes of codes.
std::vector<std::byte> claiming(std::uint64_t bytes, std::size_t pieces) {
  auto const empty = shaped(64, 1);
  auto message = pack(empty);
  message.resize(message.size() - 8 - 2);  // the checksum, the piece and the size of the section, 8
  for (; bytes >= 0x80; bytes >>= 7) message.push_back(static_cast<std::byte>(bytes | 0x80));
  message.push_back(static_cast<std::byte>(bytes));
  message.resize(message.size() + pieces + 8);
  sign_message(message);
  return message;
}

TEST(message, a_size_that_the_message_does_not_have_takes_no_memory) {
  EXPECT_EQ(refusal([&] { (void)unpack(claiming(8, 1)); }), std::nullopt);  // as the filter says
  for (auto const bytes :
       {std::uint64_t{9}, std::uint64_t{1} << 30, std::uint64_t{1} << 40, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    auto const message = claiming(bytes, 1);
    auto const taken = peak_of([&] { EXPECT_EQ(refusal([&] { (void)unpack(message); }), errc::corrupt); });
    EXPECT_LT(taken, 1U << 20) << bytes;
  }
  auto const bomb = claiming(std::uint64_t{1} << 30, 4096);  // a byte for each piece: 1 GiB of 4 KiB
  auto const taken = peak_of([&] { EXPECT_EQ(refusal([&] { (void)unpack(bomb); }), errc::too_large); });
  EXPECT_LT(taken, 1U << 20);
}

TEST(message, a_large_almost_empty_filter_needs_a_limit_that_allows_it) {
  auto large = shaped(std::uint64_t{1} << 30, 5);
  large.insert(numbers(0, 10));
  auto const message = pack(large);
  EXPECT_LT(message.size(), 2048U);  // 128 MiB
  EXPECT_EQ(refusal([&] { (void)unpack(message); }), errc::too_large);
  EXPECT_EQ(unpack<bloom_filter>(message, {.most_bytes = std::uint64_t{128} << 20}), large);
  EXPECT_EQ(refusal([&] { (void)unpack(message, {.most_bytes = (std::uint64_t{128} << 20) - 1}); }), errc::too_large);
  auto more = large;
  more.insert(numbers(10, 1));
  EXPECT_EQ(unpack<bloom_filter>(pack(more, large), large), more);  // a change may be as large as what it changes
}

TEST(message, a_version_of_the_future_says_so) {
  auto message = small_message();
  put(std::span(message), 8, std::uint32_t{2});
  EXPECT_EQ(refusal([&] { (void)unpack(message); }), errc::unsupported);
}

}  // namespace
}  // namespace hortus::testing
