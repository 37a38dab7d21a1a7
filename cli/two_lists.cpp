#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <hortus/cells/map_entry.hpp>
#include <hortus/io/stored_records.hpp>

#include "cli/build_steps.hpp"
#include "cli/command.hpp"
#include "cli/map_values.hpp"
#include "cli/text/numbers.hpp"

/// build_apart_from(): keys that are in, and keys that are not, become an exact set.
namespace hortus::cli {
namespace {

/// act(block, digests) for all keys of an input.
template <class Act>
void for_each_block(key_input const& input, any_hash const& hash, char const* label, Act act) {
  auto in = input.reader();
  progress shown(label, in.total_bytes(), progress_unit::bytes, input.progress_mode());
  std::array<digest, line_reader::block_lines> digests;
  for (record_block block; in.next(block); shown.update(in.bytes_read()))
    if (block.what == record_block::kind::keys) act(block, digests_of_block(hash, block, digests));
}

/// The line that has this digest; empty if the input cannot be read again.
std::string line_of(key_input const& input, any_hash const& hash, std::uint64_t word) {
  auto const again = [](line_input const& in) { return in.regular && in.descriptor < 0; };
  if (!input.names().empty() && !std::ranges::all_of(line_inputs(input.paths, input.format().unpack), again)) return {};
  std::string found;
  for_each_block(input, hash, "looking for the lines", [&](record_block const& block, std::span<digest const> keys) {
    for (std::size_t i = 0; i < keys.size() && found.empty(); ++i)
      if (keys[i] == digest(word)) found = fmt::format("'{}' in {}", block.keys[i], line_named(block, i));
  });
  return found;
}

}  // namespace

any_filter build_apart_from(new_filter const& made, key_input const& input) {
  auto const& family = made.is_auto() ? family_named("exact_set") : made.its_family();
  if (made.is_auto() || family.build_apart == nullptr)
    throw error(errc::bad_goal, "--absent is for exact_set, which tells two lists of keys apart");
  if (made.absent == "-" && input.paths.empty() && input.given.empty())
    throw error(errc::bad_goal, "the keys and --absent cannot both come from standard input");
  auto others_input = input;
  others_input.given.clear();
  others_input.paths = {made.absent};
  auto const hash = made.chosen_hash(input.names());
  auto const threads = made.threads.number();
  stored_words members(memory_for_keys(made) / 4);
  stored_words others(memory_for_keys(made) / 4);
  for_each_block(input, hash, "reading", [&](auto const&, std::span<digest const> xs) { members.add(as_words(xs)); });
  for_each_block(others_input, hash, "reading", [&](auto const&, std::span<digest const> xs) { others.add(as_words(xs)); });
  fitting("what sorting the keys takes (fewer --threads take less)", [&] {
    members.sort(shown_loop("sorting", members.added(), threads, input));
    others.sort(shown_loop("sorting", others.added(), threads, input));
  });
  auto wish = made.wish(members.size());
  if (made.fpr.empty()) wish.fpr = 1;  // no promise about keys of neither list
  try {
    auto set = fitting("a set of that size", [&] {
      return family.build_apart(members, others, wish, shown_loop("building", members.size() + others.size(), threads, input));
    });
    return made_filter({made, input, hash}, std::move(set), wish, members.added());
  } catch (conflicting_values const& found) {
    auto const in = line_of(input, hash, found.word());
    auto const out = line_of(others_input, hash, found.word());
    if (in.empty() || out.empty()) throw error(found.code(), "a key is in both lists, the keys and --absent");
    throw error(found.code(), fmt::format("a key is in both lists: {} and {}", in, out));
  }
}

}  // namespace hortus::cli
