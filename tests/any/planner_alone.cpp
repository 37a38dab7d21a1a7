// Uses only the planner, for every family: no file, memory map or vector kernel is linked.
#include <cstdio>

#include <hortus/any/card.hpp>

int main() {
  std::size_t planned = 0;
  for (auto const& family : hortus::cards()) {
    auto const offer = family.plan({.items = 1'000'000, .fpr = 0.01, .settings = {}});
    if (offer.size_bytes == 0 || offer.fpr > 0.01 || !hortus::tells_keys_apart(offer)) {
      std::printf("%s: %llu bytes at %g\n", hortus::called(family.name).c_str(),
                  static_cast<unsigned long long>(offer.size_bytes), offer.fpr);
      return 1;
    }
    auto const least = hortus::best_fpr_in(family, {.items = 1'000'000, .fpr = 0.01, .settings = {}}, offer.size_bytes);
    if (least > 0.01 * (1 + 1e-6)) return 1;
    ++planned;
  }
  std::printf("%zu families planned\n", planned);
  return planned == 0 ? 1 : 0;
}
