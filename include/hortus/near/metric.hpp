#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/mix_kernel.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/plan/distance_sensitive.hpp>

/// A metric is a policy: which keys it takes, and one family of locality-sensitive hashes. A word drawn at random chooses a
/// hash of the family. The hashes of two keys at distance d (a share from 0 to 1) are equal with probability 1 - d, over the
/// draws. Samples drawn independently are therefore all equal with probability (1 - d)^samples, from which a filter is planned.
namespace hortus {

template <class M>
concept metric = std::regular<M> && requires(M const& m) {
  { M::name } -> std::convertible_to<std::string_view>;  // "hamming": its name at the command line
  { m.id() } -> std::same_as<std::uint64_t>;             // its number in files
  { m.valid() } -> std::same_as<bool>;
  { m.dimension_unit() } -> std::same_as<std::string_view>;  // "bits"
  { m.most_dimension() } -> std::same_as<std::uint64_t>;     // 0: keys have none
};

/// A key of the metric, looked at once for all its hashes: prepared(key, hash). It may refer to the key.
template <class M, class Key>
concept key_of_metric = metric<M> && requires(M const& m, Key const& key, default_hash const& hash, std::uint64_t draw) {
  { m.prepared(key, hash).sample(draw) } -> std::same_as<std::uint64_t>;  // the hash that `draw` chooses
  { m.prepared(key, hash).dimension() } -> std::same_as<std::uint64_t>;   // at least 1; 0 if keys have none
};

/// act(words, first) for mix64(word ^ draw) of all words, in blocks, each beginning at number `first`. By vector instructions.
void in_mixed_blocks(std::span<std::uint64_t const> words, std::uint64_t draw, auto act) {
  std::array<digest, 256> mixed;
  for (std::size_t first = 0; first < words.size(); first += mixed.size()) {
    auto const block = words.subspan(first, std::min(mixed.size(), words.size() - first));
    kernels::mix64_each(block, draw, mixed.data());
    act(as_words(std::span(mixed).first(block.size())), first);
  }
}

/// The digests of a key, one for each array: that of its samples, and of the number of the array. Draws come from the hash of
/// the filter, so that its seed, or its secret key, decides what is sampled.
template <class Prepared, key_hash Hash>
void locality_digests(Prepared const& key, Hash const& hash, unsigned samples, std::span<digest> row) {
  std::byte bytes[8 * (plan::max_samples + 1)];
  auto const put = [&](std::size_t at, std::uint64_t word) {
    auto const eight = little_endian_bytes(word);
    std::memcpy(bytes + 8 * at, eight.data(), eight.size());
  };
  for (std::size_t array = 0; array < row.size(); ++array) {
    put(0, array);
    for (std::size_t i = 0; i < samples; ++i) put(i + 1, key.sample(hash.of_integer(array * samples + i).bits()));
    row[array] = hash.of_bytes({bytes, 8 * (samples + std::size_t{1})});
  }
}

}  // namespace hortus
