#pragma once
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include <hortus/error.hpp>

namespace hortus {

/// The fields of two params that differ, in words: "bits (1024 and 2048), probes (7 and 5)". Empty if none does.
template <class Params>
[[nodiscard]] std::string differences(Params const& a, Params const& b) {
  auto const text = [](auto number) {
    if constexpr (std::is_floating_point_v<decltype(number)>) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.4g", number);
      return std::string(digits);
    } else {
      return std::to_string(number);
    }
  };
  // Each field of a is compared with the field of the same name and type in b.
  std::string found;
  auto const of_a = [&](std::string_view name, auto const& left, auto const&...) {
    auto const of_b = [&](std::string_view other, auto const& right, auto const&...) {
      if constexpr (std::same_as<decltype(left), decltype(right)>)
        if (name == other && !(left == right))
          found += (found.empty() ? "" : ", ") + std::string(name) + " (" + text(left) + " and " + text(right) + ")";
    };
    Params::fields(b, of_b);
  };
  Params::fields(a, of_a);
  return found;
}

/// Throws errc::incompatible, naming the differences, unless both filters have the same shape. Only then do their cells
/// correspond.
template <class Family>
void check_equal_shape(Family const& a, Family const& b) {
  if (a.shape() == b.shape()) return;
  throw error(errc::incompatible, std::string(Family::name) + ": only filters of the same shape combine; these differ in " +
                                      differences(a.shape(), b.shape()));
}

}  // namespace hortus
