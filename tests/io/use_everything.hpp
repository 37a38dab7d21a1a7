#pragma once
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>

/// Whatever was accepted must work: asks every verb of a filter of any origin, and throws std::logic_error for an answer no
/// healthy filter gives. Shared by tests and fuzzers, so it does not know GoogleTest.
namespace hortus::testing {

inline void require(bool holds, char const* what) {
  if (!holds) throw std::logic_error(what);
}

/// A verb the family lacks may say so, and so may a merge into a filter that is full.
template <class Act>
void if_it_can(Act act) {
  try {
    act();
  } catch (error const& e) {
    require(e.code() == errc::unsupported || e.code() == errc::full, "a verb failed on an accepted filter");
  }
}

/// Whatever was done to an accepted filter, what it writes can be read again.
inline void require_readable(any_filter const& filter) {
  try {
    require(from_bytes(to_bytes(filter)) == filter, "what was written is what is read");
  } catch (error const&) {
    require(false, "what was written cannot be read");
  }
}

/// A filter that was mapped and not verified may refuse to be written, as damaged. Then it is only asked.
inline bool refuses_to_be_written(any_filter const& filter) {
  try {
    (void)to_bytes(filter);
    return false;
  } catch (error const& e) {
    require(e.code() == errc::corrupt, "a filter that cannot be written is damaged");
    if (filter.family().has(verb::may_contain)) (void)filter.family().may_contain(digest(7));
    return true;
  }
}

inline void use_everything(any_filter const& original) {
  auto const about = original.about();
  require(about.family == original.family().kind(), "the family's name");
  (void)original.family().params();
  (void)original.family().verbs();
  auto const bytes = to_bytes(original);
  require(bytes.size() == stored_size(original), "stored_size");

  auto filter = original;  // a copy: the original may be a view
  require(filter == original, "a copy is equal");
  if_it_can([&] { require(filter.fpr() >= 0 && filter.fpr() <= 1, "fpr is a rate"); });
  if_it_can([&] {
    auto const e = filter.estimate();
    require(e.low <= e.value && e.value <= e.high && e.low >= 0, "estimate is in its interval");
  });

  if_it_can([&] {
    auto const top = filter.top(3);
    require(top.keys.size() <= 3 && top.certain <= top.keys.size(), "at most as many keys as wanted");
    for (auto const& key : top.keys) {
      require(key.error <= key.count && key.bytes.size() <= key.length, "an error, and a part of a key");
      require(static_cast<std::uint64_t>(filter.count(key.of)) == std::min(key.count, std::uint64_t{INT64_MAX}),
              "count and top agree");
    }
  });

  bool const finds = filter.family().has(verb::may_contain);
  bool const counts = filter.family().has(verb::count);
  bool locked = false;
  bool foreign = filter.hash().is<foreign_hash>();
  try {
    std::vector<std::string> const some(3, "some");
    if (finds) require(filter.may_contain(some)[2] == filter.may_contain("some"), "a batch finds what its keys do");
    if (counts) require(filter.count(some)[2] == filter.count("some"), "a batch counts what its keys do");
    // A family that can be full, in a file that says it is, may refuse.
    if (filter.insert("a key") && finds) require(filter.may_contain("a key"), "an inserted key is found");
    std::vector<std::string> const two{"two", "keys"};
    bool const forgets = family_named(about.family).forgets;  // perhaps all but the last
    if (filter.insert(two) == 2 && finds)
      require(forgets ? filter.may_contain(two[1]) : filter.may_contain(two).count() == 2, "an inserted batch is found");
    if (counts) require(filter.count(two).size() == 2 && filter.count("two") == filter.count(two)[0], "counts agree");
    if (filter.family().has(verb::erase)) {
      auto erased = filter;
      bool const found = !finds || erased.may_contain("a key");
      require(!erased.erase("a key") || found, "what is certainly absent is not erased");
      (void)erased.erase(two);
      require_readable(erased);
    }
    if (filter.family().has(verb::insert_if_new)) {
      (void)filter.insert_if_new(42);
      if (finds) require(filter.may_contain(42U), "an integer is found");
    }
  } catch (error const& e) {
    locked = e.code() == errc::wrong_key;
    bool const full =
        e.code() == errc::full && family_named(about.family).can_be_full;  // insert_if_new cannot refuse otherwise
    require(locked || full || e.code() == errc::unsupported, "inserting failed");
    foreign = foreign && full;
  }
  require(locked == (about.key_check != 0 && filter.hash().is<locked_hash>()), "only a locked filter refuses keys");
  require(!foreign, "a filter with a hash of another program refuses keys");
  bool kept = false;
  if_it_can([&] {
    kept = filter.insert(digest(0x123456789abcdef1U)) && finds;
    if (kept) require(filter.may_contain(digest(0x123456789abcdef1U)), "an inserted digest is found");
  });

  require_readable(filter);

  if_it_can([&] {
    auto merged = original;
    merged.merge(filter);
    require_readable(merged);
    if (counts) return;  // sums, not unions
    require(merged == filter, "merging with a superset gives the superset");
    merged.intersect(original);
    require(merged == original, "intersecting with a subset gives the subset");
  });
  if_it_can([&] {
    auto const ways = plan::divisors(filter.family().fold_width());
    auto const by = ways[ways.size() > 1 ? 1 : 0];
    auto const foretold = filter.family().fpr_folded(by);
    auto folded = filter;
    folded.fold(by);
    auto const now = filter.family().has(verb::fpr) ? folded.fpr() : folded.planned_fpr(1);
    require(std::abs(now - foretold) <= 1e-12, "fpr after fold as foretold");
    if (kept) require(folded.may_contain(digest(0x123456789abcdef1U)), "folding keeps the keys");
    (void)folded.fold_to_fpr(0.5);
    require_readable(folded);
  });
  if_it_can([&] {
    auto grown = filter;
    try {
      grown.grow();
    } catch (error const& e) {  // no bit is left for it
      if (e.code() != errc::full) throw;
    }
    if (kept) require(grown.may_contain(digest(0x123456789abcdef1U)), "growing keeps the keys");
    require_readable(grown);
  });
  filter.clear();
  if_it_can([&] { require(!filter.may_contain(digest(7)) && filter.fpr() == 0, "clear empties"); });
  if_it_can([&] { require(filter.count(digest(7)) == 0, "clear forgets counts"); });
  require(to_bytes(original) == bytes, "nothing of this touched the original");
}

}  // namespace hortus::testing
