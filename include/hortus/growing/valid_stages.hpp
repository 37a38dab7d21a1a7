#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hortus/growing/growth_policy.hpp>
#include <hortus/growing/stage.hpp>

/// Checks that a filter can have these stages. Applied to every file that is read.
namespace hortus {

/// Does stage i have the capacity of a stage that follows stage i - 1? If the Layer can erase, stages in between may have been
/// dropped, so it may be larger.
template <stage_layer Layer>
bool follows(growth_policy auto const& growth, std::span<stage<Layer> const> stages, std::size_t i) {
  auto const least = i == 0 ? growth.first() : growth.next(stages[i - 1].capacity);
  return erasable<Layer> ? stages[i].capacity >= least : stages[i].capacity == least;
}

/// Can stage i have the number of keys that the file claims? A family that never erases closes a stage only when it is full.
/// The cells do not show the number of keys, so the file is believed. The number only decides when a stage is opened or
/// dropped. Whatever it is, files written later can be read again.
template <stage_layer Layer>
bool keys_fit(std::span<stage<Layer> const> stages, std::size_t i) {
  auto const& s = stages[i];
  bool const only = stages.size() == 1;
  if (std::max(s.keys, s.copies) > s.most) return false;
  if (erasable<Layer>) return s.keys <= s.copies && (only || s.copies != 0);
  if (i + 1 != stages.size()) return s.keys == s.capacity;
  return (only || s.keys != 0) && (s.keys <= s.capacity || stages.size() == max_stages);
}

/// Is the filter large enough for its keys at its rate? Not checked if the next stage has the same size, because then a wrong
/// size does no harm.
template <stage_layer Layer>
bool keeps_rate(growth_policy auto const& growth, stage<Layer> const& s) {
  if (growth.next(s.capacity) == s.capacity) return true;
  auto const shape = s.filter.shape();
  double const rate = growth.fpr_of(s.capacity);
  // Every filter needs at least log2(1/rate) bits per key. With fewer the rate need not be computed.
  return 8 * static_cast<double>(Layer::planned_bytes(shape)) >= static_cast<double>(s.capacity) * -std::log2(rate) &&
         Layer::planned_fpr(shape, s.capacity) <= 1.01 * rate;
}

/// Shapes are not compared with a new plan, because another machine's logarithms may differ in the last digit. But a stage must
/// be large enough for its keys, so that a false claim in a small file cannot make the next stage huge.
template <stage_layer Layer>
bool valid_stages(growth_policy auto const& growth, std::span<stage<Layer> const> stages) {
  if (!growth.valid() || stages.empty() || stages.size() > max_stages) return false;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto const& s = stages[i];
    if (!s.filter.valid() || !growth.is_stage(s.capacity) || !follows(growth, stages, i) || !keys_fit(stages, i)) return false;
    bool const like_first = i != 0 && s.capacity == stages.front().capacity;
    if (like_first ? s.filter.shape() != stages.front().filter.shape() : !keeps_rate(growth, s)) return false;
  }
  return true;
}

}  // namespace hortus
