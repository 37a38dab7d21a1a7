#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hortus/any/shards.hpp>
#include <hortus/maths/divisors.hpp>

namespace hortus {
namespace {

facets::sharding const& sharding_of(any_family const& family) {
  auto const* const found = family.as<facets::sharding>();
  if (found == nullptr) lacks_shards(family.kind());
  return *found;
}

/// The part of a total that belongs to shard i. All parts add up to the total.
std::uint64_t share_of(std::uint64_t total, shard_plan plan, std::uint64_t i) {
  __extension__ using wide = unsigned __int128;
  auto const before = [&](std::uint64_t shards) { return static_cast<std::uint64_t>(wide{total} * shards / plan.shards); };
  return before(i + 1) - before(i);
}

/// A small filter of the family, of which become_shard() makes another.
any_family small(std::string_view family) { return family_named(family).make({.items = 1, .fpr = 0.5, .settings = {}}); }

void check_number(std::uint64_t shards) {
  if (shards == 0 || shards > max_shards)
    throw error(errc::bad_params, "a filter has 1 to " + std::to_string(max_shards) + " shards, not " + std::to_string(shards));
}

/// A whole number among the params of a plan.
std::uint64_t param(proposal const& planned, std::string_view name) {
  for (auto const& each : planned.params)
    if (each.name == name)
      if (auto const* const number = std::get_if<std::uint64_t>(&each.value)) return *number;
  throw error(errc::unsupported, "a filter without " + std::string(name) + " has no shards");
}

/// "12, 15, 16 or 20": those next to `wish`.
std::string numbers_near(std::uint64_t places, std::uint64_t wish) {
  auto all = plan::divisors(places);
  auto const above = std::ranges::upper_bound(all, wish) - all.begin();
  auto const first = std::max<std::ptrdiff_t>(above - 2, 0);
  auto const last = std::min<std::ptrdiff_t>(above + 2, std::ssize(all));
  std::string text;
  for (auto i = first; i < last; ++i)
    text += (i == first ? "" : i + 1 == last ? " or " : ", ") + std::to_string(all[static_cast<std::size_t>(i)]);
  return text;
}

}  // namespace

shard_plan plan_shards(any_filter const& whole, std::uint64_t shards) {
  auto const places = sharding_of(whole.family()).places();
  check_number(shards);
  if (places % shards != 0)
    throw error(errc::bad_params, "the filter has " + std::to_string(places) + " blocks, which " + std::to_string(shards) +
                                      " does not divide: use " + numbers_near(places, shards) + " shards");
  return {places, shards};
}

shard_plan plan_shards(std::string_view family, request const& wish, std::uint64_t shards) {
  (void)sharding_of(small(family));
  check_number(shards);
  auto const blocks = param(card_of(family).plan(wish), "blocks");
  return {(blocks + shards - 1) / shards * shards, shards};
}

any_filter empty_shard(std::string_view family, request const& wish, any_hash hash, shard_plan plan, std::uint64_t i) {
  (void)plan::checked_shards(plan.places, plan.shards, i);
  auto const probes = std::to_string(param(card_of(family).plan(wish), "probes"));
  auto const any_size = family_named(family).make({.items = 1, .fpr = wish.fpr, .settings = {{"probes", probes}}});
  auto part = small(family);
  part.become_shard(any_size, sharding_of(any_size).places(), 0);  // one block
  part.as<facets::sharding>()->widen(plan.places / plan.shards);
  return {std::move(part), std::move(hash), envelope{.items_planned = share_of(wish.items, plan, i), .fpr_planned = wish.fpr}};
}

shard_finder::shard_finder(std::string_view family, shard_plan plan) : small_(small(family)), plan_(plan) {
  (void)sharding_of(small_);
  (void)plan::checked_shards(plan.places, plan.shards, 0);
}

void shard_finder::shards_of(std::span<digest const> xs, std::uint32_t* to) const {
  sharding_of(small_).shards_of(xs, plan_.places, plan_.shards, to);
}

any_filter shard_of(any_filter const& whole, shard_plan plan, std::uint64_t i) {
  (void)sharding_of(whole.family());
  auto part = small(whole.family().kind());
  part.become_shard(whole.family(), plan.shards, i);
  auto about = whole.about();
  about.items_planned = share_of(about.items_planned, plan, i);
  about.items_inserted = share_of(about.items_inserted, plan, i);
  return {std::move(part), whole.hash(), std::move(about)};
}

shard_joiner::shard_joiner(any_filter const& part, shard_plan plan)
    : plan_(plan), whole_(small(part.family().kind())), hash_(part.hash()), about_(part.about()) {
  (void)sharding_of(part.family());
  whole_.become_shard(part.family(), 1, 0);
  whole_.as<facets::sharding>()->widen(plan.shards);
  about_.items_planned = about_.items_inserted = 0;
  about_.kinds = key_kind::none;
}

void shard_joiner::put(std::uint64_t i, any_filter const& part) {
  if (!(part.hash() == hash_))
    throw error(errc::incompatible, "shards join only when made with the same hash and the same seed or secret key");
  whole_.put_shard(part.family(), plan_.shards, i);
  auto const about = part.about();
  about_.items_planned = saturating_sum(about_.items_planned, about.items_planned);
  about_.items_inserted = saturating_sum(about_.items_inserted, about.items_inserted);
  about_.kinds |= about.kinds;
}

any_filter shard_joiner::finish() && { return {std::move(whole_), std::move(hash_), std::move(about_)}; }

}  // namespace hortus
