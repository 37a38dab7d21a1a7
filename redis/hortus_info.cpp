#include <array>
#include <optional>

#include "redis/filter.hpp"
#include "redis/hortus_commands.hpp"
#include "redis/map_reply.hpp"

/// What filters say about themselves. The names are those of `hortus info --json`, `count --distinct --json` and `diff --json`.
namespace hortus::server::commands {
namespace {

char const* name_of(key_kind kinds) {
  switch (kinds) {
    case key_kind::none:
      return "none";
    case key_kind::bytes:
      return "bytes";
    case key_kind::integers:
      return "integers";
    case key_kind::digests:
      return "digests";
    default:
      return "mixed";
  }
}

void add_estimates(map_reply& all, any_filter const& filter) {
  auto const& family = filter.family();
  std::optional<plan::estimate> items;
  if (family.has(verb::estimate)) items = filter.estimate();
  all.number("items_estimate", items ? std::optional(items->value) : std::nullopt);
  if (items) {
    all.number("items_estimate_low", items->low);
    all.number("items_estimate_high", items->high);
    all.truth("saturated", items->saturated);
  }
  all.number("fpr_estimate", family.has(verb::fpr) ? std::optional(filter.fpr()) : std::nullopt);
  if (question_of(family.verbs()) == question::how_many) all.number("error_share", filter.planned_fpr(1));
  if (family.has(verb::top)) {
    auto const top = filter.top(~std::uint64_t{0});
    all.whole("counters_used", top.keys.size());
    all.whole("error_at_most", top.others_at_most);
    all.number("error_share",
               top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted));
  }
  auto const planned = static_cast<double>(filter.about().items_planned);
  auto const divisor = planned > 0 ? planned : items ? items->value : 0;
  auto const bits = 8 * static_cast<double>(filter.size_bytes());
  all.number("bits_per_item", divisor < 0.5 ? std::nullopt : std::optional(bits / divisor));
}

map_reply description(any_filter const& filter, long long bytes) {
  auto const about = filter.about();
  auto const& family = filter.family();
  map_reply all;
  all.text("family", about.family);
  all.whole("format_version", format_version);
  all.text("hash", hash_name(about.hash_id));
  all.truth("keyed", about.key_check != 0);
  all.whole("seed", about.seed);
  all.whole("items_planned", about.items_planned);
  all.number("fpr_planned", about.fpr_planned);
  all.whole("items_inserted", about.items_inserted);
  add_estimates(all, filter);
  if (family.has(verb::find)) {
    all.whole("value_bits", family.value_bits());
    if (auto const texts = family.labels().size(); texts != 0) all.whole("value_texts", texts);
  }
  all.whole("size_bytes", filter.size_bytes());
  all.whole("memory_bytes", static_cast<std::uint64_t>(bytes));
  all.whole("file_bytes", stored_size(filter));
  if (card_of(about.family).grows) all.whole("stages", family.stages());
  if (family.ages_by_time()) all.whole("time", family.time());
  all.text("key_kind", name_of(about.kinds));
  all.texts("verbs", family.verbs().names());
  all.params("params", family.params());
  return all;
}

}  // namespace

void info(patient_call& it) {
  filter_key const key(it, 1);
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()},
              [filter = key->shared(), bytes = key->bytes()](call const& of) { description(*filter, bytes).send(of); });
}

void estimate(patient_call& it) {
  filter_key const key(it, 1);
  if (!key->filter().family().has(verb::estimate)) lacks(key->filter().family().kind(), verb::estimate);
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()},
              [filter = key->shared()](call const& of) { map_reply::answer(of, filter->estimate()); });
}

void compare(patient_call& it) {
  filter_key const a(it, 1);
  filter_key const b(it, 2);
  if (!a->filter().family().has(verb::compare)) lacks(a->filter().family().kind(), verb::compare);
  answer_work(it, a->filter().size_bytes() + b->filter().size_bytes(), std::array{&a->marks(), &b->marks()},
              [a = a->shared(), b = b->shared()](call const& of) {
                auto const found = presentable(a->compare(*b));
                map_reply all;
                all.estimate("a", found.a);
                all.estimate("b", found.b);
                all.estimate("union", found.either);
                all.estimate("intersection", found.both);
                all.estimate("only_a", found.only_a);
                all.estimate("only_b", found.only_b);
                all.estimate("jaccard", found.jaccard);
                all.truth("saturated", found.both.saturated);
                all.send(of);
              });
}

}  // namespace hortus::server::commands
