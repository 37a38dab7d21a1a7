#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hortus/hash/keys.hpp>
#include <hortus/hash/xxh3.hpp>

namespace hortus::cli {

/// The most frequent keys of a stream, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi, "Efficient computation of
/// frequent and top-k elements in data streams", 2005). Counters are kept for as many keys as fit; a key without one takes the
/// place of the least counted, and takes its count over as a possible error. So nothing here is left to chance:
///
///     at_least <= true count <= count          of every key that has a counter
///     true count <= others_at_most()           of every other
///
/// and as long as all keys fit every count is exact. The paper has equal counters; here keys are of all lengths and the bound
/// is on bytes, so a long key may push out several, and the error it takes over is the largest count that was ever pushed out.
class top_keys {
 public:
  struct entry {
    std::string_view key;
    std::uint64_t count = 0;     ///< the key came at most this often
    std::uint64_t at_least = 0;  ///< and at least this often
  };

  explicit top_keys(std::uint64_t memory_bytes) : budget_(memory_bytes) {}

  void add(std::string_view key);

  /// The `wanted` keys with the largest counts, largest first; keys of equal counts in the order of their bytes.
  [[nodiscard]] std::vector<entry> largest(std::uint64_t wanted) const;

  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  [[nodiscard]] std::uint64_t others_at_most() const noexcept { return pushed_out_; }

 private:
  struct counter {
    std::uint64_t count = 0;
    std::uint64_t error = 0;
  };
  struct hashed {
    using is_transparent = void;
    // Not noexcept: the map then keeps the hash beside the key, and does not make it again for every key it passes.
    std::size_t operator()(std::string_view key) const { return digest_of(xxh3(), key).bits(); }
  };
  using counters = std::unordered_map<std::string, counter, hashed, std::equal_to<>>;
  void push_out_least();

  std::uint64_t budget_;
  std::uint64_t used_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t pushed_out_ = 0;
  counters counters_;
  std::map<std::uint64_t, std::vector<counters::value_type const*>> by_count_;  // by a count it once had: it only grows
};

}  // namespace hortus::cli
