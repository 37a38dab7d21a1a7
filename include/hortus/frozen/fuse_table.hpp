#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <hortus/bitmask.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/cells/slot_array.hpp>
#include <hortus/digest.hpp>
#include <hortus/frozen/bumped_words.hpp>
#include <hortus/frozen/fuse_map.hpp>
#include <hortus/frozen/fuse_part.hpp>
#include <hortus/plan/binary_fuse.hpp>

namespace hortus {

/// What the slots of a word give.
struct fuse_value {
  std::uint64_t bits;
  bool may_be_bumped;  ///< bumped_words has to say
};

/// The slots of a binary fuse filter, in parts, and the words that were bumped.
class fuse_table {
 public:
  fuse_table() : fuse_table(std::span<std::uint64_t const>(), 0.5, 4) {}
  /// Room for so many words in each part. Pre: as many parts as binary_fuse_part_bits says of all words.
  fuse_table(std::span<std::uint64_t const> words_per_part, double fpr, unsigned arity)
      : fuse_table(words_per_part, plan::binary_fuse({items_in(words_per_part), fpr}, arity)) {}
  fuse_table(std::span<std::uint64_t const> words_per_part, plan::binary_fuse_shape shape) : shape_(shape) {
    auto const count = std::max<std::size_t>(words_per_part.size(), 1);
    parts_ = memory(count * sizeof(part));
    std::uint64_t slots = 0;
    for (std::size_t i = 0; i < count; ++i) {
      part const made{slots, words_per_part.empty() ? 1 : plan::binary_fuse_length(shape_, words_per_part[i])};
      std::memcpy(parts_.data() + i * sizeof made, &made, sizeof made);
      slots += shape_.part_slots(made.length);
    }
    slots_ = slot_array(slots, shape_.slot_bits);
    set_up();
  }
  static std::uint64_t items_in(std::span<std::uint64_t const> words_per_part) noexcept {
    return std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0});
  }
  static std::uint64_t bytes_for(plan::binary_fuse_shape shape, std::uint64_t slots) noexcept {
    return shape.parts() * sizeof(part) + slot_array::bytes_for(slots, shape.slot_bits) +
           bumped_words::bytes_for(plan::binary_fuse_bumped(shape));
  }

  /// For different parts in several threads at once. Pre: as many words as the constructor was told.
  void fill_part(std::uint64_t i, fuse_keys keys, fuse_part& space, fuse_bumped& bumped) {
    auto const here = part_at(i);
    slots_.fill(here.first, space.build(keys, map_, shape_.arity, here.length, shape_.slot_bits, bumped));
  }
  void set_bumped(std::span<fuse_bumped const> by_part) {
    std::vector<std::uint64_t> all;
    for (auto const& some : by_part) all.insert(all.end(), some.words.begin(), some.words.end());
    bumped_ = bumped_words(all, [&](std::uint64_t word) { return fuse_slots<3>::of(map_.rest(word), 1).hash; });
  }

  [[nodiscard]] bool contains(std::uint64_t word) const noexcept { return contains_(*this, word); }
  /// Bit i of `hits` becomes the answer for words[i]; prefetches `next` on the way.
  void contains(std::span<digest const> words, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    contains_each_(*this, words, next, hits);
  }
  /// In a map: the exclusive or of a word's slots and its fingerprint, which is its value, and zeros in the bits above that
  /// check it. Has no meaning for words that were bumped. Pre: the table has items.
  [[nodiscard]] fuse_value value(std::uint64_t word) const noexcept { return value_(*this, word); }
  /// The same for a block; bit i of `may_be_bumped` is that of words[i].
  void values(std::span<digest const> words, std::span<digest const> next, std::uint64_t* values,
              std::uint64_t* may_be_bumped) const noexcept {
    values_each_(*this, words, next, values, may_be_bumped);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t word) const noexcept {
    auto const here = part_at(map_.part(word));
    auto const key = fuse_slots<4>::of(map_.rest(word), here.length);
    auto slot = here.first + map_.segment(word) * here.length;
    for (unsigned way = 0; way < 3; ++way, slot += here.length) slots_.prefetch(slot + key.offsets[way]);
    if (shape_.arity == 4) slots_.prefetch(slot + key.offsets[3]);
  }

  void clear() noexcept {
    shape_.items = 0;
    slots_.clear();
    set_up();
  }
  [[nodiscard]] plan::binary_fuse_shape shape() const noexcept { return shape_; }
  [[nodiscard]] slot_array const& slots() const noexcept { return slots_; }
  [[nodiscard]] bumped_words const& bumped() const noexcept { return bumped_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return parts_.size() + slots_.size_bytes() + bumped_.size_bytes(); }
  bool operator==(fuse_table const& other) const noexcept {
    return shape_ == other.shape_ && parts_ == other.parts_ && slots_ == other.slots_ && bumped_ == other.bumped_;
  }

  static void fields(fuse_table const& self, auto& out) { list(self, out); }
  static void fields(fuse_table& self, auto& in) {
    list(self, in);
    self.shape_.slot_bits = self.slots_.width();
    if (self.valid()) self.set_up();
  }
  /// Slots may have any content. Every part lies within the slots.
  [[nodiscard]] bool valid() const noexcept {
    if (!shape_.possible() || !slots_.valid() || !bumped_.valid() || parts_.size() != shape_.parts() * sizeof(part))
      return false;
    for (std::uint64_t i = 0; i < shape_.parts(); ++i) {
      auto const here = part_at(i);
      if (here.length < 1 || here.length > plan::binary_fuse_shape::max_length || here.first % 8 != 0 ||
          here.first > slots_.size() || shape_.part_slots(here.length) > slots_.size() - here.first)
        return false;
    }
    return true;
  }

 private:
  struct part {
    std::uint64_t first = 0;   // its first slot
    std::uint64_t length = 1;  // of a segment
  };

  static void list(auto& self, auto& io) {
    io(self.shape_.items, self.shape_.arity, self.shape_.part_bits, self.shape_.segment_bits, self.parts_, self.slots_,
       self.bumped_);
  }
  /// Lookups are compiled for each arity, and for the words that slots are read with: a lookup has no branch, and few
  /// instructions, so that a core has several under way.
  void set_up() noexcept {
    map_ = {shape_.part_bits, shape_.segment_bits};
    fingerprint_shift_ = 64 - shape_.slot_bits;
    found_mask_ = slots_.max();
    auto const bits = shape_.slot_bits;
    if (shape_.items == 0)
      contains_ = [](fuse_table const&, std::uint64_t) noexcept { return false; },
      contains_each_ = [](fuse_table const&, auto xs, auto, std::uint64_t* hits) noexcept {
        std::fill_n(hits, mask_words(xs.size()), 0);
      };
    else if (bits == 8)
      look_up_by<std::uint8_t, true>();
    else if (bits == 16)
      look_up_by<std::uint16_t, true>();
    else if (bits <= 9)
      look_up_by<std::uint16_t, false>();
    else if (bits <= 25)
      look_up_by<std::uint32_t, false>();
    else
      look_up_by<std::uint64_t, false>();
  }
  template <class Word, bool Whole>
  void look_up_by() noexcept {
    contains_ = shape_.arity == 3 ? look_up<3, Word, Whole> : look_up<4, Word, Whole>;
    contains_each_ = shape_.arity == 3 ? look_up_each<3, Word, Whole> : look_up_each<4, Word, Whole>;
    value_ = shape_.arity == 3 ? value_at<3, Word, Whole> : value_at<4, Word, Whole>;
    values_each_ = shape_.arity == 3 ? values_at_each<3, Word, Whole> : values_at_each<4, Word, Whole>;
  }
  /// Whole: a slot is a Word. Otherwise it begins anywhere in the first byte of one.
  template <unsigned Arity, class Word, bool Whole>
  [[gnu::always_inline]] static inline fuse_value value_at(fuse_table const& in, std::uint64_t word) noexcept {
    auto const here = in.part_at(in.map_.part(word));
    auto const key = fuse_slots<Arity>::of(in.map_.rest(word), here.length);
    auto slot = here.first + in.map_.segment(word) * here.length;
    auto value = key.hash >> in.fingerprint_shift_;
    for (unsigned way = 0; way < Arity; ++way, slot += here.length)
      if constexpr (Whole)
        value ^= in.slots_.template whole<Word>(slot + key.offsets[way]);
      else
        value ^= in.slots_.template bits_from<Word>(slot + key.offsets[way]);
    return {Whole ? value : value & in.found_mask_, in.bumped_.may_contain(key.hash)};
  }
  template <unsigned Arity, class Word, bool Whole>
  static bool look_up(fuse_table const& in, std::uint64_t word) noexcept {
    auto const found = value_at<Arity, Word, Whole>(in, word);
    if (found.may_be_bumped) [[unlikely]]
      return match_or_bumped(in, word, found.bits == 0);
    return found.bits == 0;
  }
  [[gnu::noinline]] static bool match_or_bumped(fuse_table const& in, std::uint64_t word, bool match) noexcept {
    return match || in.bumped_.contains(word);
  }
  template <unsigned Arity, class Word, bool Whole>
  static void look_up_each(fuse_table const& in, std::span<digest const> xs, std::span<digest const> next,
                           std::uint64_t* hits) noexcept {
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) in.prefetch(next[i].bits());
      hits[i / 64] |= std::uint64_t{look_up<Arity, Word, Whole>(in, xs[i].bits())} << (i % 64);
    }
  }
  template <unsigned Arity, class Word, bool Whole>
  static void values_at_each(fuse_table const& in, std::span<digest const> xs, std::span<digest const> next,
                             std::uint64_t* values, std::uint64_t* may_be_bumped) noexcept {
    std::fill_n(may_be_bumped, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) in.prefetch(next[i].bits());
      auto const found = value_at<Arity, Word, Whole>(in, xs[i].bits());
      values[i] = found.bits;
      may_be_bumped[i / 64] |= std::uint64_t{found.may_be_bumped} << (i % 64);
    }
  }
  [[nodiscard]] part part_at(std::uint64_t i) const noexcept {
    part here;
    std::memcpy(&here, parts_.data() + i * sizeof here, sizeof here);
    return here;
  }
  plan::binary_fuse_shape shape_;
  memory parts_;
  slot_array slots_;
  bumped_words bumped_;
  fuse_map map_;
  unsigned fingerprint_shift_ = 63;
  std::uint64_t found_mask_ = 1;
  bool (*contains_)(fuse_table const&, std::uint64_t) noexcept = nullptr;
  void (*contains_each_)(fuse_table const&, std::span<digest const>, std::span<digest const>,
                         std::uint64_t*) noexcept = nullptr;
  fuse_value (*value_)(fuse_table const&, std::uint64_t) noexcept = nullptr;
  void (*values_each_)(fuse_table const&, std::span<digest const>, std::span<digest const>, std::uint64_t*,
                       std::uint64_t*) noexcept = nullptr;
};

}  // namespace hortus
