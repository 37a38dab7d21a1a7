#include "cli/filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

filling::filling(any_filter& into)
    : into_(into),
      can_refuse_(family_named(into.about().family).can_refuse),
      can_be_full_(family_named(into.about().family).can_be_full) {
  if (can_be_full_ && into.family().has(verb::estimate)) before_ = into.estimate().high;
}

void filling::insert(record_block const& block) {
  auto const keys = block.lines.size();
  offered_ += keys;
  if (can_be_full_) count_new(block);
  auto const in = block.with_keys([&](auto some) { return into_.insert(some); });
  refused_ += keys - in;
  inserted_ += in;
}

void filling::insert(std::span<digest const> xs, key_kind kind) {
  offered_ += xs.size();
  if (can_be_full_) count_new(xs);
  auto const in = kind == key_kind::integers ? into_.insert(as_integer_digests(xs)) : into_.insert(as_text_digests(xs));
  refused_ += xs.size() - in;
  inserted_ += in;
}

bitmask filling::insert_new(record_block const& block) {
  offered_ += block.lines.size();
  auto const& family = into_.family();
  // One that counts would count the key again, and one that can be full would throw at the first key that does not fit.
  if (family.has(verb::insert_if_new) && !family.has(verb::count) && !can_refuse_) {
    auto fresh = block.with_keys([&](auto keys) { return into_.insert_if_new(keys); });
    inserted_ += fresh.count();
    return fresh;
  }
  bool const tells_whether = family.has(verb::may_contain);
  if (!tells_whether && !family.has(verb::count)) lacks(family.kind(), verb::may_contain);
  if (can_be_full_) count_new(block);
  auto const known = [&](auto const& key) { return tells_whether ? into_.may_contain(key) : into_.count(key) != 0; };
  bitmask fresh(block.lines.size());
  block.with_keys([&](auto keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {  // one by one: a key may come twice in a block
      if (known(keys[i])) continue;
      if (into_.insert(keys[i])) {
        if (refused_ == 0) fresh.data()[i / 64] |= std::uint64_t{1} << (i % 64);
        ++inserted_;
      } else {
        ++refused_;
      }
    }
  });
  return fresh;
}

void filling::count_new(record_block const& block) { count_new(digests_of_block(into_.hash(), block, block_)); }

void filling::count_new(std::span<digest const> xs) {
  for (; !xs.empty(); xs = xs.subspan(std::min(xs.size(), block_.size()))) {
    auto const some = xs.first(std::min(xs.size(), block_.size()));
    auto const known = std::as_const(into_).may_contain(some);
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (!known[i]) block_[fresh++] = some[i];
    new_.add(std::span<digest const>(block_).first(fresh));
  }
}

std::uint64_t filling::items_needed() { return rounded_up(before_ + static_cast<double>(new_.at_most())); }

void filling::check_all_went_in(std::string const& consequence, bool json) {
  if (refused_ == 0) return;
  auto const about = into_.about();
  if (json) {
    json_value all{{"family", about.family}, {"items_planned", about.items_planned}, {"keys_refused", refused_}};
    if (can_be_full_) all["items_needed"] = items_needed();
    print_json(all);
  }
  if (!can_be_full_)
    throw error(errc::full,
                fmt::format("{} of {} keys were removed before, or are taken for one that was, and {} takes no such "
                            "key back: {}; a filter built anew does",
                            refused_, offered_, one(about.family), consequence));
  throw error(errc::full, fmt::format("{} of {} keys did not fit into {} for {}, which is full: {}; -n {} would do{}", refused_,
                                      offered_, one(about.family), about.items_planned, consequence, items_needed(),
                                      into_.family().has(verb::grow) ? ", and hortus grow makes a filter larger" : ""));
}

}  // namespace hortus::cli
