#include "cli/build_steps.hpp"

#include <functional>
#include <mutex>
#include <utility>

#include <hortus/part_threads.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

std::uint64_t memory_for_keys(new_filter const& made) {
  constexpr std::uint64_t by_default = std::uint64_t{1} << 30;
  return made.memory.empty() ? by_default : parse_bytes("--memory", made.memory);
}

void try_plan(new_filter const& made) {
  auto trial = made;
  trial.choose_family(1);
  (void)trial.its_family().plan(trial.wish(1));
}

part_loop shown_loop(char const* label, std::uint64_t keys, unsigned threads, key_input const& input) {
  return [=, mode = input.progress_mode()](std::uint64_t count, std::function<void(std::uint64_t)> const& act) {
    progress shown(label, keys, progress_unit::items, mode);
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

any_filter made_filter(build_order const& of, any_family family, request const& wish, std::uint64_t keys) {
  auto const told = of.made.items.empty() ? 0 : parse_count("-n", of.made.items);
  auto const kind = of.input.integers ? key_kind::integers : key_kind::bytes;
  return {std::move(family), of.hash,
          envelope{.kinds = keys == 0 ? key_kind::none : kind,
                   .items_planned = told != 0 ? told : wish.items,
                   .fpr_planned = wish.fpr,
                   .items_inserted = keys}};
}

}  // namespace hortus::cli
