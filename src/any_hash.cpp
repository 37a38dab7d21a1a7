#include <hortus/hash/any_hash.hpp>

#include <array>
#include <cstdio>

namespace hortus {

static_assert(xxh3::id < first_user_hash_id && xxh64::id < first_user_hash_id && siphash::id < first_user_hash_id &&
              siphash24::id < first_user_hash_id);

std::string hash_name(std::uint32_t id) {
  switch (id) {
    case xxh3::id:
      return std::string(xxh3::name);
    case xxh64::id:
      return std::string(xxh64::name);
    case siphash::id:
      return std::string(siphash::name);
    case siphash24::id:
      return std::string(siphash24::name);
    default:
      break;
  }
  if (id < first_user_hash_id) return "unknown (" + std::to_string(id) + ")";
  std::array<char, 32> text;
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "user-defined (0x%08x)", id))};
}

void locked_hash::refuse() {
  throw error(errc::wrong_key, "this filter was made with a secret key; to use it, give the same key");
}

void foreign_hash::refuse() const {
  throw error(errc::unsupported, "this filter was made with a hash that is " + hash_name(id_) +
                                     ": keys can be asked by the program that has it, or by their digests");
}

digest any_hash::of_integer_by_choice(std::uint64_t x) const {
  return std::visit([x](auto const& h) { return h.of_integer(x); }, choice_);
}
digest any_hash::of_bytes_by_choice(std::span<std::byte const> bytes) const {
  return std::visit([bytes](auto const& h) { return h.of_bytes(bytes); }, choice_);
}
void any_hash::of_integers(std::span<std::uint64_t const> xs, digest* out) const {
  auto const each = [xs, out](auto h) {
    if constexpr (batched_integer_hash<decltype(h)>)
      h.of_integers(xs, out);
    else
      for (std::size_t i = 0; i < xs.size(); ++i) out[i] = h.of_integer(xs[i]);
  };
  std::visit(each, choice_);
}
void any_hash::of_texts(std::span<std::string_view const> texts, digest* out) const {
  // Captured by value, and the hash passed by value: otherwise the compiler must reload them for every key, because a store
  // could change them.
  auto const each = [texts, out](auto h) {
    for (std::size_t i = 0; i < texts.size(); ++i) out[i] = h.of_bytes(std::as_bytes(std::span(texts[i])));
  };
  std::visit(each, choice_);
}

std::uint32_t any_hash::id() const noexcept {
  return std::visit([](auto const& h) { return hash_id(h); }, choice_);
}
std::uint64_t any_hash::seed() const noexcept {
  return std::visit([](auto const& h) { return h.seed(); }, choice_);
}
std::uint64_t any_hash::check() const noexcept {
  return std::visit([](auto const& h) { return h.check(); }, choice_);
}

void check_keyed(std::uint64_t seed, std::uint64_t check) {
  if (seed != 0) throw error(errc::corrupt, "a keyed filter with a seed");
  if (check == 0) throw error(errc::corrupt, "a keyed filter without the check value of its key");
}

any_hash any_hash_from(std::uint32_t id, std::uint64_t seed, std::uint64_t check, std::optional<secret_key> const& key) {
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
      if (id < first_user_hash_id)
        throw error(errc::unsupported, "hashed with hash number " + std::to_string(id) + ", which this release does not know");
      if (check != 0) check_keyed(seed, check);
      if (key)
        throw error(errc::wrong_key, "was made with a hash that is " + hash_name(id) +
                                         ", for which a key is of no use here; leave the key away");
      return foreign_hash(id, seed, check);
  }
  check_keyed(seed, check);
  return locked_hash(id, check);
}

}  // namespace hortus
