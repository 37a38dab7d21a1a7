#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/slot_array.hpp>
#include <hortus/digest.hpp>
#include <hortus/fingerprint/cuckoo_kernels.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>
#include <hortus/fingerprint/cuckoo_search.hpp>
#include <hortus/fingerprint/slot_pair.hpp>
#include <hortus/plan/cuckoo.hpp>

namespace hortus {

/// The slots of a cuckoo filter: finds, stores and removes tags.
class cuckoo_slots {
 public:
  static constexpr unsigned ways = 4;

  /// Of a key's four slots: those that hold its tag, and those that are free. Bit i stands for way i.
  struct state {
    unsigned copies;
    unsigned free;
  };

  cuckoo_slots() = default;
  explicit cuckoo_slots(plan::cuckoo_shape shape) : slots_(plan::checked(shape).slots(), shape.slot_bits) { set_up(shape); }

  [[nodiscard]] cuckoo_places places_of(digest x) const noexcept { return cuckoo_places::of(x, map_); }
  /// The fingerprint as one number.
  [[nodiscard]] std::uint64_t number(cuckoo_places const& key) const noexcept { return key.number(map_); }
  [[nodiscard]] bool has_number(std::uint64_t number) const noexcept {
    return number / map_.tags < map_.windows && find(cuckoo_places::numbered(number, map_)).copies != 0;
  }
  /// Is the tag in any of its slots? Reads all four: cache misses overlap, and no branch can be mispredicted.
  [[nodiscard]] bool has(cuckoo_places const& key) const noexcept {
    if (!narrow_) return find(key).copies != 0;
    auto const values = pair_.values(key.tag);
    auto const near = slots_.get_pair(key.window) ^ values;
    auto const far = slots_.get_pair(key.second) ^ values ^ pair_.second_window();
    return (pair_.any_zero(near) | pair_.any_zero(far)) != 0;
  }
  [[nodiscard]] state find(cuckoo_places const& key) const noexcept {
    if (!narrow_) return find_in_wide(key);
    auto const values = pair_.values(key.tag);
    auto const near = slots_.get_pair(key.window), far = slots_.get_pair(key.second);
    return {pair_.which_zeros(near ^ values) | pair_.which_zeros(far ^ values ^ pair_.second_window()) << 2,
            pair_.which_zeros(near) | pair_.which_zeros(far) << 2};
  }
  [[gnu::always_inline]] void prefetch(cuckoo_places const& key) const noexcept {
    slots_.prefetch_pair(key.window);
    slots_.prefetch_pair(key.second);
  }

  /// Prefetches what a search for room for this key reads first: the other windows of the tags in its slots.
  [[gnu::always_inline]] void prefetch_search(cuckoo_places const& key) const noexcept {
    for (unsigned way = 0; way < ways; ++way) {
      auto const value = slots_.get(key.slot(way));
      auto const tag = cuckoo_places::stored(value, key.slot(way), map_);
      slots_.prefetch_pair((value & 2) == 0 ? tag.second : tag.window);
    }
  }

  /// For blocks of keys: bit i is has() of xs[i]. `next` is prefetched. The others find the first free slot, or the first copy,
  /// of each key: cuckoo_kernels.hpp.
  [[nodiscard]] std::uint64_t has(std::span<digest const> xs, std::span<digest const> next) const noexcept {
    if (narrow_) return kernels::in_windows(windows(), xs, next);
    std::uint64_t hits = 0;
    for_each_key(xs, next, [&](std::size_t i, cuckoo_places const& key) { hits |= std::uint64_t{has(key)} << i; });
    return hits;
  }
  void find_free(std::span<digest const> xs, std::span<digest const> next, kernels::slots_of_keys& out) const noexcept {
    if (narrow_) return kernels::find_free(windows(), xs, next, out);
    out.special = 0;
    for_each_key(xs, next, [&](std::size_t i, cuckoo_places const& key) {
      auto const found = find_in_wide(key);
      out.special |= std::uint64_t{found.copies != 0} << i;
      put_first(key, found.free, i, out);
    });
  }
  void find_copy(std::span<digest const> xs, std::span<digest const> next, kernels::slots_of_keys& out) const noexcept {
    if (narrow_) return kernels::find_copy(windows(), xs, next, out);
    out.special = 0;
    for_each_key(xs, next, [&](std::size_t i, cuckoo_places const& key) {
      auto const copies = find_in_wide(key).copies;
      out.special |= std::uint64_t{(copies & (copies - 1)) != 0} << i;
      put_first(key, copies, i, out);
    });
  }

  /// Stores the tag in a free slot of its own, or in one that becomes free when others move. False: there is none, and nothing
  /// changed. A long search takes half a millisecond, and memory for its path.
  bool store(cuckoo_places const& key, state found, bool long_search) {
    if (found.free == 0) return cuckoo_search(slots_, map_).insert(key, long_search ? cuckoo_search::range : 0);
    slots_.put(key.slot(first(found.free)), key.value(first(found.free)));
    return true;
  }
  /// The same for a slot that was found free some inserts ago. False: it is taken by now.
  bool store(std::uint64_t slot, std::uint64_t value) noexcept {
    if (slots_.get(slot) != 0) return false;
    slots_.put(slot, value);
    return true;
  }
  /// Pre: found.copies != 0.
  void remove(cuckoo_places const& key, state found) noexcept { remove(key.slot(first(found.copies))); }
  void remove(std::uint64_t slot) noexcept { slots_.put(slot, 0); }
  /// The same for a slot in which a value was found some erases ago. False: it is gone by now.
  bool remove(std::uint64_t slot, std::uint64_t value) noexcept {
    if (slots_.get(slot) != value) return false;
    remove(slot);
    return true;
  }
  void clear() noexcept { slots_.clear(); }

  /// Calls act(places, way) for every slot in use. A file may hold any value; the places then have slots that exist.
  void for_each(auto act) const {
    for (std::uint64_t slot = 0; slot < slots_.size(); ++slot)
      if (auto const value = slots_.get(slot); value != 0)
        act(cuckoo_places::stored(value, slot, map_), static_cast<unsigned>(value) % ways);
  }
  static unsigned first(unsigned some_ways) noexcept { return static_cast<unsigned>(std::countr_zero(some_ways)); }

  [[nodiscard]] plan::cuckoo_shape shape() const noexcept { return {map_.windows, slots_.width()}; }
  [[nodiscard]] std::uint64_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return slots_.cells(); }
  bool operator==(cuckoo_slots const& other) const noexcept { return slots_ == other.slots_; }

  static void fields(cuckoo_slots const& self, auto& out) { out(self.map_.windows, self.slots_); }
  static void fields(cuckoo_slots& self, auto& in) {
    in(self.map_.windows, self.slots_);
    if (self.valid()) self.set_up(self.shape());
  }
  [[nodiscard]] bool valid() const noexcept { return slots_.valid() && shape().possible() && slots_.size() == shape().slots(); }

 private:
  void set_up(plan::cuckoo_shape shape) noexcept {
    map_ = cuckoo_map(shape);
    narrow_ = slots_.width() <= slot_array::pair_width;
    if (narrow_) pair_ = slot_pair(slots_.width());
  }
  [[nodiscard]] kernels::cuckoo_windows windows() const noexcept { return {slots_.cells().data(), map_, slots_.width()}; }
  static void put_first(cuckoo_places const& key, unsigned some_ways, std::size_t i, kernels::slots_of_keys& out) noexcept {
    out.slot[i] = some_ways == 0 ? 0 : key.slot(first(some_ways));
    out.value[i] = some_ways == 0 ? 0 : key.value(first(some_ways));
  }
  void for_each_key(std::span<digest const> xs, std::span<digest const> next, auto act) const noexcept {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch(places_of(next[i]));
      act(i, places_of(xs[i]));
    }
  }
  [[nodiscard]] state find_in_wide(cuckoo_places const& key) const noexcept {
    state found{0, 0};
    for (unsigned way = 0; way < ways; ++way) {
      auto const value = slots_.get(key.slot(way));
      found.copies |= unsigned{value == key.value(way)} << way;
      found.free |= unsigned{value == 0} << way;
    }
    return found;
  }

  cuckoo_map map_;
  slot_array slots_;
  bool narrow_ = false;  // two neighbouring slots are read together
  slot_pair pair_;       // and compared by this
};

}  // namespace hortus
