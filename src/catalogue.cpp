#include <hortus/any/catalogue.hpp>

#include <algorithm>
#include <vector>

namespace hortus {

#define HORTUS_FAMILY(name, ...) family_info entry_of_##name(card const&);
#include "compiled_families.def"
#undef HORTUS_FAMILY

std::span<family_info const> catalogue() {
#define HORTUS_FAMILY(name, ...) entry_of_##name(card_of(#name)),
  static std::vector<family_info> const all{
#include "compiled_families.def"
  };
#undef HORTUS_FAMILY
  return all;
}

family_info const& family_named(std::string_view name) {
  auto const all = catalogue();
  auto const found = std::ranges::find(all, name, &family_info::name);
  if (found == all.end()) (void)card_of(name);  // throws, and names those there are
  return *found;
}

}  // namespace hortus
