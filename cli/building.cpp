#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <hortus/io/stored_records.hpp>

#include "cli/build_steps.hpp"
#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/digest_buffer.hpp"
#include "cli/distinct_keys.hpp"
#include "cli/filling.hpp"
#include "cli/in_order.hpp"
#include "cli/new_filter.hpp"
#include "cli/piece_digests.hpp"
#include "cli/shared_pieces.hpp"
#include "cli/text/numbers.hpp"

/// build_from(): how many keys there are, and one or two passes over them.
namespace hortus::cli {
namespace {

/// From this size on a filter is filled in the order of memory.
constexpr std::uint64_t large_filter = 16 * cached_bytes;

class builder {
 public:
  builder(new_filter const& made, key_input const& input, std::string const& consequence, bool json)
      : made_(made), input_(input), consequence_(consequence), json_(json), hash_(made.chosen_hash(input.names())) {}

  any_filter build() {
    made_.values.check_unused(made_.family);
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
    if (!made_.is_auto() && !at_once && family().has(verb::top))
      made_.refuse_threads(one(made_.family) + " keeps keys as they are, and takes them with one thread");
    return items ? streaming(*items) : buffered();
  }

 private:
  enum class pass { only, first_of_two };  // the first of two does not warn: the second will

  family_info const& family() const { return made_.its_family(); }

  /// Where a family keeps its rate for any number of keys and does not even grow, a number changes nothing.
  bool ignores_number() const { return !made_.is_auto() && family().keeps_fpr && !family().grows; }

  /// act(digests) for all keys of the input, in order.
  template <class Act>
  void for_each_block(pass which, char const* label, Act act) const {
    if (!input_.given.empty()) {
      auto given = input_.reader_of_given();
      hash_blocks(given, act);
    }
    record_pieces pieces(input_, made_.threads.number(), which == pass::first_of_two);
    progress shown(label, pieces.total_bytes(), progress_unit::bytes, input_.progress_mode());
    struct hashed_piece : record_piece {
      std::vector<digest> keys;
      missing_keys missing;
    };
    in_order<hashed_piece>(
        made_.threads.number(), [&](hashed_piece& piece) { return pieces.next(piece); },
        [&](hashed_piece& piece) { piece.missing = hash_piece(pieces, piece, hash_, piece.keys); },
        [&](hashed_piece& piece) {
          act(std::span<digest const>(piece.keys));
          pieces.note(piece.missing);
          shown.update(piece.bytes_read);
          return true;
        },
        [&] { pieces.stop(); });
    pieces.finish();
  }
  template <class Act>
  void hash_blocks(record_reader& in, Act act) const {
    std::array<digest, line_reader::block_lines> block;
    for (record_block some; in.next(some);)
      if (some.what == record_block::kind::keys) act(digests_of_block(hash_, some, block));
  }

  /// The number of distinct keys, if the input can be read twice to count them.
  std::optional<std::uint64_t> counted() const {
    auto const twice = [](line_input const& in) { return in.regular && in.descriptor < 0; };  // a descriptor is read once
    if (!input_.names().empty() && !std::ranges::all_of(line_inputs(input_.paths, input_.format().unpack), twice))
      return std::nullopt;
    distinct_keys distinct;
    for_each_block(pass::first_of_two, "counting", [&](std::span<digest const> xs) { distinct.add(xs); });
    return distinct.at_most();
  }

  /// A large filter, in the order of memory: each thread splits lines, hashes keys, and inserts into its share of the filter.
  /// The bytes do not depend on the order of the keys.
  any_filter filled_in_order(request const& wish) const {
    record_pieces pieces(input_, made_.threads.number());
    progress shown("building", pieces.total_bytes(), progress_unit::bytes, input_.progress_mode());
    shared_pieces shared{pieces, [&](record_piece& piece) { shown.update(piece.bytes_read); }};
    std::vector<digest_fill> fills;
    for (unsigned t = 0; t < made_.threads.number(); ++t)
      fills.emplace_back(
          [share = std::make_shared<hashed_share>(shared, hash_)](std::span<digest> space) { return (*share)(space); });
    std::size_t in = 0;
    auto filled = fitting("a filter of that size", [&] { return family().fill_by_threads(fills, wish, in); });
    shared.finish();
    if (!input_.given.empty()) {
      auto given = input_.reader_of_given();
      hash_blocks(given, [&](std::span<digest const> xs) { in += insert_all(filled, xs); });
    }
    return made_filter({made_, input_, hash_}, std::move(filled), wish, in);
  }

  any_filter streaming(std::uint64_t items) const {
    if (family().fill_by_threads != nullptr)
      if (auto const wish = made_.wish(items); family().plan(wish).size_bytes >= large_filter) return filled_in_order(wish);
    auto filter = fitting("a filter of that size", [&] { return make_filter(made_.family, made_.wish(items), hash_); });
    filling filled(filter);
    auto const insert = [&](auto... keys) {
      tell_time(filter);
      filled.insert(keys...);
      check_growth(filter);
    };
    // A filter that gets keys is prefetched while they are hashed. One that can be full wants their digests twice.
    if (filter.family().keeps_keys() || (made_.threads.number() == 1 && !family().can_be_full)) {
      auto in = input_.reader();
      progress shown("building", in.total_bytes(), progress_unit::bytes, input_.progress_mode());
      for (record_block block; in.next(block); shown.update(in.bytes_read()))
        if (block.what == record_block::kind::keys) insert(block);
    } else {
      auto const kind = input_.integers ? key_kind::integers : key_kind::bytes;
      for_each_block(pass::only, "building", [&](std::span<digest const> xs) { insert(xs, kind); });
    }
    filled.check_all_went_in(consequence_, json_);
    return filter;
  }
  /// With one stage the filter can exceed its plan only by high counts. warn_after_filling() tells that at the end.
  void check_growth(any_filter const& filter) const {
    if (filter.family().stages() > 1 && made_.is_too_large(filter.size_bytes()))
      throw error(
          errc::bad_goal,
          fmt::format("with about {} distinct keys the filter has grown past --memory {}; with more of them in -n, or a "
                      "higher rate, it takes less",
                      human_count(static_cast<std::uint64_t>(std::llround(filter.estimate().value))), made_.memory));
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

  /// For a family that is built in parts: half of --memory is for digests, the rest for the filter and the parts that are being
  /// built. What does not fit goes to a temporary file.
  any_filter in_parts() {
    try_plan(made_);
    auto const threads = made_.threads.number();
    stored_words kept(memory_for_keys(made_) / 2);
    for_each_block(pass::only, "reading", [&](std::span<digest const> xs) { kept.add(as_words(xs)); });
    fitting("what sorting the keys takes (fewer --threads take less)",
            [&] { kept.sort(shown_loop("sorting", kept.added(), threads, input_)); });
    auto const wish = made_.wish(kept.size());
    auto filter = fitting("a filter of that size", [&] {
      return family().build_from(kept, wish, shown_loop("building", kept.size(), threads, input_));
    });
    return made_filter({made_, input_, hash_}, std::move(filter), wish, kept.added());
  }
  /// For a pipe of unknown length, and for a family that is built at once but not in parts: buffers the digests, then plans the
  /// filter for the number of distinct ones. -n is only recorded in the file.
  any_filter buffered() {
    try_plan(made_);
    digest_buffer kept(memory_for_keys(made_));
    distinct_keys distinct;
    for_each_block(pass::only, "reading", [&](std::span<digest const> xs) {
      fitting("what --memory keeps of the keys of a pipe (less leaves more to a temporary file)", [&] { kept.add(xs); });
      distinct.add(xs);
    });
    made_.choose_family(distinct.at_most());
    auto const wish = made_.wish(distinct.at_most());
    return made_filter({made_, input_, hash_},
                       family().has(verb::build) ? family().build(kept.all(), wish) : filled_from(kept, wish), wish,
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
  if (!made.absent.empty()) return build_apart_from(made, input);
  if (!made.is_auto() && made.its_family().answers() == question::which_value) return build_map_from(made, input);
  return builder(made, input, consequence, json).build();
}

}  // namespace hortus::cli
