#include "cli/distinct_keys.hpp"

#include <algorithm>
#include <cmath>

namespace hortus::cli {

void distinct_keys::add(std::span<digest const> xs) {
  added_ += xs.size();
  for (auto const x : xs) {
    if (x.bits() > below_) continue;
    smallest_.push_back(x.bits());
    if (smallest_.size() >= full_) compact();
  }
}

void distinct_keys::compact() {
  std::ranges::sort(smallest_);
  smallest_.erase(std::unique(smallest_.begin(), smallest_.end()), smallest_.end());
  if (smallest_.size() > kept) smallest_.resize(kept);
  if (smallest_.size() == kept) below_ = smallest_.back();
  full_ = std::max(full_, 2 * smallest_.size());
}

std::uint64_t distinct_keys::at_most() {
  compact();
  if (smallest_.size() < kept) return smallest_.size();
  auto const k = static_cast<double>(kept);
  auto const estimate = (k - 1) / (static_cast<double>(smallest_.back()) * 0x1p-64);
  return std::min(added_, static_cast<std::uint64_t>(estimate * (1 + 4 / std::sqrt(k))));
}

}  // namespace hortus::cli
