// Wrong keys and half-made policies. Built once for each CASE; every case but 0, the control, must fail, with a message that
// matches the regular expression beside its number, under g++ and clang++ alike.
//
// CASE 0: right keys and whole policies
// CASE 1: digestible
// CASE 2: digestible
// CASE 3: digestible
// CASE 4: digestible
// CASE 5: digestible
// CASE 6: key_bytes
// CASE 7: digestible
// CASE 8: digestible
// CASE 9: (could not convert|no known conversion) .*hortus::digest
// CASE 10: hash_policy
// CASE 11: noexcept
// CASE 12: never reused
// CASE 13: index_policy
// CASE 14: in \[0, range\)
// CASE 15: secret_key
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/hash/keys.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/index/multiply_chain.hpp>

using hortus::digest;
using hortus::digest_of;

struct padded {
  char c;
  int i;
};

struct half_a_hash {
  static constexpr std::uint32_t id = 90;
  static constexpr std::string_view name = "half";
  digest of_integer(std::uint64_t x) const noexcept { return digest(x); }
  bool operator==(half_a_hash const&) const = default;
};

struct throwing_hash : half_a_hash {
  digest of_bytes(std::span<std::byte const>) const { return digest(); }
  std::uint64_t seed() const noexcept { return 0; }
  std::uint64_t check() const noexcept { return 0; }
  bool operator==(throwing_hash const&) const = default;
};

struct nameless_hash {
  digest of_integer(std::uint64_t x) const noexcept { return digest(x); }
  digest of_bytes(std::span<std::byte const>) const noexcept { return digest(); }
  std::uint64_t seed() const noexcept { return 0; }
  std::uint64_t check() const noexcept { return 0; }
  bool operator==(nameless_hash const&) const = default;
};

struct bad_walk {
  static constexpr std::uint32_t id = 91;
  static constexpr std::string_view name = "bad walk";
  static constexpr bool folds = false;
  bad_walk(digest, std::uint64_t) {}
  int next() noexcept { return 0; }
};

template <hortus::hash_policy Hash>
void use_hash(Hash const&) {}
template <hortus::index_policy Index>
void use_index() {}
void takes_digest(digest) {}

int main() {
  hortus::xxh3 const hash;
  int number = 7;
  (void)number;
#if CASE == 0
  (void)digest_of(hash, number);
  (void)digest_of(hash, "text");
  (void)digest_of(hash, std::vector<std::uint8_t>{1, 2});
  takes_digest(digest_of(hash, digest(7)));
  use_hash(hortus::siphash(hortus::secret_key(std::array<std::byte, 16>{})));
  use_index<hortus::multiply_chain>();
#elif CASE == 1
  (void)digest_of(hash, &number);  // a pointer is an address, not content
#elif CASE == 2
  (void)digest_of(hash, padded{'a', 1});  // padding is not content
#elif CASE == 3
  (void)digest_of(hash, 1.5);  // 0.0 and -0.0 are equal, and there are many NaNs
#elif CASE == 4
  (void)digest_of(hash, nullptr);
#elif CASE == 5
  (void)digest_of(hash, std::vector<std::string>{"a", "b"});  // many keys, not one
#elif CASE == 6
  (void)digest_of(hash, padded{'a', 1});  // the message shows the way out
#elif CASE == 7
  __extension__ using wide = unsigned __int128;
  (void)digest_of(hash, wide{1});  // 64 bits of it would be lost
#elif CASE == 8
  (void)digest_of(hash, std::wstring(L"ab"));  // neither bytes nor integers
#elif CASE == 9
  takes_digest(std::uint64_t{7});  // a raw number is no digest
#elif CASE == 10
  use_hash(half_a_hash());
#elif CASE == 11
  use_hash(throwing_hash());
#elif CASE == 12
  use_hash(nameless_hash());
#elif CASE == 13
  use_index<hortus::xxh3>();
#elif CASE == 14
  use_index<bad_walk>();
#elif CASE == 15
  (void)hortus::siphash(hortus::secret_key(std::array<std::byte, 8>{}));  // half a secret key
#endif
}
