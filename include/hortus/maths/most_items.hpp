#pragma once
#include <cstdint>

namespace hortus::plan {

/// The most keys with which a filter keeps a rate, by what fpr_with(items) says of it: a rate that does not fall with more
/// keys. At least 1, which a plan is for.
[[nodiscard]] std::uint64_t most_items(auto fpr_with, double fpr) {
  std::uint64_t most = 1;
  std::uint64_t too_many = 2;
  for (; too_many >> 62 == 0 && fpr_with(too_many) <= fpr; too_many *= 2) most = too_many;
  while (too_many - most > 1) {
    auto const middle = most + (too_many - most) / 2;
    (fpr_with(middle) <= fpr ? most : too_many) = middle;
  }
  return most;
}

}  // namespace hortus::plan
