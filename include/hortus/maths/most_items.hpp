#pragma once
#include <cstdint>

namespace hortus::plan {

/// The most keys with which fpr_with(items) stays at most fpr; at least 1, because every plan is for at least one key. Pre:
/// fpr_with does not decrease with more keys.
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
