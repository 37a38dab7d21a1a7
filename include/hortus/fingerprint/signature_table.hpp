#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include <hortus/cells/slot_lines.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/index/add_mod.hpp>
#include <hortus/index/coprime_steps.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/slot_cycles.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/plan/hash_compaction.hpp>

namespace hortus {

/// The table of hash_compaction: signatures 1 to 2^b - 1 in lines of slots, 0 in a free slot.
///
/// A key has a signature and begins at a slot of a line. Its path goes through all slots of the line, by a step that depends on
/// the signature, and then on to a line at a distance, and a slot, that depend on the signature. On every path, the slots
/// before the one that holds the key's signature hold larger ones. So a search ends at the first slot that does not, and an
/// insert that ends at a smaller signature takes its slot and moves the smaller one along its own path. Where a path goes from
/// a slot depends on nothing but the signature there, so a signature can be moved although nobody knows where its key began.
///
/// Without that order (Stern and Dill) a search compares every slot up to the next free one: 9 at a load of .9. With it, and
/// paths by linear probing, as many; with these paths 5.8. See docs/decisions.md.
class signature_table {
 public:
  enum class outcome { found, added, refused };

  /// A signature and the slot where its path has come to.
  struct entry {
    std::uint64_t line;
    unsigned slot;
    std::uint64_t signature;
  };

  explicit signature_table(plan::hash_compaction_shape shape) : slots_(shape.lines, shape.signature_bits) { set_steps(); }

  /// The line comes from a product, so that keys selected by their top bits, such as those of one shard, use all lines.
  /// Signature and slot come from a mixer: they do not depend on the line.
  [[nodiscard]] entry home(digest x) const noexcept {
    auto const mixed = mix64(x.bits());
    return {fastrange(x.bits() * golden_ratio64, slots_.lines()),
            static_cast<unsigned>(fastrange(mixed * golden_ratio64, slots_.slots_per_line())),
            1 + fastrange(mixed, slots_.max())};
  }

  [[nodiscard]] bool contains(entry key) const noexcept {
    unsigned budget = most_lines;
    return settle(key, 0, budget) && slots_.get(key.line, key.slot) == key.signature;
  }
  outcome insert(entry key) noexcept {
    unsigned budget = most_lines;
    if (!settle(key, 0, budget)) return outcome::refused;
    auto there = slots_.get(key.line, key.slot);
    if (there == key.signature) return outcome::found;
    if (used_believed_.first_change()) [[unlikely]]
      used_ = std::min(slots_.used(), shape().capacity());
    if (used_ >= shape().capacity()) return outcome::refused;
    // What it displaces moves on, and so does what that displaces. All places are found before any is written, so that a key
    // that is refused changes nothing. A slot that is passed again is read as it was; it will hold a larger signature, and what
    // comes to it later is smaller than both.
    std::array<entry, most_moves> moves;
    unsigned count = 0;
    while (there != 0 && there != key.signature) {
      if (count == most_moves) return outcome::refused;
      moves[count++] = key;
      key.signature = there;
      if (!settle(key, 1, budget)) return outcome::refused;
      there = slots_.get(key.line, key.slot);
    }
    if (there == 0) ++used_;  // otherwise two keys of equal signatures share the slot
    slots_.put(key.line, key.slot, key.signature);
    while (count != 0) {
      --count;
      slots_.put(moves[count].line, moves[count].slot, moves[count].signature);
    }
    return outcome::added;
  }
  /// Inserts every slot of a table of the same shape. False: there was no room, and only some are in.
  [[nodiscard]] bool insert_all(signature_table const& other) noexcept {
    for (std::uint64_t line = 0; line < other.slots_.lines(); ++line)
      for (unsigned slot = 0; slot < other.slots_.slots_per_line(); ++slot)
        if (auto const signature = other.slots_.get(line, slot); signature != 0)
          if (insert({line, slot, signature}) == outcome::refused) return false;
    return true;
  }
  [[gnu::always_inline]] void prefetch(entry key) const noexcept { slots_.prefetch(key.line); }
  void clear() noexcept {
    slots_.clear();
    used_ = 0;
  }

  /// The share of all keys, each a start and a signature, that are found. Reads every line, or `sample` lines.
  [[nodiscard]] double fpr(std::uint64_t sample) const noexcept {
    auto const read = std::min(sample, slots_.lines());
    double found = 0;
    for (std::uint64_t i = 0; i < read; ++i)
      for (unsigned slot = 0; slot < slots_.slots_per_line(); ++slot) {
        auto const line = read == slots_.lines() ? i : fastrange(i * (~std::uint64_t{0} / read), slots_.lines());
        if (auto const signature = slots_.get(line, slot); signature != 0) found += starts({line, slot, signature});
      }
    return found / (static_cast<double>(read) * slots_.slots_per_line()) / static_cast<double>(slots_.max());
  }

  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  [[nodiscard]] plan::hash_compaction_shape shape() const noexcept { return {slots_.lines(), slots_.width()}; }
  [[nodiscard]] slot_lines const& slots() const noexcept { return slots_; }
  bool operator==(signature_table const& other) const noexcept { return slots_ == other.slots_; }

  /// Throws errc::corrupt, and writes nothing, if a mapped file that was not verified turns out to be damaged.
  static void fields(signature_table const& self, auto& out) {
    auto const used = self.used_believed_.yes ? self.slots_.used() : self.used_;
    if (used > self.shape().capacity()) throw error(errc::corrupt, "its lines of slots do not fit together");
    out.constant(derivation, "index derivation");
    out(self.slots_, used);
  }
  static void fields(signature_table& self, auto& in) {
    in.constant(derivation, "index derivation");
    in(self.slots_, self.used_);
    self.used_believed_.yes = !in.verifies();
    if (!self.valid()) throw error(errc::corrupt, "its lines of slots do not fit together");
    if (in.verifies() && self.used_ != self.slots_.used())
      throw error(errc::corrupt, "it does not have as many slots in use as its header says");
    self.set_steps();
  }
  [[nodiscard]] bool valid() const noexcept {
    return slots_.valid() && slots_.lines() >= 1 && slots_.width() >= plan::hash_compaction_shape::min_signature_bits &&
           used_ <= shape().capacity();
  }

 private:
  static constexpr std::uint64_t derivation = name_id("signature_table");
  /// Lines that one operation goes through at most. An honest table needs so many with a probability below 1e-50; a file, or
  /// keys chosen by an adversary, may want to go round for ever.
  static constexpr unsigned most_lines = 1024;
  /// Signatures that one insert moves at most. Each is smaller than the one before, so there are few: 3 on average at a load of
  /// .95, and as many as this with a probability below 1e-50.
  static constexpr unsigned most_moves = 64;

  void set_steps() noexcept {
    cycles_ = slot_cycles(slots_.slots_per_line());
    line_steps_ = coprime_steps(slots_.lines());
  }
  /// The path of a signature: a cycle in each line, the distance to the next line, and the slot where it begins there.
  static std::uint64_t spread(std::uint64_t signature) noexcept { return signature * golden_ratio64; }
  [[nodiscard]] unsigned cycle_of(std::uint64_t signature) const noexcept {
    return static_cast<unsigned>(fastrange(spread(signature), cycles_.count()));
  }
  [[nodiscard]] std::uint64_t line_step_of(std::uint64_t signature) const noexcept {
    return line_steps_[spread(signature) >> 48 & (coprime_steps::count - 1)];
  }
  [[nodiscard]] unsigned first_slot_of(std::uint64_t signature) const noexcept {
    return static_cast<unsigned>(fastrange(spread(signature) << 16, slots_.slots_per_line()));
  }

  /// Moves `at` along its path to the first slot that has no larger signature; `past` = 1: after the slot where it is. False:
  /// it went through all lines, or the budget.
  bool settle(entry& at, unsigned past, unsigned& budget) const noexcept {
    auto const cycle = cycle_of(at.signature);
    auto const slots = slots_.slots_per_line();
    if (past != 0) at.slot = cycles_.next(at.slot, cycle);
    for (auto lines = slots_.lines(); lines != 0 && budget != 0; --lines, --budget) {
      for (auto i = past; i < slots; ++i, at.slot = cycles_.next(at.slot, cycle))
        if (slots_.get(at.line, at.slot) <= at.signature) return true;
      at.line = add_mod(at.line, line_step_of(at.signature), slots_.lines());
      at.slot = first_slot_of(at.signature);
      past = 0;
    }
    return false;
  }

  /// The number of starts from which a key of this signature is found in this slot.
  [[nodiscard]] double starts(entry at) const noexcept {
    auto const cycle = cycle_of(at.signature), first = first_slot_of(at.signature);
    auto const slots = slots_.slots_per_line();
    bool entered = at.slot == first;
    double found = 1;
    for (unsigned i = 1; i < slots; ++i, ++found) {
      at.slot = cycles_.previous(at.slot, cycle);
      if (slots_.get(at.line, at.slot) <= at.signature) break;
      entered = entered || at.slot == first;
    }
    for (auto lines = std::min<std::uint64_t>(slots_.lines(), most_lines); entered && lines > 1; --lines) {
      at.line = add_mod(at.line, slots_.lines() - line_step_of(at.signature), slots_.lines());
      for (at.slot = 0; at.slot < slots && slots_.get(at.line, at.slot) > at.signature;) ++at.slot;
      if (at.slot < slots) break;
      found += slots;
    }
    return found;
  }

  slot_lines slots_;
  std::uint64_t used_ = 0;
  believed used_believed_;
  slot_cycles cycles_{2};  // these two follow from the shape
  coprime_steps line_steps_{1};
};

}  // namespace hortus
