#pragma once
#include <cstdint>

namespace hortus {

/// What you want of a filter. A family's plan() turns one into its own params. Zero items are planned as one.
struct goal {
  std::uint64_t items = 0;  ///< distinct keys it will hold
  double fpr = 0.01;        ///< chance that a key never inserted is found, once all items are in
  bool operator==(goal const&) const = default;
};

}  // namespace hortus
