#pragma once
#include <concepts>
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

/// "xxh3" for 1, and so on; "user-defined (0x80000001)"; "unknown (9)" for an id that this version does not know.
[[nodiscard]] std::string hash_name(std::uint32_t id);

/// The hash of a keyed filter whose secret key is not available. The filter can be described, merged and folded, but not
/// queried.
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
  [[noreturn]] static void refuse();
  std::uint32_t id_;
  std::uint64_t check_;
};

/// The hash of a filter that was made with a user-defined hash, which only the user's program has. Such filters can be
/// described, merged, folded, and queried by digest.
class foreign_hash {
 public:
  foreign_hash(std::uint32_t id, std::uint64_t seed, std::uint64_t check) : id_(id), seed_(seed), check_(check) {}
  [[noreturn]] digest of_integer(std::uint64_t) const { refuse(); }
  [[noreturn]] digest of_bytes(std::span<std::byte const>) const { refuse(); }
  [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::uint64_t check() const noexcept { return check_; }
  bool operator==(foreign_hash const&) const = default;

 private:
  [[noreturn]] void refuse() const;
  std::uint32_t id_;
  std::uint64_t seed_;
  std::uint64_t check_;
};

/// The hashes that a file may name, and the placeholders for a hash that is not available.
using hash_choice = std::variant<xxh3, xxh64, siphash, siphash24, locked_hash, foreign_hash>;

template <class Hash, class Choice>
inline constexpr bool is_a_choice = false;
template <class Hash, class... Hashes>
inline constexpr bool is_a_choice<Hash, std::variant<Hashes...>> = (std::same_as<Hash, Hashes> || ...);

template <class Hash>
concept hash_to_choose = is_a_choice<Hash, hash_choice>;  // exactly one of these types, not one derived from it

/// A hash chosen at run time, as when a file is loaded. In batches the choice is made once for many keys. The hashing is in
/// src/any_hash.cpp, so that the hashes are not compiled again wherever a filter is used. Only single keys of the default
/// hash are hashed inline.
class any_hash {
 public:
  any_hash() = default;  ///< the default hash with seed 0
  template <hash_to_choose Hash>
  any_hash(Hash hash) : choice_(std::move(hash)) {}  // NOLINT(google-explicit-constructor): each of them is an any_hash

  [[nodiscard]] digest of_integer(std::uint64_t x) const {
    auto const* const usual = std::get_if<default_hash>(&choice_);
    return usual != nullptr ? usual->of_integer(x) : of_integer_by_choice(x);
  }
  [[nodiscard]] digest of_bytes(std::span<std::byte const> bytes) const {
    auto const* const usual = std::get_if<default_hash>(&choice_);
    return usual != nullptr ? usual->of_bytes(bytes) : of_bytes_by_choice(bytes);
  }
  void of_integers(std::span<std::uint64_t const> xs, digest* out) const;
  void of_texts(std::span<std::string_view const> texts, digest* out) const;

  [[nodiscard]] std::uint32_t id() const noexcept;
  [[nodiscard]] std::uint64_t seed() const noexcept;
  [[nodiscard]] std::uint64_t check() const noexcept;
  /// Does it hold this type? `hash.is<locked_hash>()`
  template <hash_to_choose Hash>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<Hash>(choice_);
  }
  /// Keyed hashes are equal when their check values are, whether or not the key is available.
  bool operator==(any_hash const& other) const noexcept {
    return id() == other.id() && seed() == other.seed() && check() == other.check();
  }

 private:
  [[nodiscard]] digest of_integer_by_choice(std::uint64_t x) const;
  [[nodiscard]] digest of_bytes_by_choice(std::span<std::byte const> bytes) const;

  hash_choice choice_;
};

/// A hash whose filters can be stored: one of hortus, or a user-defined one with an id from the range reserved for users.
template <class Hash>
concept storable_hash = std::same_as<Hash, any_hash> || hash_to_choose<Hash> || Hash::id >= first_user_hash_id;

/// Throws unless the header of a keyed filter is valid; that can be checked with or without the key.
void check_keyed(std::uint64_t seed, std::uint64_t check);

/// The hash that a file names. If its secret key is missing, or if it is user-defined, a placeholder.
[[nodiscard]] any_hash any_hash_from(std::uint32_t id, std::uint64_t seed, std::uint64_t check,
                                     std::optional<secret_key> const& key);

/// The hash a file was made with. The id, seed and check value of a secret key in the file must match both the type `Hash`
/// and the given key. A key for a filter that has none is refused too, because it would be ignored.
template <class Hash>
Hash hash_from(std::uint32_t id, std::uint64_t seed, std::uint64_t check, std::optional<secret_key> const& key) {
  if constexpr (std::same_as<Hash, any_hash>) {
    return any_hash_from(id, seed, check, key);
  } else {
    if (id != Hash::id)
      throw error(errc::incompatible, "hashed with " + hash_name(id) + ", not with " + std::string(Hash::name));
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
