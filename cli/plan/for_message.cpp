#include "cli/plan/for_message.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include <hortus/plan/compressed.hpp>

#include "cli/command.hpp"
#include "cli/plan/build_command.hpp"
#include "cli/plan/candidates.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {

namespace {

plan::message_goal goal_of(std::string const& message_bytes, bloom_options const& known) {
  bool const by_length = !message_bytes.empty();
  if (known.items.empty() || (by_length && !known.fpr.empty()) || !known.bits.empty() || !known.probes.empty())
    throw error(errc::bad_goal,
                by_length ? "--message-bytes needs -n, and computes the rate, the bits and the probes: --memory may be added"
                          : "--for-message needs -n, and computes the bits and the probes: -p and --memory may be added");
  plan::message_goal goal{.items = parse_count("-n", known.items)};
  if (by_length)
    goal.message_bytes = parse_bytes("--message-bytes", message_bytes);
  else
    goal.fpr = parse_rate("-p", known.fpr.empty() ? default_rate : known.fpr);
  if (by_length && goal.message_bytes == 0)
    throw error(errc::bad_goal, "--message-bytes 0: a message has a header, of about 100 bytes");
  if (!known.memory.empty()) goal.memory_bits = 8 * std::min(parse_bytes("--memory", known.memory), plan::max_bits / 8);
  return goal;
}

}  // namespace

void plan_for_message(std::string const& message_bytes, bloom_options const& known, bool json) {
  auto const goal = goal_of(message_bytes, known);
  auto const found = plan::compressed(goal);
  auto const size = found.shape.bits / 64 * 8;  // build makes whole words
  auto const sent = static_cast<std::uint64_t>(found.message_bytes);
  build_words words{.items = known.items, .fpr = {}, .memory = std::to_string(size)};
  words.settings.push_back(fmt::format("probes={}", found.shape.probes));
  auto const command = build_command("bloom", words);
  if (json)
    return print_json({{"family", "bloom"},
                       {"items", goal.items},
                       {"bits", found.shape.bits},
                       {"size_bytes", size},
                       {"probes", found.shape.probes},
                       {"fpr", found.fpr},
                       {"message_bytes", sent},
                       {"fpr_uncompressed", found.raw_fpr},
                       {"command", command}});
  output out(STDOUT_FILENO);
  out.print("items          {}\n", goal.items);
  out.print("bits           {} ({}{})\n", found.shape.bits, human_bytes(size),
            known.memory.empty() ? "; --memory makes it smaller, and the rate higher or the message longer" : "");
  out.print("probes         {}\n", found.shape.probes);
  out.print("rate           {} ({} for a filter that is sent as it is)\n", human_rate(found.fpr), human_rate(found.raw_fpr));
  out.print("message        {} bytes at most, on average ({})\n\n", sent, human_bytes(sent));
  out.print("that is a bloom filter, to be packed with hortus pack:\n  {}\n", command);
  out.flush();
}

}  // namespace hortus::cli
