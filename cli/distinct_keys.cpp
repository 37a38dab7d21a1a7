#include "cli/distinct_keys.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hortus::cli {

void distinct_keys::add(std::span<digest const> xs) {
  added_ += xs.size();
  for (auto const x : xs) {
    if (halvings_ != 0 && x.bits() >> (64 - halvings_) != 0) continue;
    if (x.bits() == 0)
      zero_ = true;
    else
      insert(x.bits());
  }
}

void distinct_keys::insert(std::uint64_t bits) {
  auto at = bits << halvings_ >> (64 - slots_log2_);
  while (slots_[at] != 0) {
    if (slots_[at] == bits) return;
    at = (at + 1) & (slots_.size() - 1);
  }
  slots_[at] = bits;
  if (2 * ++used_ > slots_.size()) make_room();
}

void distinct_keys::make_room() {
  if (slots_log2_ < most_slots_log2)
    ++slots_log2_;
  else
    ++halvings_;
  auto const old = std::exchange(slots_, std::vector<std::uint64_t>(std::size_t{1} << slots_log2_));
  used_ = 0;
  for (auto const bits : old)
    if (bits != 0 && (halvings_ == 0 || bits >> (64 - halvings_) == 0)) insert(bits);
}

std::uint64_t distinct_keys::at_most() const {
  auto const kept = used_ + (zero_ ? 1 : 0);
  if (halvings_ == 0) return kept;
  auto const sample = static_cast<double>(kept);
  return std::min(added_,
                  static_cast<std::uint64_t>(std::ldexp(sample * (1 + 4 / std::sqrt(sample)), static_cast<int>(halvings_))));
}

}  // namespace hortus::cli
