#include <hortus/any/any_filter.hpp>

namespace hortus {

any_filter make_filter(std::string_view family, request const& wish, any_hash hash) {
  return {family_named(family).make(wish), std::move(hash), envelope{.items_planned = wish.items, .fpr_planned = wish.fpr}};
}

}  // namespace hortus
