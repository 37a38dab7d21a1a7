#include "cli/plan/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include <hortus/maths/limits.hpp>
#include <hortus/plan/best_fpr.hpp>

#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// A faster family is named if it takes at most a tenth more space, which is about one bit an item at 1 %, and reads at most a
/// third of the cache lines. Smaller savings are seen in the table and are not worth a sentence.
constexpr double space_for_speed = 1.1;
constexpr double fewer_lines = 3;

/// The space of `other` over that of `best`. If both have the same space, what `other` would need for the rate of `best`: space
/// goes with the logarithm of the rate.
double space_ratio(candidate const& other, candidate const& best, bool space_given) {
  return space_given ? plan::least_bits_per_item(best.offer.fpr) / plan::least_bits_per_item(other.offer.fpr)
                     : static_cast<double>(other.offer.size_bytes) / static_cast<double>(best.offer.size_bytes);
}

std::optional<other_family> faster_than(candidate const& best, comparison const& compared, bool space_given) {
  candidate const* found = nullptr;
  auto const cost = [&](candidate const& c) { return std::tuple(c.lines(), space_ratio(c, best, space_given)); };
  for (auto const& c : compared.candidates) {
    bool const alike = c.answers_membership() == best.answers_membership() && c.offer.fnr <= best.offer.fnr &&
                       c.family->has(verb::build) == best.family->has(verb::build);
    if (!alike || c.lines() * fewer_lines > best.lines() || space_ratio(c, best, space_given) > space_for_speed) continue;
    if (found == nullptr || cost(c) < cost(*found)) found = &c;
  }
  if (found == nullptr) return std::nullopt;
  auto const price = space_given
                         ? fmt::format("a rate of {} instead of {}", human_rate(found->offer.fpr), human_rate(best.offer.fpr))
                         : fmt::format("{:.1f} % larger", 100 * (space_ratio(*found, best, space_given) - 1));
  return other_family{found, fmt::format("{}, {}, a hit reads {:.0f} cache line{} instead of {:.0f}", found->family->name,
                                         price, found->lines(), found->lines() == 1 ? "" : "s", best.lines())};
}

/// The best family that is built at once, if the best of all is not and is larger. Candidates are sorted.
std::optional<other_family> if_all_are_known(candidate const& best, comparison const& compared, bool space_given) {
  if (best.family->has(verb::build)) return std::nullopt;
  auto const found = std::ranges::find_if(compared.candidates, [&](candidate const& c) {
    return c.family->has(verb::build) && c.answers_membership() == best.answers_membership() && c.offer.fnr <= best.offer.fnr;
  });
  if (found == compared.candidates.end()) return std::nullopt;
  auto const ratio = space_ratio(*found, best, space_given);
  if (ratio >= 1) return std::nullopt;
  auto const gain = space_given
                        ? fmt::format("a rate of {} instead of {}", human_rate(found->offer.fpr), human_rate(best.offer.fpr))
                        : fmt::format("{:.1f} % smaller", 100 * (1 - ratio));
  return other_family{&*found, fmt::format("{}, {}, built of all keys at once (--need build)", found->family->name, gain)};
}

/// The most keys in the memory at this rate; none if not even one fits.
std::optional<std::uint64_t> items_in(card const& family, double fpr, std::uint64_t memory) try {
  return most_items_in(family, {.items = 0, .fpr = fpr, .settings = {}}, memory);
} catch (error const&) {
  return std::nullopt;
}

std::optional<enough> without_limit(plan_question asked) {
  auto const memory = *asked.memory;
  auto const memory_text = std::exchange(asked.words.memory, {});
  asked.memory.reset();
  asked.space_given = false;
  if (asked.words.fpr.empty()) asked.words.fpr = default_rate;
  auto all = compare_families(asked).candidates;
  if (all.empty()) return std::nullopt;
  enough found{.fpr = asked.fpr, .smallest = std::move(all.front()), .text = {}};
  auto const& [family, offer, command, why] = found.smallest;
  auto const rate = human_rate(asked.fpr);
  found.text = fmt::format("at {} these keys take {} ({})", rate, human_bytes(offer.size_bytes), family->name);
  if (found.smallest.tells_keys()) return found;  // it takes any number of keys
  found.items_in_memory = items_in(*family, asked.fpr, memory);
  found.text += found.items_in_memory
                    ? fmt::format("; {} holds {} keys at {}", memory_text, human_count(*found.items_in_memory), rate)
                    : fmt::format("; {} holds none at {}", memory_text, rate);
  return found;
}

std::string text_of(plan::alternative const& it, plan_question const& asked, candidate const* best) {
  auto const size = human_bytes(it.bytes);
  bool const counts = asked.counts_exactly();
  switch (it.kind) {
    case plan::alternative_kind::bit_array: {
      auto const what = counts ? fmt::format("an array of {} counters of 64 bits", human_count(*asked.universe))
                               : fmt::format("a bit array of {} bits", human_count(*asked.universe));
      if (best == nullptr) return fmt::format("{}, {}, is exact", what, size);
      auto const ratio = static_cast<double>(it.bytes) / static_cast<double>(best->offer.size_bytes);
      return ratio < 1 ? fmt::format("{}, {}, is exact and smaller than {}", what, size, best->family->name)
             : ratio == 1
                 ? fmt::format("{}, {}, is exact and as large as {}", what, size, best->family->name)
                 : fmt::format("{}, {}, is exact but {:.3g} times as large as {}", what, size, ratio, best->family->name);
    }
    case plan::alternative_kind::key_table:
      return asked.items <= 1 ? "a single key needs no filter: a comparison with it is exact"
                              : fmt::format("{} keys of {} bytes take {}: a hash table of the keys{} is exact", asked.items,
                                            plan::bytes_of_a_key, size, counts ? " with their counts" : "");
    case plan::alternative_kind::digest_table:
      return fmt::format(
          "no filter is worth it here: a table of 64-bit digests{} costs about {} bits an item and errs at a rate of {:.2g}",
          counts ? " and counts" : "", 8 * (plan::bytes_of_a_digest + (counts ? plan::bytes_of_a_count : 0)), it.fpr);
  }
  return {};
}

/// Nothing here forgets, so there are no alternatives to a window.
std::vector<no_filter> alternatives_to(candidate const* best, plan_question const& asked) {
  std::vector<no_filter> found;
  if (asked.needed.has(verb::advance) || asked.words.items.empty()) return found;
  auto const filter_bytes = best == nullptr ? std::nullopt : std::optional(best->offer.size_bytes);
  for (auto const& it : plan::alternatives({asked.items, asked.universe, asked.counts_exactly()}, filter_bytes))
    found.push_back({it, text_of(it, asked, best)});
  return found;
}

}  // namespace

remarks remarks_on(plan_question const& asked, comparison const& compared) {
  remarks result;
  auto const* const best = compared.best();
  bool const useless =
      best != nullptr && asked.space_given && !best->tells_keys() && best->offer.fpr > plan::highest_useful_fpr;
  if (useless)
    result.note = fmt::format("with --memory {} the {} is {}, which is useless", asked.words.memory,
                              best->answers_membership() ? "rate" : "chance of a wrong count", human_rate(best->offer.fpr));
  if (best != nullptr && asked.any_number)
    result.note = fmt::format("without -n the sizes are for the first {} keys; the filter then grows and keeps its rate",
                              human_count(items_shown));
  if (useless || (best == nullptr && asked.memory)) result.instead = without_limit(asked);
  if (best != nullptr && !useless) {
    result.faster = faster_than(*best, compared, asked.space_given);
    result.if_known = if_all_are_known(*best, compared, asked.space_given);
  }
  result.alternatives = alternatives_to(best, asked);
  return result;
}

std::string_view name_of(plan::alternative_kind kind) {
  switch (kind) {
    case plan::alternative_kind::bit_array:
      return "bit_array";
    case plan::alternative_kind::key_table:
      return "hash_table";
    case plan::alternative_kind::digest_table:
      return "digest_table";
  }
  return "";
}

}  // namespace hortus::cli
