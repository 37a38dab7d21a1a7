#include <hortus/hortus.hpp>

#include <cstdio>

int main() {
  hortus::bloom_filter seen({.items = 1'000'000, .fpr = 0.01});   // 1.2 MB, whatever the keys are
  seen.insert("ada");                                             // text, bytes, integers
  seen.insert(std::vector<std::uint64_t>{4, 8, 15, 16, 23, 42});  // a batch

  std::printf("ada: %s\n", seen.may_contain(std::string("ada")) ? "may be there" : "surely not");
  std::printf("bob: %s\n", seen.may_contain("bob") ? "may be there" : "surely not");

  hortus::save(seen, "seen.hortus");                                     // atomic, checksummed
  auto const again = hortus::open<hortus::bloom_filter>("seen.hortus");  // mapped, not copied
  std::printf("about %.0f keys, rate now %.2g\n", again.estimate().value, again.fpr());
}
