#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/secret_key.hpp>

namespace hortus {

namespace detail {

/// SipHash's four state words: absorb the message word by word, then finish. The names v0 to v3 and all constants are the
/// paper's.
template <int CompressionRounds, int FinalRounds>
class sip_state {
 public:
  explicit constexpr sip_state(secret_key const& key) noexcept {
    auto const k0 = little_endian_load<std::uint64_t>(key.bytes().data());
    auto const k1 = little_endian_load<std::uint64_t>(key.bytes().data() + 8);
    v0_ ^= k0, v1_ ^= k1, v2_ ^= k0, v3_ ^= k1;
  }

  constexpr void absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    rounds<CompressionRounds>();
    v0_ ^= word;
  }

  constexpr std::uint64_t finish() noexcept {
    v2_ ^= 0xff;
    rounds<FinalRounds>();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

  /// Hashes a whole message: its 8-byte words, then a last word with the remaining bytes and, on top, the lowest byte of the
  /// length.
  constexpr std::uint64_t of(std::span<std::byte const> bytes) && noexcept {
    auto const length = static_cast<std::uint64_t>(bytes.size());
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) absorb(little_endian_load<std::uint64_t>(bytes.data()));
    absorb(length << 56 | little_endian_tail(bytes.data(), bytes.size()));
    return finish();
  }

 private:
  template <int Rounds>
  constexpr void rounds() noexcept {
    for (int i = 0; i < Rounds; ++i) {
      v0_ += v1_, v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_, v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v1_, v0_ += v3_;
      v1_ = std::rotl(v1_, 17) ^ v2_, v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  // "somepseudorandomlygeneratedbytes"
  std::uint64_t v0_ = 0x736f6d6570736575U, v1_ = 0x646f72616e646f6dU, v2_ = 0x6c7967656e657261U, v3_ = 0x7465646279746573U;
};

}  // namespace detail

/// SipHash: a hash with a secret key. An attacker without the key cannot make keys that collide or that fill chosen bits.
///
/// Promise  digests that cannot be predicted without the key. An integer is hashed as its 8 little-endian bytes.
/// Price    1-3: 7 ns for an integer, 10 ns for 20 bytes, 4 GB/s for long keys; 2-4: 12 ns, 16 ns, 2 GB/s.
/// Lacks    a seed: the key takes its place. Files store check(), never the key.
/// Source   J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012. 1-3 has fewer
///          rounds than the paper's 2-4; it is what the hash tables of Rust and Python use, where, as here, the adversary
///          never sees a digest.
template <int CompressionRounds, int FinalRounds>
class basic_siphash {
  static_assert((CompressionRounds == 1 && FinalRounds == 3) || (CompressionRounds == 2 && FinalRounds == 4),
                "only SipHash-1-3 and SipHash-2-4 have a number in files");

 public:
  static constexpr std::uint32_t id = CompressionRounds == 1 ? 3 : 4;
  static constexpr std::string_view name = CompressionRounds == 1 ? "siphash13" : "siphash24";

  /// With the all-zero key, which is not a secret. For a hash that will be assigned to, as in a container.
  constexpr basic_siphash() noexcept : basic_siphash(secret_key()) {}
  explicit constexpr basic_siphash(secret_key const& key) noexcept : key_(key), start_(key) {}

  [[nodiscard]] constexpr digest of_integer(std::uint64_t x) const noexcept {
    auto state = start_;
    state.absorb(x);
    state.absorb(std::uint64_t{8} << 56);  // no bytes left over, 8 in all
    return digest(state.finish());
  }
  [[nodiscard]] constexpr digest of_bytes(std::span<std::byte const> bytes) const noexcept {
    return digest(detail::sip_state(start_).of(bytes));
  }

  [[nodiscard]] constexpr std::uint64_t seed() const noexcept { return 0; }

  /// Detects a wrong key without revealing the key: a label hashed with 4-8 rounds, the paper's most conservative choice, which
  /// no digest uses. Never 0.
  [[nodiscard]] constexpr std::uint64_t check() const noexcept {
    constexpr std::string_view label = "hortus: check of a secret key";
    std::array<std::byte, label.size()> bytes{};
    std::transform(label.begin(), label.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    auto const value = detail::sip_state<4, 8>(key_).of(bytes);
    return value != 0 ? value : 1;
  }
  constexpr bool operator==(basic_siphash const& other) const noexcept { return key_ == other.key_; }

 private:
  secret_key key_;
  detail::sip_state<CompressionRounds, FinalRounds> start_;  // initialised with the key
};

using siphash = basic_siphash<1, 3>;
using siphash24 = basic_siphash<2, 4>;

static_assert(hash_policy<siphash> && hash_policy<siphash24> && siphash::id != siphash24::id);

}  // namespace hortus
