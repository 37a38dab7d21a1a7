#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/hash/mix64.hpp>

/// How the golden files were made: the first cases for every family. A case never changes once its files are committed; new
/// ones are added at the end.
namespace hortus::testing {

enum class golden_keys { none, text, integers, digests };

struct golden_case {
  std::string name;
  std::uint64_t items_planned;
  any_hash hash;
  golden_keys kind;
  std::uint64_t count;                           ///< keys 0 ... count - 1 are members
  std::optional<secret_key> key = std::nullopt;  ///< the secret key of the hash
  std::uint64_t most_times = 1;                  ///< key i is inserted 1 + i % most_times times
  double fpr = 0.01;

  [[nodiscard]] std::uint64_t times(std::uint64_t i) const { return 1 + i % most_times; }
  [[nodiscard]] std::uint64_t inserts() const {
    std::uint64_t all = 0;
    for (std::uint64_t i = 0; i < count; ++i) all += times(i);
    return all;
  }
};

/// 00 01 02 ... 0f. A real key is random and secret.
inline secret_key golden_secret() {
  std::array<std::byte, secret_key::size> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return secret_key(bytes);
}

/// Families see digests, whatever the hash is. So other hashes are pinned for one family of each way from keys to a family:
/// keys are inserted, are kept with their digests, or are what it is built of, with values.
inline bool has_every_hash(std::string_view family) {
  return family == "bloom" || family == "space_saving" || family == "bloomier_map";
}

inline std::vector<golden_case> golden_cases(std::string_view family) {
  std::vector<golden_case> cases{
      {"empty", 1000, xxh3(), golden_keys::none, 0},         {"one_key", 1, xxh3(), golden_keys::text, 1},
      {"text", 1000, xxh3(), golden_keys::text, 1000},       {"integers", 1000, xxh3(), golden_keys::integers, 1000},
      {"digests", 1000, xxh3(), golden_keys::digests, 1000},
  };
  if (has_every_hash(family)) {
    auto const key = golden_secret();
    cases.insert(cases.end(), {
                                  {"seeded_text", 1000, xxh3(0x5eed), golden_keys::text, 1000},
                                  {"seeded_integers", 1000, xxh3(0x5eed), golden_keys::integers, 1000},
                                  {"xxh64_text", 1000, xxh64(7), golden_keys::text, 1000},
                                  {"xxh64_integers", 1000, xxh64(), golden_keys::integers, 1000},
                                  {"siphash13_text", 1000, siphash(key), golden_keys::text, 1000, key},
                                  {"siphash13_integers", 1000, siphash(key), golden_keys::integers, 1000, key},
                                  {"siphash24_text", 1000, siphash24(key), golden_keys::text, 1000, key},
                              });
  }
  // The division of a file into chunks does not depend on the family: one large file is enough.
  if (family == "bloom") cases.push_back({"two_chunks", 880'000, xxh3(), golden_keys::text, 1000});
  // Families built from counts have parts that keys which occur once do not reach.
  if (auto const& f = family_named(family); f.has(verb::build) && f.has(verb::count))
    cases.push_back({"repeated", 1000, xxh3(), golden_keys::text, 1000, std::nullopt, 20});
  // Larger levels for keys that come again were planned later: the cases above have the first sizes.
  if (family == "bitwise") cases.push_back({"up_to_three_times", 1000, xxh3(), golden_keys::text, 1000, std::nullopt, 3});
  // Copies beyond the third are not in the slots. There are slots for three of each key.
  if (family == "quotient") cases.push_back({"repeated", 4000, xxh3(), golden_keys::text, 1000, std::nullopt, 20});
  // A thousand keys have three slots each, in three segments; these have four, in 35 segments, and some are bumped.
  if (family == "binary_fuse") cases.push_back({"four_slots", 3000, xxh3(), golden_keys::text, 3000});
  // At a rate above 2^-4 rows have 128 slots. This one has two layers, and blocks with a column more.
  if (family == "ribbon") cases.push_back({"long_rows", 8000, xxh3(), golden_keys::text, 8000, std::nullopt, 1, 0.3});
  // Families that grow have parts that the planned number of keys does not reach.
  if (family_named(family).grows) cases.push_back({"grown", 100, xxh3(), golden_keys::text, 1000});
  // What keeps some of its keys only has those that come often, and their bytes.
  if (family_named(family).has(verb::top))
    cases.push_back({"repeated", 1000, xxh3(), golden_keys::text, 1000, std::nullopt, 20});
  // What counts distinct keys has tokens of a thousand, and registers of more.
  if (family_named(family).answers() == question::how_many) cases.push_back({"many", 1000, xxh3(), golden_keys::text, 5000});
  return cases;
}

/// The number of keys for which the case is planned: fewer for a family whose file would be large.
inline std::uint64_t golden_items(std::string_view family, golden_case const& c) {
  auto items = c.items_planned;
  auto const bytes = [&] { return family_named(family).plan({.items = items, .fpr = c.fpr, .settings = {}}).size_bytes; };
  while (bytes() > (family == "bloom" ? 8 * chunk_bytes : 50'000)) items /= 2;
  return items;
}

/// act(key number i), of the kind the case has: "key 17", 17 + 2^33, a digest.
template <class Act>
decltype(auto) with_golden_key(golden_keys kind, std::uint64_t i, Act act) {
  switch (kind) {
    case golden_keys::integers:
      return act(i + (std::uint64_t{1} << 33));
    case golden_keys::digests:
      return act(digest(mix64(i + golden_ratio64)));
    default:
      return act("key " + std::to_string(i));
  }
}

/// act(vector of all members of the case, each as often as it is inserted).
template <class Act>
decltype(auto) with_golden_keys(golden_case const& c, Act act) {
  return with_golden_key(c.kind, 0, [&]<class Key>(Key const&) {
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i < c.count; ++i)
      with_golden_key(c.kind, i, [&](auto const& key) {
        if constexpr (std::same_as<Key, std::remove_cvref_t<decltype(key)>>) keys.insert(keys.end(), c.times(i), key);
      });
    return act(keys);
  });
}

/// The values of keys 0, 1, 2 ... in maps, of 10 bits.
inline std::uint64_t golden_value(std::uint64_t i) { return mix64(i) % 1000; }
/// For maps whose values have 8 bits, and are not 0.
inline std::uint64_t golden_small_value(std::uint64_t i) { return 1 + golden_value(i) % 255; }
inline std::vector<std::uint64_t> golden_values(std::uint64_t count) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = golden_value(i);
  return values;
}

inline constexpr std::uint64_t golden_probes = 10'000;  ///< number of absent keys that are looked up, from 1'000'000 on

}  // namespace hortus::testing
