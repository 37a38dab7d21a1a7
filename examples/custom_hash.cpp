// A hash of one's own. Its id is from the range that hortus leaves to users, so that no release ever takes the file for
// another.
#include <cstdio>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>

// FNV-1a. Its upper bits are weak, and filters use all 64: digest::of_hash() mixes them.
class fnv {
 public:
  static constexpr std::uint32_t id = hortus::first_user_hash_id + 0x4242;  // in files; keep it for ever
  static constexpr std::string_view name = "fnv";

  fnv() = default;
  explicit fnv(std::uint64_t seed) : seed_(seed) {}  // as files are read
  hortus::digest of_integer(std::uint64_t x) const noexcept { return hortus::digest::of_hash(x ^ seed_); }
  hortus::digest of_bytes(std::span<std::byte const> bytes) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed_;
    for (auto const byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
    return hortus::digest::of_hash(hash);
  }
  std::uint64_t seed() const noexcept { return seed_; }
  std::uint64_t check() const noexcept { return 0; }  // not keyed
  bool operator==(fnv const&) const = default;

 private:
  std::uint64_t seed_ = 0;
};

int main() {
  using fnv_filter = hortus::of_keys<hortus::bloom<>, fnv>;
  fnv_filter seen({.items = 1000, .fpr = 0.001}, fnv(7));
  seen.insert(std::vector<std::string>{"ada", "grace"});
  hortus::save(seen, "seen.hortus");

  auto const again = hortus::load<fnv_filter>("seen.hortus");
  std::printf("ada: %s, bob: %s\n", again.may_contain("ada") ? "may be there" : "surely not",
              again.may_contain("bob") ? "may be there" : "surely not");

  // A program without that hash can describe, merge and fold the file, and ask it by digests.
  auto const any = hortus::load("seen.hortus");
  std::printf("hash: %s, about %.0f keys\n", hortus::hash_name(any.about().hash_id).c_str(), any.estimate().value);
  std::printf("by digest: %s\n", any.may_contain(seen.digest_of("grace")) ? "may be there" : "surely not");
  try {
    (void)any.may_contain("grace");
  } catch (hortus::error const& e) {
    std::printf("by key: %s\n", e.what());
  }
}
