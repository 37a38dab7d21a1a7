#include "cli/filling.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

filling::filling(any_filter& into)
    : into_(into),
      can_refuse_(family_named(into.about().family).can_refuse),
      can_be_full_(family_named(into.about().family).can_be_full) {
  if (can_be_full_ && into.family().has(verb::estimate)) before_ = into.estimate().high;
}

void filling::insert(std::span<std::string_view const> lines) {
  offered_ += lines.size();
  if (!can_refuse_) {
    (void)into_.insert(lines);
    return;
  }
  if (can_be_full_) count_new(lines);
  refused_ += lines.size() - into_.insert(lines);
}

void filling::count_new(std::span<std::string_view const> lines) {
  auto const known = into_.may_contain(lines);
  (void)digests_of_lines(into_.hash(), lines, block_);
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!known[i]) block_[fresh++] = block_[i];
  new_.add(std::span<digest const>(block_).first(fresh));
}

std::uint64_t filling::items_needed() { return rounded_up(before_ + static_cast<double>(new_.at_most())); }

void filling::check_all_went_in(std::string const& consequence, bool json) {
  if (refused_ == 0) return;
  auto const about = into_.about();
  if (json) {
    nlohmann::ordered_json all{{"family", about.family}, {"items_planned", about.items_planned}, {"keys_refused", refused_}};
    if (can_be_full_) all["items_needed"] = items_needed();
    print_json(all);
  }
  if (!can_be_full_)
    throw error(errc::full,
                fmt::format("{} of {} keys were removed before, or are taken for one that was, and {} takes no such "
                            "key back: {}; a filter built anew does",
                            refused_, offered_, one(about.family), consequence));
  throw error(errc::full, fmt::format("{} of {} keys did not fit into {} for {}, which is full: {}; -n {} would do", refused_,
                                      offered_, one(about.family), about.items_planned, consequence, items_needed()));
}

}  // namespace hortus::cli
