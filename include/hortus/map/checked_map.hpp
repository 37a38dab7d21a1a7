#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/concepts.hpp>

namespace hortus {

/// A map that changes: put() of an absent key, assign() and erase() of one that is there.
template <class Map>
concept changing_map = family<Map> && requires(Map& m, Map const& c, digest x, std::uint64_t value) {
  { m.put(x, value) } -> std::same_as<bool>;
  { m.assign(x, value) } -> std::same_as<bool>;
  { m.erase(x) } -> std::same_as<bool>;
  { c.find(x) } -> std::same_as<std::optional<std::uint64_t>>;
};

/// A map that cannot be damaged by misuse, for callers who cannot be sure which keys are there. It keeps the digests of all
/// keys beside the map. put() of a key that is there, and assign() and erase() of one that is not, are refused.
///
/// That costs 20 to 30 bytes a key, and members are then known exactly (but for equal 64-bit digests). It is for tests, for
/// finding the caller that misuses a map, and for a map that is filled in one process and sent to others: map() is the map
/// alone.
template <changing_map Map>
class checked_map {
 public:
  /// The map must be empty: nobody knows which keys are there.
  explicit checked_map(Map map) : map_(std::move(map)) {
    if (map_.size() != 0)
      throw error(errc::bad_params, "a map that has keys already cannot be checked: put them through checked_map");
  }

  /// False: the key is there already, or there is no room; nothing changed. Throws std::bad_alloc, and changes nothing, without
  /// memory.
  [[nodiscard]] bool put(digest x, std::uint64_t value) {
    if (contains(x)) return refuse();
    keys_.add(x.bits());
    try {
      if (map_.put(x, value)) return true;
    } catch (...) {
      keys_.take(x.bits());
      throw;
    }
    keys_.take(x.bits());
    return false;
  }
  /// False: the key is not there; nothing changed.
  bool assign(digest x, std::uint64_t value) { return contains(x) ? map_.assign(x, value) : refuse(); }
  bool erase(digest x) noexcept {
    if (!keys_.take(x.bits())) return refuse();
    return map_.erase(x);
  }
  /// Exact, where the map itself gives values to some absent keys.
  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const { return contains(x) ? map_.find(x) : std::nullopt; }
  [[nodiscard]] bool contains(digest x) const noexcept { return keys_.count(x.bits()) != 0; }

  /// The number of calls that were refused because of a key that was there, or was not.
  [[nodiscard]] std::uint64_t misuses() const noexcept { return misuses_; }
  [[nodiscard]] Map const& map() const noexcept { return map_; }
  /// Bytes of the map and of the digests beside it.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return map_.size_bytes() + keys_.size_bytes(); }

 private:
  bool refuse() noexcept {
    ++misuses_;
    return false;
  }

  Map map_;
  extra_copies keys_;  // a copy of each digest
  std::uint64_t misuses_ = 0;
};

template <class Map>
checked_map(Map) -> checked_map<Map>;

}  // namespace hortus
