#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/slot_array.hpp>
#include <hortus/frozen/bumped_words.hpp>
#include <hortus/frozen/fuse_map.hpp>
#include <hortus/frozen/fuse_part.hpp>
#include <hortus/plan/binary_fuse.hpp>

namespace hortus {

/// The slots of a binary fuse filter, in parts, and the words that were bumped.
class fuse_table {
 public:
  /// What a lookup is compiled for: the slots of a key, and the word that one is read with.
  template <unsigned Arity, class Word>
  struct layout {
    static constexpr unsigned arity = Arity;
    using word = Word;
  };

  fuse_table() : fuse_table(std::span<std::uint64_t const>(), 0.5, 4) {}
  /// Room for so many words in each part. Pre: as many parts as binary_fuse_part_bits says of all words.
  fuse_table(std::span<std::uint64_t const> words_per_part, double fpr, unsigned arity) {
    std::uint64_t items = 0;
    for (auto const words : words_per_part) items += words;
    shape_ = plan::binary_fuse({items, fpr}, arity);
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
  static std::uint64_t bytes_for(plan::binary_fuse_shape shape, std::uint64_t slots) noexcept {
    return shape.parts() * sizeof(part) + slot_array::bytes_for(slots, shape.slot_bits) +
           bumped_words::bytes_for(plan::binary_fuse_bumped(shape));
  }

  /// For different parts in several threads at once. Pre: as many words as the constructor was told.
  void fill_part(std::uint64_t i, std::span<std::uint64_t const> words, fuse_part& space, std::vector<std::uint64_t>& bumped) {
    auto const here = part_at(i);
    slots_.fill(here.first, space.build(words, map_, shape_.arity, here.length, shape_.slot_bits, bumped));
  }
  void set_bumped(std::span<std::vector<std::uint64_t> const> by_part) {
    std::vector<std::uint64_t> all;
    for (auto const& some : by_part) all.insert(all.end(), some.begin(), some.end());
    bumped_ = bumped_words(all);
  }

  template <class Layout>
  [[nodiscard]] bool contains(Layout, std::uint64_t word) const noexcept {
    constexpr auto arity = Layout::arity;
    auto const here = part_at(map_.part(word));
    auto const key = fuse_slots<arity>::of(map_.rest(word), here.length);
    auto slot = here.first + map_.segment(word) * here.length;
    auto value = key.hash >> fingerprint_shift_;
    for (unsigned way = 0; way < arity; ++way, slot += here.length)
      value ^= slots_.bits_from<typename Layout::word>(slot + key.offsets[way]);
    bool const match = (value & found_mask_) == 0;
    return (match & (shape_.items != 0)) | bumped_.contains(word);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t word) const noexcept {
    auto const here = part_at(map_.part(word));
    auto const key = fuse_slots<4>::of(map_.rest(word), here.length);
    auto slot = here.first + map_.segment(word) * here.length;
    for (unsigned way = 0; way < 3; ++way, slot += here.length) slots_.prefetch(slot + key.offsets[way]);
    if (shape_.arity == 4) slots_.prefetch(slot + key.offsets[3]);
  }
  /// act(layout) with the layout of this table.
  bool with_layout(auto act) const noexcept { return shape_.arity == 3 ? with_word<3>(act) : with_word<4>(act); }

  void clear() noexcept {
    shape_.items = 0;
    slots_.clear();
    bumped_.clear();
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
  void set_up() noexcept {
    map_ = {shape_.part_bits, shape_.segment_bits};
    fingerprint_shift_ = 64 - shape_.slot_bits;
    found_mask_ = slots_.max();
  }
  [[nodiscard]] part part_at(std::uint64_t i) const noexcept {
    part here;
    std::memcpy(&here, parts_.data() + i * sizeof here, sizeof here);
    return here;
  }
  template <unsigned Arity>
  bool with_word(auto act) const noexcept {
    switch (slots_.read_bytes()) {
      case 1:
        return act(layout<Arity, std::uint8_t>());
      case 2:
        return act(layout<Arity, std::uint16_t>());
      case 4:
        return act(layout<Arity, std::uint32_t>());
      default:
        return act(layout<Arity, std::uint64_t>());
    }
  }

  plan::binary_fuse_shape shape_;
  memory parts_;
  slot_array slots_;
  bumped_words bumped_;
  fuse_map map_;
  unsigned fingerprint_shift_ = 63;
  std::uint64_t found_mask_ = 1;
};

}  // namespace hortus
