// Mistakes of users of filters. Each case must fail, with a message that names what is missing; case 0 is the control.
// CASE 0: control
// CASE 1: erasable
// CASE 2: digestible
// CASE 3: key_hash
// CASE 4: index_policy
// CASE 5: (convert|conversion).*hortus::digest
// CASE 6: family
// CASE 7: insert\(int\) const|has type .const|marked const
// CASE 8: hash_without_key
// CASE 9: nodiscard
// CASE 10: nodiscard
// CASE 11: first_user_hash_id
// CASE 12: weighted|times_type
// CASE 13: separable
#include <string>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/counting/d_left.hpp>
#include <hortus/io/store.hpp>
#include <hortus/parallel.hpp>

struct point {
  char tag;
  int x;
};
struct half_a_hash {
  static constexpr std::uint32_t id = 8;
};
struct bad_walk {
  int next();
};
struct not_a_family {};
struct hash_with_a_number_of_hortus : hortus::xxh3 {
  using xxh3::xxh3;
  static constexpr std::uint32_t id = 8;
};

int main() {
  hortus::bloom_filter f({.items = 10, .fpr = 0.01});
#if CASE == 0
  f.insert(1);
  f.insert(std::vector<std::string>{"a", "b"});
#elif CASE == 1
  f.erase(1);  // a verb that bloom lacks
#elif CASE == 2
  f.insert(point{'a', 2});  // padding is no content
#elif CASE == 3
  hortus::of_keys<hortus::bloom<>, half_a_hash> g({.items = 10});
#elif CASE == 4
  hortus::bloom<bad_walk> g;
#elif CASE == 5
  hortus::bloom<> g({.bits = 64, .probes = 3});
  g.insert(std::uint64_t{7});  // a raw number is no digest
#elif CASE == 6
  hortus::of_keys<not_a_family> g{not_a_family{}};
#elif CASE == 7
  auto const bytes = hortus::to_bytes(f);
  hortus::view<hortus::bloom_filter>(bytes)->insert(1);  // a view is not written through
#elif CASE == 8
  hortus::of_keys<hortus::bloom<>, hortus::siphash> g({.items = 10, .fpr = 0.01});  // without its key it keeps no secret
#elif CASE == 9
  hortus::d_left_filter g({.items = 10, .fpr = 0.01});
  g.insert(1);  // it can be full: ignoring the result loses keys
#elif CASE == 10
  hortus::d_left_filter g({.items = 10, .fpr = 0.01});
  g.insert(std::vector<int>{1, 2});
#elif CASE == 11
  hortus::of_keys<hortus::bloom<>, hash_with_a_number_of_hortus> g({.items = 10});
  hortus::save(g, "g");  // another release might take the file for its own
#elif CASE == 12
  f.insert("ada", 3);  // bloom does not count
#elif CASE == 13
  hortus::d_left_filter g({.items = 10, .fpr = 0.01});
  (void)hortus::insert_parallel(g, std::vector<int>{1, 2}, 2);  // where a key goes depends on the keys before it
#endif
}
