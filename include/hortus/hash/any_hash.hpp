#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <hortus/error.hpp>
#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/hash/xxh64.hpp>

namespace hortus {

/// The hash of a keyed filter whose secret key is not at hand: enough to describe, merge and fold the filter, not to ask it.
class locked_hash {
 public:
  locked_hash(std::uint32_t id, std::uint64_t check) : id_(id), check_(check) {}
  [[noreturn]] digest of_integer(std::uint64_t) const { refuse(); }
  [[noreturn]] digest of_bytes(std::span<std::byte const>) const { refuse(); }
  [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t check() const noexcept { return check_; }
  bool operator==(locked_hash const&) const = default;

 private:
  [[noreturn]] static void refuse() {
    throw error(errc::wrong_key, "this filter was made with a secret key; to use it, give the same key");
  }
  std::uint32_t id_;
  std::uint64_t check_;
};

/// The hashes that a file may name, and the one for want of a key.
using hash_choice = std::variant<xxh3, xxh64, siphash, siphash24, locked_hash>;

template <class Hash>
concept hash_to_choose = std::constructible_from<hash_choice, Hash>;

/// A hash chosen at run time, as files do. In batches the choice is made once a batch, not once a key.
class any_hash {
 public:
  /// act(the hash it is)
  decltype(auto) visit(auto act) const { return std::visit(act, choice_); }

  any_hash() = default;  ///< the default hash with seed 0
  template <hash_to_choose Hash>
  any_hash(Hash hash) : choice_(std::move(hash)) {}  // NOLINT(google-explicit-constructor): any of them is one of these

  [[nodiscard]] digest of_integer(std::uint64_t x) const {
    return visit([x](auto const& h) { return h.of_integer(x); });
  }
  [[nodiscard]] digest of_bytes(std::span<std::byte const> bytes) const {
    return visit([bytes](auto const& h) { return h.of_bytes(bytes); });
  }
  [[nodiscard]] std::uint32_t id() const {
    return visit([](auto const& h) { return hash_id(h); });
  }
  [[nodiscard]] std::uint64_t seed() const {
    return visit([](auto const& h) { return h.seed(); });
  }
  [[nodiscard]] std::uint64_t check() const {
    return visit([](auto const& h) { return h.check(); });
  }
  /// Keyed filters are equal when their check values are, whether or not the key is at hand.
  bool operator==(any_hash const& other) const {
    return id() == other.id() && seed() == other.seed() && check() == other.check();
  }

 private:
  hash_choice choice_;
};

/// One choice for a whole batch: found by with_hash() in of_keys.
void with_hash(any_hash const& hash, auto act) { hash.visit(act); }

/// "xxh3" for 1, and so on; "unknown" for an id of the future.
constexpr std::string_view hash_name(std::uint32_t id) noexcept {
  switch (id) {
    case xxh3::id:
      return xxh3::name;
    case xxh64::id:
      return xxh64::name;
    case siphash::id:
      return siphash::name;
    case siphash24::id:
      return siphash24::name;
    default:
      return "unknown";
  }
}

/// What must hold of every file of a keyed filter, whether or not the key is at hand.
inline void check_keyed(std::uint64_t seed, std::uint64_t check) {
  if (seed != 0) throw error(errc::corrupt, "a keyed filter with a seed");
  if (check == 0) throw error(errc::corrupt, "a keyed filter without the check value of its key");
}

/// The hash a file was made with. What the file says (id, seed, check value of a secret key) must fit both the type asked for
/// and the key that was given; a key for a filter that has none is refused too, because it would be ignored.
template <class Hash>
Hash hash_from(std::uint32_t id, std::uint64_t seed, std::uint64_t check, std::optional<secret_key> const& key) {
  if constexpr (std::same_as<Hash, any_hash>) {
    switch (id) {
      case xxh3::id:
        return hash_from<xxh3>(id, seed, check, key);
      case xxh64::id:
        return hash_from<xxh64>(id, seed, check, key);
      case siphash::id:
        if (key) return hash_from<siphash>(id, seed, check, key);
        break;
      case siphash24::id:
        if (key) return hash_from<siphash24>(id, seed, check, key);
        break;
      default:
        throw error(errc::unsupported, "hashed with hash number " + std::to_string(id) + ", which this release does not know");
    }
    check_keyed(seed, check);
    return locked_hash(id, check);
  } else {
    if (id != Hash::id)
      throw error(errc::incompatible, "hashed with " + std::string(hash_name(id)) + ", not with " + std::string(Hash::name));
    if constexpr (std::constructible_from<Hash, secret_key>) {
      check_keyed(seed, check);
      if (!key) throw error(errc::wrong_key, "was made with a secret key; to use it, give the same key");
      Hash hash(*key);
      if (hash.check() != check) throw error(errc::wrong_key, "was made with another secret key than the one given");
      return hash;
    } else {
      if (check != 0) throw error(errc::corrupt, "a filter without secret key that has a check value for one");
      if (key) throw error(errc::wrong_key, "was made without a secret key; leave the key away");
      return Hash(seed);
    }
  }
}

}  // namespace hortus
