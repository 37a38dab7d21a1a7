#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/hash/key_kind.hpp>

/// Many items in one string. Redis takes longer to read an argument and to write an answer than a filter takes to look a key
/// up; packed, a command has one argument for all of its items.
namespace hortus::server {

enum class packing {
  digests,          ///< 8 bytes an item, little-endian: a 64-bit hash that the caller made, all bits well mixed
  text_digests,     ///< the same, which the filter's own hash made of text
  integer_digests,  ///< the same of integers
  integers,         ///< 8 bytes an item, little-endian: an integer, which the filter hashes
  fixed,            ///< `width` bytes an item
  lines,            ///< items end with a newline; that of the last one may be missing
  u32len,           ///< before each item its length in 4 bytes, little-endian
  varint,  ///< before each item its length in 7-bit groups, the lowest first; the highest bit says that another one follows
};

class packed_items {
 public:
  static constexpr std::size_t block_items = 1024;

  /// Throws errc::bad_params unless `bytes` is a whole number of items. Views `bytes`.
  packed_items(packing how, std::size_t width, std::string_view bytes)
      : how_(how), width_(is_word(how) ? sizeof(std::uint64_t) : width), bytes_(bytes), size_(counted()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] key_kind kind() const noexcept {
    switch (how_) {
      case packing::digests:
        return key_kind::digests;
      case packing::integers:
      case packing::integer_digests:
        return key_kind::integers;
      default:
        return key_kind::bytes;
    }
  }
  /// Are they digests already, so that the filter's hash is not needed?
  [[nodiscard]] bool are_hashed() const noexcept {
    return how_ == packing::digests || how_ == packing::text_digests || how_ == packing::integer_digests;
  }

  /// The bytes of the first `count` items.
  [[nodiscard]] std::string_view first_bytes(std::size_t count) const {
    if (width_ != 0) return bytes_.substr(0, count * width_);
    auto rest = bytes_;
    for (; count != 0; --count) (void)next(rest);
    return bytes_.substr(0, bytes_.size() - rest.size());
  }

  /// The bytes of those of the first `count` items for which took(i). Throws std::bad_alloc.
  template <class Took>
  [[nodiscard]] std::string bytes_of_some(std::size_t count, Took took) const {
    std::string some;
    auto rest = bytes_;
    for (std::size_t i = 0; i < count; ++i) {
      auto const before = rest;
      if (width_ != 0)
        rest.remove_prefix(width_);
      else
        (void)next(rest);
      if (took(i)) some += before.substr(0, before.size() - rest.size());
    }
    return some;
  }

  /// act(span of keys) for block_items items after the other; the last block may be shorter. The keys are digests, 64-bit
  /// integers or string_views, so `act` takes a span of any of them. Allocates nothing.
  template <class Act>
  void in_blocks(Act act) const {
    switch (how_) {
      case packing::digests:
        return blocks_of<digest>(act);
      case packing::text_digests:
        return blocks_of<text_digest>(act);
      case packing::integer_digests:
        return blocks_of<integer_digest>(act);
      case packing::integers:
        return blocks_of<std::uint64_t>(act);
      default:
        return blocks_of<std::string_view>(act);
    }
  }

 private:
  static constexpr bool is_word(packing how) noexcept {
    return how == packing::digests || how == packing::text_digests || how == packing::integer_digests ||
           how == packing::integers;
  }

  template <class Key, class Act>
  void blocks_of(Act& act) const {
    std::array<Key, block_items> block;
    auto rest = bytes_;
    for (auto left = size_; left != 0;) {
      auto const some = std::min(left, block_items);
      if constexpr (std::same_as<Key, std::string_view>) {
        for (auto& each : std::span(block).first(some)) each = next(rest);
      } else {  // copied, because the bytes of an argument are not aligned
        std::memcpy(static_cast<void*>(block.data()), rest.data(), some * sizeof(Key));
        rest.remove_prefix(some * sizeof(Key));
      }
      act(std::span<Key const>(block).first(some));
      left -= some;
    }
  }

  /// Takes the next item off `rest`. Pre: there is one. Throws errc::bad_params if it is cut off.
  std::string_view next(std::string_view& rest) const {
    if (how_ == packing::lines) {
      auto const length = std::min(rest.find('\n'), rest.size());
      auto const item = rest.substr(0, length);
      rest.remove_prefix(std::min(length + 1, rest.size()));
      return item;
    }
    auto const length = how_ == packing::fixed ? width_ : next_length(rest);
    if (length > rest.size()) cut_off();
    auto const item = rest.substr(0, length);
    rest.remove_prefix(length);
    return item;
  }

  std::uint64_t next_length(std::string_view& rest) const {
    if (how_ == packing::u32len) {
      std::uint32_t length = 0;
      if (rest.size() < sizeof length) cut_off();
      std::memcpy(&length, rest.data(), sizeof length);
      rest.remove_prefix(sizeof length);
      return length;
    }
    std::uint64_t length = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {  // 9 groups: more than any string has
      if (rest.empty()) cut_off();
      auto const group = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      length |= std::uint64_t{group & 0x7fU} << shift;
      if (group < 0x80) return length;
    }
    throw error(errc::bad_params, "a length is longer than 9 bytes");
  }

  [[nodiscard]] std::size_t counted() const {
    if (how_ == packing::lines)
      return static_cast<std::size_t>(std::ranges::count(bytes_, '\n')) + (bytes_.empty() || bytes_.back() == '\n' ? 0 : 1);
    if (how_ == packing::fixed || is_word(how_)) {
      if (width_ == 0) throw error(errc::bad_params, "items have at least 1 byte each");
      if (bytes_.size() % width_ != 0)
        throw error(errc::bad_params, std::to_string(bytes_.size()) + " bytes are no whole number of items of " +
                                          std::to_string(width_) + " bytes");
      return bytes_.size() / width_;
    }
    std::size_t items = 0;
    for (auto rest = bytes_; !rest.empty(); ++items) (void)next(rest);
    return items;
  }

  [[noreturn]] static void cut_off() { throw error(errc::bad_params, "the last item is cut off"); }

  packing how_;
  std::size_t width_;
  std::string_view bytes_;
  std::size_t size_;
};

}  // namespace hortus::server
