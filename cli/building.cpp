#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>

#include <hortus/io/stored_parts.hpp>
#include <hortus/part_threads.hpp>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/digest_buffer.hpp"
#include "cli/distinct_keys.hpp"
#include "cli/filling.hpp"
#include "cli/new_filter.hpp"
#include "cli/text/numbers.hpp"

/// build_from(): how many keys there are, and one or two passes over them.
namespace hortus::cli {
namespace {

constexpr std::uint64_t default_buffer_bytes = std::uint64_t{1} << 30;

class builder {
 public:
  builder(new_filter const& made, key_input const& input, std::string const& consequence, bool json)
      : made_(made), input_(input), consequence_(consequence), json_(json), hash_(made.chosen_hash(input.names())) {}

  any_filter build() {
    bool const at_once = !made_.is_auto() && family().has(verb::build);
    std::optional<std::uint64_t> items;
    if (!at_once && !made_.items.empty())
      items = parse_count("-n", made_.items);
    else if (!at_once)
      items = ignores_number() ? 0 : counted();
    if (items) made_.choose_family(*items);
    if (!items && !at_once && !made_.is_auto() && family().keeps_fpr) {  // keys from a pipe are inserted at once, not kept
      if (!made_.memory.empty())
        throw error(errc::bad_goal,
                    one(made_.family) + " grows with its keys, and how many come from a pipe nobody knows: --memory needs -n");
      items = 0;
    }
    if (at_once && family().build_from != nullptr) return in_parts();
    made_.check_threads();
    return items ? streaming(*items) : buffered();
  }

 private:
  family_info const& family() const { return made_.its_family(); }

  /// Where a family keeps its rate for any number of keys and does not even grow, a number changes nothing.
  bool ignores_number() const { return !made_.is_auto() && family().keeps_fpr && !family().grows; }

  /// act(digests) for all keys of the input, in order.
  template <class Act>
  void for_each_block(record_reader in, char const* label, Act act) const {
    progress shown(label, in.total_bytes(), progress_unit::bytes, input_.progress_mode());
    std::array<digest, line_reader::block_lines> block;
    for (record_block some; in.next(some); shown.update(in.bytes_read()))
      if (some.what == record_block::kind::keys) act(digests_of_block(hash_, some, block));
  }

  /// The number of distinct keys, if the input can be read twice to count them.
  std::optional<std::uint64_t> counted() const {
    auto const twice = [](line_input const& in) { return in.regular && in.descriptor < 0; };  // a descriptor is read once
    if (!input_.names().empty() && !std::ranges::all_of(line_inputs(input_.paths, input_.format().unpack), twice))
      return std::nullopt;
    distinct_keys distinct;
    for_each_block(input_.quiet_reader(), "counting", [&](std::span<digest const> xs) { distinct.add(xs); });
    return distinct.at_most();
  }

  any_filter streaming(std::uint64_t items) const {
    auto filter = fitting("a filter of that size", [&] { return make_filter(made_.family, made_.wish(items), hash_); });
    filling filled(filter);
    auto in = input_.reader();
    progress shown("building", in.total_bytes(), progress_unit::bytes, input_.progress_mode());
    for (record_block block; in.next(block); shown.update(in.bytes_read())) {
      if (block.what != record_block::kind::keys) continue;
      tell_time(filter);
      filled.insert(block);
      // With one stage the filter can exceed its plan only by high counts. warn_after_filling() tells that at the end.
      if (filter.family().stages() > 1 && made_.is_too_large(filter.size_bytes()))
        throw error(
            errc::bad_goal,
            fmt::format("with about {} distinct keys the filter has grown past --memory {}; with more of them in -n, or a "
                        "higher rate, it takes less",
                        human_count(static_cast<std::uint64_t>(std::llround(filter.estimate().value))), made_.memory));
    }
    shown.hide();
    filled.check_all_went_in(consequence_, json_);
    return filter;
  }

  any_family filled_from(digest_buffer& kept, request const& wish) const {
    auto filled = fitting("a filter of that size", [&] { return family().make(wish); });
    tell_time(filled);
    progress shown("building", kept.size(), progress_unit::items, input_.progress_mode());
    std::uint64_t offered = 0;
    std::uint64_t in = 0;
    kept.for_each_block([&](std::span<digest const> xs) {
      in += insert_all(filled, xs);
      shown.update(offered += xs.size());
    });
    if (in != offered)  // almost impossible, because the filter was planned for this number
      throw error(errc::full, fmt::format("{} of {} keys did not fit; more of them in -n would do", offered - in, offered));
    return filled;
  }

  /// A wrong option is reported before hours of input, not after.
  void try_plan() const {
    auto trial = made_;
    trial.choose_family(1);
    (void)trial.its_family().plan(trial.wish(1));
  }
  [[nodiscard]] any_filter made_filter(any_family filter, request const& wish, std::uint64_t keys) const {
    auto const told = made_.items.empty() ? 0 : parse_count("-n", made_.items);
    auto const kind = input_.integers ? key_kind::integers : key_kind::bytes;
    return {std::move(filter), hash_,
            envelope{.kinds = keys == 0 ? key_kind::none : kind,
                     .items_planned = told != 0 ? told : wish.items,
                     .fpr_planned = wish.fpr,
                     .items_inserted = keys}};
  }

  /// For a family that is built in parts: half of --memory is for digests, the rest for the filter and the parts that are being
  /// built. What does not fit goes to a temporary file.
  any_filter in_parts() {
    try_plan();
    auto const threads = made_.chosen_threads();
    stored_words kept((made_.memory.empty() ? default_buffer_bytes : parse_bytes("--memory", made_.memory)) / 2);
    for_each_block(input_.reader(), "reading", [&](std::span<digest const> xs) { kept.add(as_words(xs)); });
    fitting("what sorting the keys takes (fewer --threads take less)",
            [&] { kept.sort(shown_loop("sorting", kept.added(), threads)); });
    auto const wish = made_.wish(kept.size());
    auto filter = fitting("a filter of that size",
                          [&] { return family().build_from(kept, wish, shown_loop("building", kept.size(), threads)); });
    return made_filter(std::move(filter), wish, kept.added());
  }
  /// A loop over parts in threads that shows its progress, as if all parts had equally many keys.
  part_loop shown_loop(char const* label, std::uint64_t keys, unsigned threads) const {
    return [=, this](std::uint64_t count, std::function<void(std::uint64_t)> const& act) {
      progress shown(label, keys, progress_unit::items, input_.progress_mode());
      std::mutex showing;
      std::uint64_t parts_done = 0;
      in_threads(threads)(count, [&](std::uint64_t part) {
        act(part);
        std::scoped_lock const alone(showing);
        shown.update(static_cast<std::uint64_t>(static_cast<double>(keys) * static_cast<double>(++parts_done) /
                                                static_cast<double>(count)));
      });
    };
  }

  /// For a pipe of unknown length, and for a family that is built at once but not in parts: buffers the digests, then plans the
  /// filter for the number of distinct ones. -n is only recorded in the file.
  any_filter buffered() {
    try_plan();
    digest_buffer kept(made_.memory.empty() ? default_buffer_bytes : parse_bytes("--memory", made_.memory));
    distinct_keys distinct;
    for_each_block(input_.reader(), "reading", [&](std::span<digest const> xs) {
      fitting("what --memory keeps of the keys of a pipe (less leaves more to a temporary file)", [&] { kept.add(xs); });
      distinct.add(xs);
    });
    made_.choose_family(distinct.at_most());
    auto const wish = made_.wish(distinct.at_most());
    return made_filter(family().has(verb::build) ? family().build(kept.all(), wish) : filled_from(kept, wish), wish,
                       kept.size());
  }

  new_filter made_;
  key_input const& input_;
  std::string const& consequence_;
  bool json_;
  any_hash hash_;
};

}  // namespace

any_filter build_from(new_filter const& made, key_input const& input, std::string const& consequence, bool json) {
  return builder(made, input, consequence, json).build();
}

}  // namespace hortus::cli
