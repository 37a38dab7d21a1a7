#pragma once
#include <string_view>

#include <hortus/concepts.hpp>

namespace hortus::cli {

/// The spelling that scripts rely on.
constexpr std::string_view name_of(false_negatives when) {
  switch (when) {
    case false_negatives::never:
      return "never";
    case false_negatives::by_misuse:
      return "by_misuse";
    case false_negatives::by_age:
      return "by_age";
    case false_negatives::by_chance:
      return "by_chance";
  }
  return "";
}

}  // namespace hortus::cli
