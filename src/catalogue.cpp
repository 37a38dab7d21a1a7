#include <hortus/any/catalogue.hpp>

#include <vector>

namespace hortus {

#define HORTUS_FAMILY(name, ...) family_info entry_of_##name(card const&);
#include <hortus/any/families.def>
#undef HORTUS_FAMILY

std::span<family_info const> catalogue() {
#define HORTUS_FAMILY(name, ...) entry_of_##name(card_of(#name)),
  static std::vector<family_info> const all{
#include <hortus/any/families.def>
  };
#undef HORTUS_FAMILY
  return all;
}

family_info const& family_named(std::string_view name) {
  auto const& its = card_of(name);  // throws if there is no such family
  return catalogue()[static_cast<std::size_t>(&its - cards().data())];
}

}  // namespace hortus
