#include "cli/plan/solver.hpp"

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <hortus/any/card.hpp>
#include <hortus/plan/best_fpr.hpp>
#include <hortus/plan/bloom.hpp>

#include "cli/command.hpp"
#include "cli/plan/build_command.hpp"
#include "cli/plan/candidates.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

constexpr char const* sets_that_work =
    "give two of -n (items), -p (rate) and --bits or --memory (size), and the rest is computed; --probes may be added";

plan::bloom_wish wish_of(bloom_options const& known) {
  if (!known.bits.empty() && !known.memory.empty())
    throw error(errc::bad_goal, "--bits and --memory both give the size: give one of them");
  plan::bloom_wish wish;
  if (!known.items.empty()) wish.items = parse_count("-n", known.items);
  if (!known.fpr.empty()) wish.fpr = parse_rate("-p", known.fpr);
  if (!known.bits.empty()) wish.bits = parse_count("--bits", known.bits, 1);
  if (!known.memory.empty()) {
    auto const bytes = parse_bytes("--memory", known.memory);
    if (bytes > plan::max_bits / 8)
      throw error(errc::bad_goal, fmt::format("--memory {}: a bloom filter has at most 2^42 bits, 512Gi", known.memory));
    wish.bits = 8 * bytes;
  }
  if (!known.probes.empty()) {
    auto const probes = parse_count("--probes", known.probes, 1);
    if (probes > plan::max_probes)
      throw error(errc::bad_goal, fmt::format("--probes {}: a bloom filter has 1 to 64 probes", known.probes));
    wish.probes = static_cast<unsigned>(probes);
  }
  if (wish.items.has_value() + wish.bits.has_value() + wish.fpr.has_value() < 2)
    throw error(errc::bad_goal, std::string("too little is known of the bloom filter: ") + sets_that_work);
  return wish;
}

plan::bloom_plan solved(plan::bloom_wish wish, bool probes_given) {
  if (!wish.items || !wish.bits || !wish.fpr) return plan::solve(wish);
  auto const asked = *std::exchange(wish.fpr, std::nullopt);  // all is known: it is only compared
  auto const found = plan::solve(wish);
  if (found.fpr > asked)
    throw error(errc::bad_goal,
                fmt::format("{} items in {} bits with {} probe{} have a rate of {}, not {}: leave out {} and it is computed",
                            found.items, found.bits, found.probes, found.probes == 1 ? "" : "s", human_rate(found.fpr),
                            human_rate(asked), probes_given ? "one of -n, -p, --probes and the size" : "-n, -p or the size"));
  return found;
}

/// The command that builds the filter, or one as near to it as `build` comes.
struct build_of {
  std::string command;
  std::uint64_t bits = 0;  ///< that it makes
  unsigned probes = 0;
};

std::uint64_t param(proposal const& offer, std::string_view name) {
  for (auto const& field : offer.params)
    if (field.name == name) return std::get<std::uint64_t>(field.value);
  return 0;
}

/// Bytes of whole 64-bit words, as a filter has them.
std::uint64_t bytes_of(std::uint64_t bits) { return bits / 64 * 8 + (bits % 64 != 0 ? 8 : 0); }

/// `build` takes a rate or a space. The space is given if it was given here with the items, else the rate.
std::optional<build_of> build_for(plan::bloom_plan const& found, bloom_options const& known) try {
  auto const& bloom = card_of("bloom");
  bool const by_space = !known.items.empty() && (!known.bits.empty() || !known.memory.empty());
  auto const bytes = known.memory.empty() ? bytes_of(found.bits) : found.bits / 8;
  build_words words{.items = known.items.empty() ? std::to_string(found.items) : known.items,
                    .fpr = by_space ? std::string() : known.fpr,
                    .memory = by_space ? (known.memory.empty() ? std::to_string(bytes) : known.memory) : std::string()};
  request wish{.items = found.items, .fpr = 0.01, .settings = {}};
  auto const planned = [&] {
    wish.fpr = by_space ? best_fpr_in(bloom, wish, bytes) : parse_rate("-p", known.fpr);
    return bloom.plan(wish);
  };
  auto offer = planned();
  if (!known.probes.empty() || param(offer, "probes") != found.probes) {
    auto const probes = std::to_string(found.probes);
    wish.settings.emplace_back("probes", probes);
    words.settings.push_back("probes=" + probes);
    offer = planned();
  }
  return build_of{build_command(bloom.name, words), param(offer, "bits"), static_cast<unsigned>(param(offer, "probes"))};
} catch (error const&) {
  return std::nullopt;  // a rate above 99 % or the like: it can be computed but not built
}

/// The rate was not asked for, and it is too high.
std::string note_on(plan::bloom_plan const& found, bloom_options const& known) {
  if (!known.fpr.empty() || found.fpr <= plan::highest_useful_fpr) return {};
  constexpr double usual = 0.01;
  auto text = fmt::format("a rate of {} is useless", human_rate(found.fpr));
  try {
    auto const enough = plan::solve({.items = found.items, .fpr = usual});
    auto const fewer = plan::solve({.bits = found.bits, .fpr = usual});
    text += fmt::format("; at {} these keys take {} bits, and {} bits hold {} keys", human_rate(usual), enough.bits, found.bits,
                        fewer.items);
  } catch (error const&) {  // too many keys or too few bits for that
  }
  return text;
}

void print(plan::bloom_plan const& found, std::optional<build_of> const& build, std::string const& note,
           std::string const& others) {
  output out(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  out.print("items          {}\n", found.items);
  out.print("bits           {} ({})\n", found.bits, human_bytes(bytes_of(found.bits)));
  out.print("bits per item  {:.4g}\n", found.bits_per_item);
  out.print("probes         {}\n", found.probes);
  out.print("rate           {}\n", human_rate(found.fpr));
  out.print("fill           {}\n\n", human_rate(found.fill));
  out.print("that is a bloom filter{}\n", build ? ":" : ", and none that build makes");
  if (build) {
    out.print("  {}\n", build->command);
    if (build->bits != found.bits)
      out.write(wrapped(
          fmt::format("build makes it with {} bits: it rounds to whole words and to numbers with many divisors", build->bits),
          columns));
  }
  out.print("all families:\n  {}\n", others);
  if (!note.empty()) out.write(wrapped("note: " + note, columns));
  out.flush();
}

json_value to_json(plan::bloom_plan const& found, std::optional<build_of> const& build, std::string const& note) {
  using value = json_value;
  return {{"family", "bloom"},
          {"items", found.items},
          {"bits", found.bits},
          {"size_bytes", bytes_of(found.bits)},
          {"bits_per_item", found.bits_per_item},
          {"probes", found.probes},
          {"fpr", found.fpr},
          {"fill", found.fill},
          {"note", note.empty() ? value() : value(note)},
          {"command", build ? value(build->command) : value()},
          {"command_bits", build ? value(build->bits) : value()}};
}

}  // namespace

void solve_bloom(bloom_options const& known, bool json) {
  auto const found = solved(wish_of(known), !known.probes.empty());
  auto const build = build_for(found, known);
  auto const note = note_on(found, known);
  if (json) return print_json(to_json(found, build, note));
  auto const items = known.items.empty() ? std::to_string(found.items) : shell_word(known.items);
  auto const goal = !known.fpr.empty()      ? " -p " + shell_word(known.fpr)
                    : !known.memory.empty() ? " --memory " + shell_word(known.memory)
                                            : fmt::format(" --memory {}", bytes_of(found.bits));
  print(found, build, note, "hortus plan -n " + items + goal);
}

}  // namespace hortus::cli
