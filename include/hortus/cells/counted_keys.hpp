#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/digest.hpp>
#include <hortus/hash/key_kind.hpp>

namespace hortus {

/// Counters with the bytes of their keys: an array of counters, an index that finds them by digest, and an array of the keys'
/// bytes. The order of the counters is part of the value and is stored in files. The layout of index and bytes depends on
/// earlier operations, and is not.
///
/// Memory grows with the number of counters: at most plan::counter_bytes() for each, and twice that while it is moved to a
/// larger block.
class counted_keys {
 public:
  struct counter {
    std::uint64_t digest;
    std::uint64_t count;  ///< never 0
    std::uint64_t error;
    std::uint64_t key;  ///< where its bytes begin, in words
  };
  /// The part of a key that is kept.
  struct key_part {
    std::span<std::byte const> bytes = {};  ///< at most 2^20
    std::uint64_t length = 0;               ///< of the whole key, at most max_length
    key_kind kind = key_kind::digests;      ///< exactly one kind
  };
  struct entry {
    std::uint64_t digest;
    std::uint64_t count;
    std::uint64_t error;
    key_part key;
  };
  static constexpr std::uint64_t max_length = (std::uint64_t{1} << 41) - 1;

  counted_keys() = default;

  /// The counter of x; null if it has none.
  [[nodiscard]] counter* find(hortus::digest x) noexcept {
    return const_cast<counter*>(static_cast<counted_keys const*>(this)->find(x));
  }
  [[nodiscard]] counter const* find(hortus::digest x) const noexcept {
    if (used_ == 0) return nullptr;
    auto const tag = tag_of(x.bits());
    for (auto at = home(tag); index()[at] != 0; at = next(at))
      if (auto const number = number_in(index()[at]); index()[at] >> 32 == tag && row()[number].digest == x.bits())
        return &row()[number];
    return nullptr;
  }
  [[gnu::always_inline]] void prefetch(hortus::digest x) const noexcept {
    if (used_ != 0) __builtin_prefetch(&index()[home(tag_of(x.bits()))]);
  }
  [[nodiscard]] key_part key_of(counter const& c) const noexcept;

  /// Makes room for one more counter with `key_bytes` bytes of its key. Nothing changes if there is no memory.
  void reserve(std::uint64_t key_bytes);
  /// Inserts at the end, or replaces another counter. Pre: reserve(e.key.bytes.size()) was called, and e.digest has no
  /// counter.
  void insert(entry const& e) noexcept;
  void replace(counter* c, entry const& e) noexcept;
  void erase(counter* c) noexcept;  ///< moves the last counter to its place

  /// The first counter with this count, from number `from` on; null if there is none.
  [[nodiscard]] counter* with_count(std::uint64_t count, std::uint64_t from) noexcept;
  [[nodiscard]] std::uint64_t least_count() const noexcept;  ///< Pre: size() != 0
  [[nodiscard]] std::span<counter const> all() const noexcept { return {row(), used_}; }

  void clear() noexcept { *this = counted_keys(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return used_; }
  [[nodiscard]] std::size_t allocated_bytes() const noexcept { return row_.size() + index_.size() + keys_.size(); }
  bool operator==(counted_keys const& other) const noexcept;

  /// For files: the digest, count, error and key header word of each counter, in order; and the bytes of all keys, in order.
  [[nodiscard]] memory counters_in_order() const;
  [[nodiscard]] memory keys_in_order() const;
  /// The reverse. Returns false if the bytes are inconsistent, or if digests were chosen to make searches slow. The caller
  /// must check counts and errors. At most `key_bytes` bytes are kept of a key.
  [[nodiscard]] bool restore(memory const& counters, memory const& keys, std::uint64_t key_bytes);

 private:
  /// The upper half of a word of the index; the lower half is the number of a counter, plus one. Digests are mixed again,
  /// because the caller may have computed them with a weak hash.
  [[nodiscard]] static std::uint64_t tag_of(std::uint64_t digest) noexcept { return mix64(digest) >> 32; }
  [[nodiscard]] static std::uint64_t number_in(std::uint64_t word) noexcept { return (word & 0xffff'ffff) - 1; }
  [[nodiscard]] std::uint64_t home(std::uint64_t tag) const noexcept { return tag * homes_ >> 32; }
  [[nodiscard]] std::uint64_t next(std::uint64_t at) const noexcept { return at + 1 == homes_ ? 0 : at + 1; }

  [[nodiscard]] counter* row() noexcept { return reinterpret_cast<counter*>(row_.data()); }
  [[nodiscard]] counter const* row() const noexcept { return reinterpret_cast<counter const*>(row_.data()); }
  [[nodiscard]] std::uint64_t* index() noexcept { return reinterpret_cast<std::uint64_t*>(index_.data()); }
  [[nodiscard]] std::uint64_t const* index() const noexcept { return reinterpret_cast<std::uint64_t const*>(index_.data()); }
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(keys_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(keys_.data()); }

  std::uint64_t enter(std::uint64_t digest, std::uint64_t number) noexcept;
  [[nodiscard]] std::uint64_t place_of(std::uint64_t digest, std::uint64_t number) const noexcept;
  void leave(std::uint64_t digest, std::uint64_t number) noexcept;
  [[nodiscard]] std::uint64_t put_key(key_part const& key) noexcept;
  void drop_key(counter const& c) noexcept;
  void move_keys(std::uint64_t more);
  void move_row(std::uint64_t places);

  memory row_;
  memory index_;
  std::uint64_t used_ = 0;
  std::uint64_t homes_ = 0;  // words of the index, at most 0.7 of them in use
  memory keys_;              // for each key a header word, then its bytes in whole words
  std::uint64_t end_ = 0;    // words up to the end, including gaps left by dropped keys
  std::uint64_t live_ = 0;   // words in use
  std::uint64_t hole_ = 0;   // where the last dropped key was, and its length in words: the next key often has the same length
  std::uint64_t hole_words_ = 0;
};

}  // namespace hortus
