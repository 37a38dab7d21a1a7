#include "redis/filter.hpp"
#include "redis/hortus_commands.hpp"
#include "redis/items.hpp"
#include "redis/words.hpp"

namespace hortus::server::commands {
namespace {

/// HORTUS.CREATE key FAMILY [ITEMS n] [FPR p] [BYTES b] [SEED s] [WINDOW ms] [SET name value]...
struct wishes {
  request wish;
  std::optional<std::uint64_t> bytes;
  std::uint64_t seed = 0;
  bool items_given = false;
  bool fpr_given = false;

  explicit wishes(call const& it) {
    for (std::size_t i = 3; i < it.size();) {
      bool const sets = it.is(i, "SET");
      if (it.size() < i + (sets ? 3 : 2)) throw refusal("ERR " + std::string(it[i]) + " needs a value after it");
      if (sets) {
        wish.settings.emplace_back(it[i + 1], it[i + 2]);
      } else if (it.is(i, "ITEMS")) {
        wish.items = whole_number(it, i + 1, "ITEMS");
        items_given = true;
      } else if (it.is(i, "FPR")) {
        wish.fpr = rate(it, i + 1, "FPR");
        fpr_given = true;
      } else if (it.is(i, "BYTES")) {
        bytes = whole_number(it, i + 1, "BYTES");
      } else if (it.is(i, "SEED")) {
        seed = whole_number(it, i + 1, "SEED");
      } else if (it.is(i, "WINDOW")) {
        wish.settings.emplace_back("ticks", std::to_string(whole_number(it, i + 1, "WINDOW")));
      } else {
        throw refusal("ERR '" + std::string(it[i]) + "' is no option: there are ITEMS, FPR, BYTES, SEED, WINDOW and SET");
      }
      i += sets ? 3 : 2;
    }
  }

  /// Completes the wish: of the number of items, the rate and the space two give the third.
  void complete(card const& family) {
    if (bytes && items_given && !fpr_given) wish.fpr = best_fpr_in(family, wish, *bytes);
    if (bytes && !items_given) {
      wish.items = most_items_in(family, wish, *bytes);
      items_given = true;
    }
    auto const asks = family.answers();
    bool const any_number = family.keeps_fpr || asks == question::how_many || asks == question::which_keys;
    if (!items_given && !any_number)
      throw refusal("ERR " + one(family.name) + " is planned for a number of distinct items: ITEMS n");
  }
};

}  // namespace

void create(patient_call& it) {
  wishes all(it);
  check_absent(it, 1);
  auto const& family = family_named(it[2]);
  if (!family.has(verb::insert) && !family.has(verb::put))
    throw refusal("ERR " + one(family.name) + " is built of all its keys at once: hortus build does that, and HORTUS.IMPORT " +
                  "brings its file");
  // Planning alone can take long, so all of it is done on another thread, whatever the size.
  auto const now = it.is_repeated() ? 0 : now_in_ticks();
  auto const make = [all, &family, now, most = most_object_bytes(it)](caller const&) mutable {
    all.complete(family);
    auto const bytes = family.plan(all.wish).size_bytes;
    if (all.bytes && bytes > *all.bytes)
      throw refusal("ERR the filter would take " + std::to_string(bytes) + " bytes, more than BYTES");
    check_object_bytes(bytes, most);
    auto made = make_filter(family.name, all.wish, any_hash(default_hash(all.seed)));
    if (made.family().ages_by_time()) made.advance(now);
    return made;
  };
  make_value(it, {make, large_bytes}, false, [now](patient_call& after, filter_value& value) {
    after.replicate();
    if (now != 0 && value.filter().family().ages_by_time()) replicate_time(after, now);
    after.notify("hortus.create");
    after.reply_ok();
  });
}

}  // namespace hortus::server::commands
