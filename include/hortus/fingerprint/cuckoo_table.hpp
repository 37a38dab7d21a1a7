#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/fingerprint/cuckoo_kernels.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>
#include <hortus/fingerprint/cuckoo_slots.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/plan/cuckoo.hpp>

namespace hortus {

/// The contents of a cuckoo filter: its slots, how many of them are in use, and further copies of fingerprints.
class cuckoo_table {
 public:
  cuckoo_table() = default;
  explicit cuckoo_table(plan::cuckoo_shape shape) : slots_(shape) {}

  /// Throws std::bad_alloc, and changes nothing, if a long search or a duplicate finds no memory.
  [[nodiscard]] bool insert(digest x) {
    auto const key = slots_.places_of(x);
    auto const found = slots_.find(key);
    return found.copies == 0 ? insert_new(key, found) : insert_copy(key, found);
  }
  bool erase(digest x) noexcept {
    auto const key = slots_.places_of(x);
    auto const found = slots_.find(key);
    if (found.copies == 0 || extra_.take(slots_.number(key))) return found.copies != 0;
    slots_.remove(key, found);
    if (is_double(found) && numbers_.doubled != 0) --numbers_.doubled;
    if (numbers_.used != 0) --numbers_.used;  // 0 only if a file lied
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return slots_.has(slots_.places_of(x)); }
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const key = slots_.places_of(x);
    auto const here = static_cast<std::uint64_t>(std::popcount(slots_.find(key).copies));
    return here == 0 ? 0 : here + std::min(extra_.count(slots_.number(key)), ~std::uint64_t{0} - here);
  }

  /// Blocks of keys. They look up the slots of all keys of the block first. By the time it is a key's turn, its free slot may
  /// be taken, or its copy erased: then it is looked up again. If the same fingerprint was in the block before, that is so,
  /// because both have the same first slot.
  [[nodiscard]] std::uint64_t may_contain(std::span<digest const> xs, std::span<digest const> next) const noexcept {
    return slots_.has(xs, next);
  }
  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) {
    kernels::slots_of_keys free;
    slots_.find_free(xs, next, free);
    if (!next.empty())  // only if the filter is larger than the cache
      for (std::size_t i = 0; i < xs.size(); ++i)
        if (free.value[i] == 0) slots_.prefetch_search(slots_.places_of(xs[i]));
    std::size_t in = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      bool const is_new = (free.special >> i & 1) == 0;
      bool const stored = is_new && free.value[i] != 0 && slots_.store(free.slot[i], free.value[i]);
      numbers_.used += std::uint64_t{stored};
      in += std::size_t{stored || insert(xs[i])};
    }
    return in;
  }
  /// From memory, key by key is faster: it prefetches evenly.
  std::size_t erase(std::span<digest const> xs, std::span<digest const> next) noexcept {
    return next.empty() ? erase_near(xs) : erase_far(xs, next);
  }

  /// Fingerprints that are stored, each counted once.
  [[nodiscard]] std::uint64_t fingerprints() const noexcept { return numbers_.used - numbers_.doubled; }
  [[nodiscard]] std::uint64_t used() const noexcept { return numbers_.used; }
  [[nodiscard]] cuckoo_slots const& slots() const noexcept { return slots_; }
  void clear() noexcept {
    slots_.clear();
    extra_.clear();
    numbers_ = {};
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return slots_.cells().size() + extra_.size_bytes(); }
  bool operator==(cuckoo_table const& other) const noexcept { return slots_ == other.slots_ && extra_ == other.extra_; }

  static void fields(cuckoo_table const& self, auto& out) {
    auto const numbers = self.numbers_believed_.yes ? self.counted() : self.numbers_;
    out(numbers.used, numbers.doubled, self.slots_, self.extra_);
  }
  static void fields(cuckoo_table& self, auto& in) {
    in(self.numbers_.used, self.numbers_.doubled, self.slots_, self.extra_);
    self.numbers_believed_.yes = !in.verifies();
    if (!self.valid() || !self.has_all_extra() || (in.verifies() && self.counted() != self.numbers_))
      throw error(errc::corrupt, "its slots do not fit together");
  }
  /// Slots may have any content: a wrong tag is never looked for outside the slots.
  [[nodiscard]] bool valid() const noexcept {
    return slots_.valid() && numbers_.used <= slots_.size() && numbers_.doubled <= numbers_.used;
  }

 private:
  static constexpr std::uint64_t slots_per_double = 64;

  struct numbers {
    std::uint64_t used = 0;     // slots
    std::uint64_t doubled = 0;  // of these, slots with another copy of a fingerprint than the first
    bool operator==(numbers const&) const = default;
  };

  static bool is_double(cuckoo_slots::state found) noexcept { return (found.copies & (found.copies - 1)) != 0; }

  /// Past a load of 0.95, keys are refused after a short search: the filter is fuller than planned, and a long one would take
  /// half a millisecond for every key that is refused.
  bool insert_new(cuckoo_places const& key, cuckoo_slots::state found) {
    bool const as_planned = numbers_.used < slots_.size() / 20 * 19;
    if (!slots_.store(key, found, as_planned)) return false;
    ++numbers_.used;
    return true;
  }
  /// Keys that share a fingerprint by chance are few, and get a second slot. Many second copies would make the filter refuse
  /// keys long before it is full: a fingerprint that needs two of its four slots has half the choices. So at most one slot in
  /// 64 holds a second copy, and further copies go to the side table.
  bool insert_copy(cuckoo_places const& key, cuckoo_slots::state found) {
    if (!is_double(found) && numbers_.doubled < slots_.size() / slots_per_double && insert_new(key, found))
      ++numbers_.doubled;
    else
      extra_.add(slots_.number(key));
    return true;
  }
  std::size_t erase_near(std::span<digest const> xs) noexcept {
    kernels::slots_of_keys copy;
    slots_.find_copy(xs, {}, copy);
    std::size_t erased = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      bool const simple = (copy.special >> i & 1) == 0 && extra_.empty() && numbers_.used != 0;
      bool const removed = simple && copy.value[i] != 0 && slots_.remove(copy.slot[i], copy.value[i]);
      numbers_.used -= std::uint64_t{removed};
      erased += std::size_t{removed || erase(xs[i])};
    }
    return erased;
  }
  std::size_t erase_far(std::span<digest const> xs, std::span<digest const> next) noexcept {
    std::size_t erased = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) slots_.prefetch(slots_.places_of(next[i]));
      erased += std::size_t{erase(xs[i])};
    }
    return erased;
  }
  [[nodiscard]] numbers counted() const {
    numbers all;
    slots_.for_each([&](cuckoo_places const& key, unsigned way) {
      ++all.used;
      all.doubled += std::uint64_t{cuckoo_slots::first(slots_.find(key).copies) != way};
    });
    return all;
  }
  /// Is every fingerprint with extra copies in a slot?
  [[nodiscard]] bool has_all_extra() const {
    bool all = true;
    extra_.for_each([&](std::uint64_t number, std::uint64_t) { all = all && slots_.has_number(number); });
    return all;
  }

  cuckoo_slots slots_;
  extra_copies extra_;
  numbers numbers_;
  believed numbers_believed_;
};

}  // namespace hortus
