#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <hortus/concepts.hpp>

namespace hortus {

/// A filter that can be a stage: it takes every key, and insert_if_new says whether a key is new.
template <class F>
concept stage_layer = noticing<F> && membership<F> && makeable<F> && storable<F> && std::equality_comparable<F> &&
    requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<void>;
};

/// Do stages of this Layer find different absent keys? A Layer for which that holds declares `static constexpr bool
/// stages_disjoint = true`: see plan::disjoint_fpr. Stages of others find them independently.
template <class Layer>
inline constexpr bool stages_disjoint = [] {
  if constexpr (requires { Layer::stages_disjoint; })
    return bool{Layer::stages_disjoint};
  else
    return false;
}();

/// The type of a layer's counts; std::uint64_t if it does not count.
template <class Layer>
struct count_of_layer {
  using type = std::uint64_t;
};
template <countable Layer>
struct count_of_layer<Layer> {
  using type = count_type<Layer>;
};

/// A file has at most 256 sections, and a layer uses up to four. The last stage takes all further keys.
inline constexpr std::size_t max_stages = 64;

/// One stage of a growing filter: a filter, the number of keys it is planned for, and the number it has taken.
template <stage_layer Layer>
struct stage {
  static constexpr bool erases = erasable<Layer>;

  Layer filter;
  std::uint64_t capacity = 0;
  std::uint64_t keys = 0;    // distinct keys that it has taken
  std::uint64_t copies = 0;  // inserts minus erases, where the Layer erases
  bool operator==(stage const&) const = default;

  /// Both numbers stop here. A file may claim this many, and one more must not overflow.
  static constexpr std::uint64_t most = ~std::uint64_t{0} >> 1;
  void note(std::uint64_t new_keys, std::uint64_t inserts) noexcept {
    keys = std::min(keys + new_keys, most);
    if constexpr (erases) copies = std::min(copies + inserts, most);
  }
  void insert(digest x) {
    filter.insert(x);
    note(0, 1);
  }
  void insert_new(digest x) {
    filter.insert(x);
    note(1, 1);
  }
  /// `keys` is approximate: a false positive is not counted as a new key when it is inserted, and as often it is not
  /// subtracted when it is erased. It never exceeds `copies`.
  bool erase(digest x) noexcept {
    if (!filter.erase(x)) return false;
    if (copies != 0) --copies;  // 0 only by misuse
    if (keys != 0 && !filter.may_contain(x)) --keys;
    keys = std::min(keys, copies);
    return true;
  }

  static void fields(auto& self, auto& io) {
    io(self.capacity, self.keys);
    if constexpr (erases) io(self.copies);
    io(self.filter);
  }
};

}  // namespace hortus
