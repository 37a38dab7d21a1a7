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

/// "xxh3" for 1, and so on; "user-defined (0x80000001)"; "unknown (9)" for an id of the future.
[[nodiscard]] std::string hash_name(std::uint32_t id);

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
  [[noreturn]] static void refuse();
  std::uint32_t id_;
  std::uint64_t check_;
};

/// The hash of a filter that was made with a user's own, which only that user's program has. Filters of it can be described,
/// merged, folded, and asked by digests.
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

/// The hashes that a file may name, and those that stand in for one that is not at hand.
using hash_choice = std::variant<xxh3, xxh64, siphash, siphash24, locked_hash, foreign_hash>;

template <class Hash, class Choice>
inline constexpr bool is_a_choice = false;
template <class Hash, class... Hashes>
inline constexpr bool is_a_choice<Hash, std::variant<Hashes...>> = (std::same_as<Hash, Hashes> || ...);

template <class Hash>
concept hash_to_choose = is_a_choice<Hash, hash_choice>;  // exactly: one that derives from another is not that one

/// A hash chosen at run time, as files do. In batches the choice is made once for many keys. What hashes is in
/// src/any_hash.cpp, so that the five hashes are not compiled again wherever a filter is asked; single keys of the usual one
/// are hashed here.
class any_hash {
 public:
  any_hash() = default;  ///< the default hash with seed 0
  template <hash_to_choose Hash>
  any_hash(Hash hash) : choice_(std::move(hash)) {}  // NOLINT(google-explicit-constructor): any of them is one of these

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
  /// Is it one of these? `hash.is<locked_hash>()`
  template <hash_to_choose Hash>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<Hash>(choice_);
  }
  /// Keyed filters are equal when their check values are, whether or not the key is at hand.
  bool operator==(any_hash const& other) const noexcept {
    return id() == other.id() && seed() == other.seed() && check() == other.check();
  }

 private:
  [[nodiscard]] digest of_integer_by_choice(std::uint64_t x) const;
  [[nodiscard]] digest of_bytes_by_choice(std::span<std::byte const> bytes) const;

  hash_choice choice_;
};

/// A hash whose filters can be stored: one of hortus, or a user's with a number from the range that is left to users.
template <class Hash>
concept storable_hash = std::same_as<Hash, any_hash> || hash_to_choose<Hash> || Hash::id >= first_user_hash_id;

/// What must hold of every file of a keyed filter, whether or not the key is at hand.
void check_keyed(std::uint64_t seed, std::uint64_t check);

/// The hash that a file names, whichever it is; without its secret key, or if it is a user's own, one that stands in for it.
[[nodiscard]] any_hash any_hash_from(std::uint32_t id, std::uint64_t seed, std::uint64_t check,
                                     std::optional<secret_key> const& key);

/// The hash a file was made with. What the file says (id, seed, check value of a secret key) must fit both the type asked for
/// and the key that was given; a key for a filter that has none is refused too, because it would be ignored.
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
