#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/slot_array.hpp>
#include <hortus/digest.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>
#include <hortus/fingerprint/cuckoo_search.hpp>
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
    auto const values = values_of(key);
    auto const near = slots_.get_pair(key.window) ^ values;
    auto const far = slots_.get_pair(key.second) ^ values ^ second_window_;
    return ((near & first_) == 0) | ((near & second_) == 0) | ((far & first_) == 0) | ((far & second_) == 0);
  }
  [[nodiscard]] state find(cuckoo_places const& key) const noexcept {
    if (!narrow_) return find_in_wide(key);
    auto const values = values_of(key);
    auto const near = slots_.get_pair(key.window), far = slots_.get_pair(key.second);
    return {zeros(near ^ values) | zeros(far ^ values ^ second_window_) << 2, zeros(near) | zeros(far) << 2};
  }
  [[gnu::always_inline]] void prefetch(cuckoo_places const& key) const noexcept {
    slots_.prefetch_pair(key.window);
    slots_.prefetch_pair(key.second);
  }

  /// Stores the tag in a free slot of its own, or in one that becomes free when others move. False: there is none, and nothing
  /// changed. A long search takes half a millisecond, and memory for its path.
  bool store(cuckoo_places const& key, state found, bool long_search) {
    if (found.free == 0) return cuckoo_search(slots_, map_).insert(key, long_search ? cuckoo_search::range : 0);
    slots_.put(key.slot(first(found.free)), key.value(first(found.free)));
    return true;
  }
  /// Pre: found.copies != 0.
  void remove(cuckoo_places const& key, state found) noexcept { slots_.put(key.slot(first(found.copies)), 0); }
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
    if (!narrow_) return;
    both_ = (std::uint64_t{1} << slots_.width()) + 1;
    first_ = slots_.max();
    second_ = slots_.max() << slots_.width();
    second_window_ = 2 * both_;
  }
  /// The values that the tag has in the two slots of its first window, as get_pair() would return them.
  [[nodiscard]] std::uint64_t values_of(cuckoo_places const& key) const noexcept { return key.value(0) * both_ + (both_ - 1); }
  /// Bit 0: the first slot of a pair is 0. Bit 1: the second one is.
  [[nodiscard]] unsigned zeros(std::uint64_t pair) const noexcept {
    return unsigned{(pair & first_) == 0} | unsigned{(pair & second_) == 0} << 1;
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
  bool narrow_ = false;              // two neighbouring slots are read together
  std::uint64_t both_ = 0;           // these four are for pairs: a value times both_ is in both slots
  std::uint64_t first_ = 0;          // the bits of the first slot
  std::uint64_t second_ = 0;         // the bits of the second slot
  std::uint64_t second_window_ = 0;  // how the values of a tag in its second window differ from those in its first
};

}  // namespace hortus
