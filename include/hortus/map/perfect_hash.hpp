#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/ascending_list.hpp>
#include <hortus/cells/distinct_words.hpp>
#include <hortus/digest.hpp>
#include <hortus/map/perfect_level.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/perfect_hash.hpp>

namespace hortus {

/// Minimal perfect hash: numbers the keys of a set from 0 to size() - 1, in two bits a key, without storing the keys.
///
///     digest --high bits--> bucket: a seed of one byte for about 4 keys
///            --high bits--> base   -- the seed, the other bits --> a slot within 2 Ki slots: the number of the key
///
/// A key whose bucket has no seed, one in a hundred, is placed by a second level, and so on. Its slot lies beyond size(); a
/// list has the number for it, a slot of the first level that no key has.
///
/// Promise  different keys of the set have different numbers below size(). An absent key has some number below size(). Keys
/// come
///          in any order and may occur several times: the bytes are those of the set. A build never fails, and takes linear
///          time even if keys were chosen to defeat it; only the size grows then.
/// Price    2.03 bits per key from ten million keys on, 2.05 at a million, 2.5 at 10,000, 3.6 at 1000. A lookup reads one cache
///          line, for one key in a hundred four more. Building takes 8 bytes per key, and 2 per key of a part for each thread.
/// Lacks    may_contain: it cannot tell that a key is absent (perfect_hash_map does). insert, erase.
/// Source   P. Beling, P. Sanders, "PHast: perfect hashing made fast", ALENEX 2026: windows, bumping and shifts tested by bits.
///          G. E. Pibiri, R. Trani, "PTHash", SIGIR 2021: slots beyond the last number.
class perfect_hash {
 public:
  static constexpr std::size_t block_keys = 64;

  struct goal {};  ///< there is nothing to choose

  static word_parts parts(std::uint64_t items) noexcept { return {plan::perfect_hash_log2_parts(items)}; }

  /// Makes a perfect hash of keys that are given in parts: see parts.hpp.
  class builder {
   public:
    builder(goal, std::span<std::uint64_t const> words_per_part)
        : left_(words_per_part.size()),
          holes_(words_per_part.size()),
          items_(std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0})),
          first_(words_per_part) {}
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) {
      auto space = take_space();
      first_.fill_part(part, words, space, left_[part], holes_[part]);
      std::lock_guard const lock(mutex_);
      spaces_.push_back(std::move(space));
    }
    perfect_hash finish() &&;

    [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
    /// After build_part(): the slots of its keys, in the first level, and its words that have none.
    [[nodiscard]] perfect_level const& first() const noexcept { return first_; }
    [[nodiscard]] std::span<std::uint64_t const> left(std::uint64_t part) const noexcept { return left_[part]; }

   private:
    /// Memory that a part has left, if there is any.
    perfect_part take_space() {
      std::lock_guard const lock(mutex_);
      if (spaces_.empty()) return {};
      auto space = std::move(spaces_.back());
      spaces_.pop_back();
      return space;
    }

    std::vector<std::vector<std::uint64_t>> left_, holes_;  // of each part
    std::uint64_t items_;
    perfect_level first_;
    std::vector<perfect_part> spaces_;
    std::mutex mutex_;
  };

  static perfect_hash build(std::span<digest const> keys) { return build_of_words<perfect_hash>(distinct_words(keys), {}); }

  perfect_hash() : perfect_hash(build_of_words<perfect_hash>({}, {})) {}  ///< of no keys

  [[nodiscard]] std::uint64_t size() const noexcept { return items_; }
  [[nodiscard]] std::uint64_t rank(digest x) const noexcept {
    auto const slot = first_.slot(x.bits());
    if (slot >= items_) [[unlikely]]
      return rank_beyond(x.bits(), slot);
    return slot;
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { first_.prefetch(x.bits()); }
  /// The kernel for a block: ranks[i] becomes the rank of xs[i]. Prefetches `next` on the way.
  void rank(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* ranks) const noexcept {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (i < next.size()) prefetch(next[i]);
      ranks[i] = rank(xs[i]);
    }
  }
  /// The same for any number of keys.
  void rank(std::span<digest const> xs, std::uint64_t* ranks) const noexcept {
    for (auto const x : xs.first(std::min(block_keys, xs.size()))) prefetch(x);
    for (std::size_t i = 0; i < xs.size(); i += block_keys) {
      auto const block = xs.subspan(i, std::min(block_keys, xs.size() - i)), rest = xs.subspan(i + block.size());
      rank(block, rest.first(std::min(block_keys, rest.size())), ranks + i);
    }
  }

  void clear() noexcept;
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  [[nodiscard]] std::uint64_t levels() const noexcept { return 1 + later_.size(); }
  /// Keys that no level had a slot for. A few; many only if keys were chosen to defeat the hash.
  [[nodiscard]] std::uint64_t kept_words() const noexcept { return kept_.size() / sizeof(std::uint64_t); }
  [[nodiscard]] memory const& cells() const noexcept { return first_.seeds(); }
  bool operator==(perfect_hash const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.items_, self.first_);
    io.list(self.later_, plan::perfect_hash_shape::max_levels - 1);
    io(self.kept_, self.numbers_);
  }
  [[nodiscard]] bool valid() const noexcept;

 private:
  friend class builder;
  perfect_hash(std::uint64_t items, perfect_level first, memory_vector<perfect_level> later, memory kept,
               ascending_list numbers) noexcept
      : items_(items),
        first_(std::move(first)),
        later_(std::move(later)),
        kept_(std::move(kept)),
        numbers_(std::move(numbers)) {}
  /// The rank of a key with a slot from size() on, or without one in the first level.
  [[nodiscard]] std::uint64_t rank_beyond(std::uint64_t word, std::uint64_t slot) const noexcept;

  std::uint64_t items_;
  perfect_level first_;
  memory_vector<perfect_level> later_;
  memory kept_;             // the words of keys that no level has, in ascending order
  ascending_list numbers_;  // for each slot from size() on
};

}  // namespace hortus
