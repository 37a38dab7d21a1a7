#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/hash/siphash.hpp>
#include <hortus/sets/coded_symbol.hpp>

namespace hortus::sets {

/// The keys of one side, of any length, for two passes: one to hash them, one to find those that the other side lacks.
class key_source {
 public:
  using block_action = std::function<void(std::span<std::string_view const>)>;

  key_source() = default;
  key_source(key_source const&) = delete;
  key_source& operator=(key_source const&) = delete;
  virtual ~key_source() = default;

  /// Calls act with all keys, some at a time. Every call must deliver the same keys; duplicates are allowed.
  virtual void for_each_block(block_action const& act) const = 0;
};

/// Keys in memory that the caller owns.
class keys_in_memory final : public key_source {
 public:
  explicit keys_in_memory(std::span<std::string_view const> keys) noexcept : keys_(keys) {}
  void for_each_block(block_action const& act) const override { act(keys_); }

 private:
  std::span<std::string_view const> keys_;
};

/// 128 bits that stand for a key of any length. Two of 10^8 keys share them with probability 1.5e-23, whoever chose the keys,
/// as long as the secret was drawn after that.
using key_digest = fixed_key<16>;

class key_digester {
 public:
  explicit key_digester(secret_key const& secret) noexcept : low_(derived(secret, 1)), high_(derived(secret, 2)) {}
  [[nodiscard]] key_digest operator()(std::string_view key) const noexcept;

  /// A secret for another purpose, from which this one does not follow.
  [[nodiscard]] static secret_key derived(secret_key const& secret, std::uint64_t purpose) noexcept;

 private:
  siphash24 low_;
  siphash24 high_;
};

/// Calls act(key) for each key of the source whose digest is among `wanted`, once each. Returns how many were found.
std::uint64_t find_keys(key_source const& source, key_digester const& digest, std::span<key_digest const> wanted,
                        std::function<void(std::string_view)> const& act);

/// Keys of any length, one after the other, in few allocations.
class key_list {
 public:
  void add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    auto const begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

}  // namespace hortus::sets
