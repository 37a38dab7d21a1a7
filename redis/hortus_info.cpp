#include <array>
#include <optional>

#include "redis/answer.hpp"
#include "redis/filter.hpp"
#include "redis/hortus_commands.hpp"

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

void add_estimates(answer::map& all, any_filter const& filter) {
  auto const& family = filter.family();
  std::optional<plan::estimate> items;
  if (family.has(verb::estimate)) items = filter.estimate();
  all.emplace_back("items_estimate", items ? std::optional(items->value) : std::nullopt);
  if (items) {
    all.emplace_back("items_estimate_low", items->low);
    all.emplace_back("items_estimate_high", items->high);
    all.emplace_back("saturated", items->saturated);
  }
  all.emplace_back("fpr_estimate", family.has(verb::fpr) ? std::optional(filter.fpr()) : std::nullopt);
  if (question_of(family.verbs()) == question::how_many) all.emplace_back("error_share", filter.planned_fpr(1));
  if (family.has(verb::top)) {
    auto const top = filter.top(~std::uint64_t{0});
    all.emplace_back("counters_used", std::uint64_t{top.keys.size()});
    all.emplace_back("error_at_most", top.others_at_most);
    all.emplace_back("error_share",
                     top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted));
  }
  auto const planned = static_cast<double>(filter.about().items_planned);
  auto const divisor = planned > 0 ? planned : items ? items->value : 0;
  auto const bits = 8 * static_cast<double>(filter.size_bytes());
  all.emplace_back("bits_per_item", divisor < 0.5 ? std::nullopt : std::optional(bits / divisor));
}

answer description(any_filter const& filter, long long bytes) {
  auto const about = filter.about();
  auto const& family = filter.family();
  answer::map all;
  all.emplace_back("family", about.family);
  all.emplace_back("format_version", std::uint64_t{format_version});
  all.emplace_back("hash", hash_name(about.hash_id));
  all.emplace_back("keyed", about.key_check != 0);
  all.emplace_back("seed", about.seed);
  all.emplace_back("items_planned", about.items_planned);
  all.emplace_back("fpr_planned", about.fpr_planned);
  all.emplace_back("items_inserted", about.items_inserted);
  add_estimates(all, filter);
  if (family.has(verb::find)) {
    all.emplace_back("value_bits", std::uint64_t{family.value_bits()});
    if (auto const texts = family.labels().size(); texts != 0) all.emplace_back("value_texts", texts);
  }
  all.emplace_back("size_bytes", std::uint64_t{filter.size_bytes()});
  all.emplace_back("memory_bytes", static_cast<std::uint64_t>(bytes));
  all.emplace_back("file_bytes", stored_size(filter));
  if (card_of(about.family).grows) all.emplace_back("stages", std::uint64_t{family.stages()});
  if (family.ages_by_time()) all.emplace_back("time", family.time());
  all.emplace_back("key_kind", name_of(about.kinds));
  all.emplace_back("verbs", family.verbs().names());
  all.emplace_back("params", family.params());
  return all;
}

/// What turns items into digests that the filter takes, and what else is known without looking at its cells.
answer hashing(any_filter const& filter, std::uint64_t stamp) {
  auto const about = filter.about();
  return answer::map{{"family", about.family},
                     {"hash_id", std::uint64_t{about.hash_id}},
                     {"seed", about.seed},
                     {"key_check", about.key_check},
                     {"kinds", std::uint64_t{static_cast<std::uint8_t>(about.kinds)}},
                     {"items_planned", about.items_planned},
                     {"fpr_planned", about.fpr_planned},
                     {"items_inserted", about.items_inserted},
                     {"stamp", stamp}};
}

answer overlap_of(any_filter const& a, any_filter const& b) {
  auto const found = presentable(a.compare(b));
  return answer::map{
      {"a", found.a},           {"b", found.b},           {"union", found.either},    {"intersection", found.both},
      {"only_a", found.only_a}, {"only_b", found.only_b}, {"jaccard", found.jaccard}, {"saturated", found.both.saturated}};
}

}  // namespace

void info(patient_call& it) {
  bool const brief = it.size() == 3 && it.is(2, "HASH");
  if (it.size() != 2 && !brief) throw refusal("ERR HORTUS.INFO takes a key, and HASH");
  filter_key const key(it, 1);
  if (brief) return hashing(key->filter(), key->stamp()).send(it);
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()},
              [filter = key->shared(), bytes = key->bytes()](caller const& of) { description(*filter, bytes).send(of); });
}

void estimate(patient_call& it) {
  filter_key const key(it, 1);
  if (!key->filter().family().has(verb::estimate)) lacks(key->filter().family().kind(), verb::estimate);
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()},
              [filter = key->shared()](caller const& of) { answer(filter->estimate()).send(of); });
}

void compare(patient_call& it) {
  filter_key const a(it, 1);
  filter_key const b(it, 2);
  if (!a->filter().family().has(verb::compare)) lacks(a->filter().family().kind(), verb::compare);
  answer_work(it, a->filter().size_bytes() + b->filter().size_bytes(), std::array{&a->marks(), &b->marks()},
              [a = a->shared(), b = b->shared()](caller const& of) { overlap_of(*a, *b).send(of); });
}

}  // namespace hortus::server::commands
