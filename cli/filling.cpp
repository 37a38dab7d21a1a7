#include "cli/filling.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

filling::filling(any_filter& into) : into_(into), can_refuse_(family_named(into.about().family).can_refuse) {
  if (can_refuse_ && into.family().has(verb::estimate)) before_ = into.estimate().high;
}

void filling::insert(std::span<std::string_view const> lines) {
  offered_ += lines.size();
  if (!can_refuse_) {
    (void)into_.insert(lines);
    return;
  }
  auto const known = into_.may_contain(lines);
  (void)digests_of_lines(into_.hash(), lines, block_);
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!known[i]) block_[fresh++] = block_[i];
  new_.add(std::span<digest const>(block_).first(fresh));
  refused_ += lines.size() - into_.insert(lines);
}

std::uint64_t filling::items_needed() { return rounded_up(before_ + static_cast<double>(new_.at_most())); }

void filling::check_all_went_in(std::string const& consequence, bool json) {
  if (refused_ == 0) return;
  auto const about = into_.about();
  if (json)
    print_json({{"family", about.family},
                {"items_planned", about.items_planned},
                {"keys_refused", refused_},
                {"items_needed", items_needed()}});
  throw error(errc::full, fmt::format("{} of {} keys did not fit into {} for {}, which is full: {}; -n {} would do", refused_,
                                      offered_, one(about.family), about.items_planned, consequence, items_needed()));
}

}  // namespace hortus::cli
