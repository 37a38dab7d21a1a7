#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>
#include <hortus/error.hpp>
#include <hortus/hash/keys.hpp>

/// Batches of keys: keys are hashed block by block, then handled as in batch.hpp. The answers go into a new object, or into
/// the caller's memory; then nothing is allocated.
namespace hortus {

/// A batch of keys: a range whose elements are keys and that is not itself a key (a string is one key, not many).
template <class Keys>
concept key_range =
    std::ranges::input_range<Keys const> && !digestible<Keys> && digestible<std::ranges::range_value_t<Keys const>>;

/// A batch whose size is known, so that the room for the answers can be checked before the first key.
template <class Keys>
concept sized_key_range = key_range<Keys> && std::ranges::sized_range<Keys const>;

/// Contiguous digests, of any kind: they are used in place, without a copy.
template <class Keys>
concept digest_row = std::ranges::contiguous_range<Keys const> && std::ranges::sized_range<Keys const> &&
    std::derived_from<std::ranges::range_value_t<Keys const>, digest>;

template <digest_row Keys>
[[nodiscard]] std::span<digest const> digests_in(Keys const& keys) noexcept {
  digest const* const first = std::ranges::data(keys);
  return {first, static_cast<std::size_t>(std::ranges::size(keys))};
}

template <sized_key_range Keys>
[[nodiscard]] std::size_t number_of(Keys const& keys) {
  return static_cast<std::size_t>(std::ranges::size(keys));
}

/// Calls act(block, next) for one block of digests after another; see in_blocks in batch.hpp.
template <access For, family F, key_hash Hash, key_range Keys>
void in_key_blocks(F const& f, Hash const& hash, Keys const& keys, auto act) {
  if constexpr (digest_row<Keys>) {
    in_blocks<For>(f, digests_in(keys), act);
  } else {
    auto key = std::ranges::begin(keys);
    auto const end = std::ranges::end(keys);
    auto const fill = [&](std::span<digest> space) { return digests_of(hash, key, end, space); };
    if constexpr (kind_of<std::ranges::range_value_t<Keys const>> == key_kind::bytes)
      in_blocks_hashed_slowly<For>(f, fill, act);
    else
      in_blocks<For>(f, fill, act);
  }
}

/// Throws errc::bad_params if the answers for `keys` keys do not fit.
inline void check_room(std::size_t keys, std::size_t has, std::size_t needs, char const* of_what) {
  if (has < needs)
    throw error(errc::bad_params, "the answers to " + std::to_string(keys) + " keys take " + std::to_string(needs) + " " +
                                      of_what + ", and there is room for " + std::to_string(has));
}

/// Lookups of fewer keys than these are made one by one: to prepare blocks of keys would take longer.
inline constexpr std::size_t fewest_in_blocks = 16;

/// The answers for fewer than 64 keys, one bit a key.
template <membership F, key_hash Hash, key_range Keys>
[[nodiscard]] std::uint64_t answers_one_by_one(F const& f, Hash const& hash, Keys const& keys) {
  std::uint64_t answers = 0;
  unsigned i = 0;
  for (auto const& key : keys) answers |= std::uint64_t{f.may_contain(digest_of(hash, key))} << i++;
  return answers;
}

/// Writes answers of one bit a key into the words at `hits`: answer(block, next, words) writes those of a block.
template <access For, family F, key_hash Hash, sized_key_range Keys>
void mask_into(F const& f, Hash const& hash, Keys const& keys, std::span<std::uint64_t> hits, auto answer) {
  check_room(number_of(keys), hits.size(), mask_words(number_of(keys)), "words of 64 bits");
  auto* words = hits.data();
  if constexpr (For == access::lookup && membership<F>)
    if (number_of(keys) < fewest_in_blocks) {
      if (number_of(keys) != 0) *words = answers_one_by_one(f, hash, keys);
      return;
    }
  in_key_blocks<For>(f, hash, keys, [&](auto block, auto next) {
    answer(block, next, words);
    words += mask_words(block.size());
  });
}

/// The same into a mask that grows with the batch, for batches whose length is not known in advance.
template <access For, family F, key_hash Hash, key_range Keys>
[[nodiscard]] bitmask mask_of(F const& f, Hash const& hash, Keys const& keys, auto answer) {
  bitmask hits;
  if constexpr (sized_key_range<Keys>) hits.resize(number_of(keys));
  if constexpr (For == access::lookup && membership<F> && sized_key_range<Keys>)
    if (number_of(keys) < fewest_in_blocks) {
      if (number_of(keys) != 0) *hits.data() = answers_one_by_one(f, hash, keys);
      return hits;
    }
  std::size_t done = 0;
  in_key_blocks<For>(f, hash, keys, [&](auto block, auto next) {
    if (hits.size() < done + block.size()) hits.resize(done + block.size());
    answer(block, next, hits.data() + done / 64);
    done += block.size();
  });
  return hits;
}

/// Writes the positions in `keys` of those that may be members, ascending, to the front of `positions`; returns their number.
template <membership F, key_hash Hash, sized_key_range Keys>
std::size_t select_into(F const& f, Hash const& hash, Keys const& keys, std::span<std::uint32_t> positions) {
  auto const count = number_of(keys);
  check_room(count, positions.size(), count, "positions (of which those of members are kept)");
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw error(errc::bad_params, "positions of 32 bits number 2^32 - 1 keys, not " + std::to_string(count));
  std::array<std::uint64_t, block_keys<F> / 64> hits;
  std::size_t done = 0;
  std::size_t found = 0;
  in_key_blocks<access::lookup>(f, hash, keys, [&](auto block, auto next) {
    may_contain_block(f, block, next, hits.data());
    found += positions_of(hits.data(), block.size(), static_cast<std::uint32_t>(done), positions.data() + found);
    done += block.size();
  });
  return found;
}

/// The values of a batch of keys, and which keys have one.
struct found_values {
  std::vector<std::uint64_t> values;  ///< 0 where there is none
  bitmask hits;

  [[nodiscard]] std::size_t size() const noexcept { return values.size(); }
  [[nodiscard]] std::optional<std::uint64_t> operator[](std::size_t i) const noexcept {
    return hits[i] ? std::optional(values[i]) : std::nullopt;
  }
};

/// Writes the values of the keys, and into the bits of `hits` which of them have one.
template <finding F, key_hash Hash, sized_key_range Keys>
void values_into(F const& f, Hash const& hash, Keys const& keys, std::span<std::uint64_t> values,
                 std::span<std::uint64_t> hits) {
  check_room(number_of(keys), values.size(), number_of(keys), "values");
  check_room(number_of(keys), hits.size(), mask_words(number_of(keys)), "words of 64 bits");
  auto* to = values.data();
  auto* words = hits.data();
  in_key_blocks<access::lookup>(f, hash, keys, [&](auto block, auto next) {
    find_block(f, block, next, to, words);
    to += block.size();
    words += mask_words(block.size());
  });
}

template <countable F, key_hash Hash, sized_key_range Keys>
void counts_into(F const& f, Hash const& hash, Keys const& keys, std::span<count_type<F>> counts) {
  check_room(number_of(keys), counts.size(), number_of(keys), "counts");
  auto* to = counts.data();
  in_key_blocks<access::count>(f, hash, keys, [&](auto block, auto next) {
    count_block(f, block, next, to);
    to += block.size();
  });
}

template <countable F, key_hash Hash, key_range Keys>
[[nodiscard]] std::vector<count_type<F>> counts_of(F const& f, Hash const& hash, Keys const& keys) {
  std::vector<count_type<F>> counts;
  if constexpr (sized_key_range<Keys>) counts.reserve(number_of(keys));
  in_key_blocks<access::count>(f, hash, keys, [&](auto block, auto next) {
    auto const done = counts.size();
    counts.resize(done + block.size());
    count_block(f, block, next, counts.data() + done);
  });
  return counts;
}

}  // namespace hortus
