#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "redis/filter.hpp"
#include "redis/packed.hpp"

/// What commands on items do, whether the items are arguments or packed in one string.
namespace hortus::server {

/// The arguments of a call from one on, every `step`-th: items as packed_items has them.
class argument_items {
 public:
  argument_items(call const& it, std::size_t first, std::size_t step = 1) noexcept : it_(it), first_(first), step_(step) {}
  [[nodiscard]] std::size_t size() const noexcept { return (it_.size() - first_) / step_; }
  [[nodiscard]] static key_kind kind() noexcept { return key_kind::bytes; }
  /// A check for filter_key: does the filter take such items?
  [[nodiscard]] static auto taken_for(verb needed) noexcept;
  template <class Act>
  void in_blocks(Act act) const {
    std::array<std::string_view, packed_items::block_items> block;
    for (std::size_t done = 0; done < size();) {
      auto const some = std::min(size() - done, block.size());
      for (std::size_t i = 0; i < some; ++i) block[i] = it_[first_ + (done + i) * step_];
      act(std::span<std::string_view const>(block).first(some));
      done += some;
    }
  }
  /// Replicates the command as if it had only the first `count` of these items.
  void replicate_first(std::size_t count) const noexcept {
    api::Replicate(it_.context(), it_[0].data(), "v", it_.arguments().data() + 1, first_ - 1 + count * step_);
  }
  /// Replicates the command as if it had only those of the first `count` of these items for which took(i). May throw bad_alloc.
  template <class Took>
  void replicate_some(std::size_t count, Took took) const {
    auto const given = it_.arguments();
    std::vector<api::string*> kept(given.begin() + 1, given.begin() + static_cast<std::ptrdiff_t>(first_));
    for (std::size_t i = 0; i < count; ++i)
      if (took(i))
        for (std::size_t j = 0; j < step_; ++j) kept.push_back(given[first_ + i * step_ + j]);
    api::Replicate(it_.context(), it_[0].data(), "v", kept.data(), kept.size());
  }

 private:
  call const& it_;
  std::size_t first_;
  std::size_t step_;
};

/// Throws errc::unsupported if the family lacks the verb, and errc::incompatible and others if the filter's hash or the keys
/// that it was given do not go with items of that kind: no item would be found. `are_hashed`: they are digests of that kind.
void check_takes(any_filter const& filter, verb needed, key_kind kind, bool are_hashed = false);

inline auto argument_items::taken_for(verb needed) noexcept {
  return [needed](any_filter const& filter) { check_takes(filter, needed, kind()); };
}

/// One bit an item.
using item_bits = std::vector<std::uint64_t>;
[[nodiscard]] inline bool bit(item_bits const& bits, std::size_t i) noexcept { return (bits[i / 64] >> (i % 64) & 1) != 0; }
/// The answer that packs them: bit i in byte i / 8, the lowest first.
inline void reply_bits(call const& it, item_bits const& bits, std::size_t items) {
  static_assert(std::endian::native == std::endian::little);
  it.reply_bytes({reinterpret_cast<char const*>(bits.data()), (items + 7) / 8});
}

/// What became of items that were added, erased or given values. All memory for it is taken before the first item.
struct item_changes {
  explicit item_changes(std::size_t items) : yes(mask_words(items)), refused(mask_words(items)) {}
  item_bits yes;            ///< the answer is 1
  item_bits refused;        ///< the filter did not take it
  std::size_t done = 0;     ///< so many items; all, unless there was a failure
  std::size_t changed = 0;  ///< so many items changed the filter
  std::size_t refusals = 0;
  std::exception_ptr failure = nullptr;

  void note(bool answer, bool took, bool has_changed) noexcept {
    yes[done / 64] |= std::uint64_t{answer} << done % 64;
    refused[done / 64] |= std::uint64_t{!took} << done % 64;
    changed += std::size_t{has_changed};
    refusals += std::size_t{!took};
    ++done;
  }
  /// A block that was taken as a whole; `yes` is written already.
  void note_block(std::size_t items) noexcept {
    done += items;
    changed += items;
  }
  /// Answers about item i with 1 or 0, or with an error.
  void reply(call const& it, std::size_t i, char const* refusal_text) const noexcept {
    if (i >= done) {
      try {
        std::rethrow_exception(failure);
      } catch (...) {
        return reply_failure(it.context());
      }
    }
    bit(refused, i) ? it.reply_refusal(refusal_text) : it.reply(bit(yes, i) ? 1 : 0);
  }
};

/// Inserts items. The answer is 1 if an item was certainly not in the filter before; where the family cannot tell that, if it
/// went in.
template <class Items>
void add_items(any_filter& filter, Items const& items, item_changes& all) {
  auto const& family = filter.family();
  bool const notices = family.has(verb::insert_if_new);
  bool const can_refuse = card_of(family.kind()).can_refuse;
  bool const one_by_one = can_refuse || family.insert_can_throw();  // to know which went in
  items.in_blocks([&](auto keys) {
    if (one_by_one) {
      for (auto const& key : keys) {
        if (!can_refuse && notices) {
          all.note(filter.insert_if_new(key), true, true);
        } else {
          bool const fresh = !notices || !filter.may_contain(key);
          bool const in = filter.insert(key);
          all.note(in && fresh, in, in);
        }
      }
      return;
    }
    auto const words = std::span(all.yes).subspan(all.done / 64);
    if (notices) {
      filter.insert_if_new(keys, words);
    } else {
      (void)filter.insert(keys);
      for (std::size_t i = 0; i < keys.size(); ++i) words[i / 64] |= std::uint64_t{1} << i % 64;
    }
    all.note_block(keys.size());
  });
}

/// act(filter, key, i) for one item after the other returns whether the answer is 1, which means that the filter changed.
template <class Items, class Act>
void change_each(any_filter& filter, Items const& items, item_changes& all, Act act) {
  items.in_blocks([&](auto keys) {
    for (auto const& key : keys) {
      bool const did = act(filter, key, all.done);
      all.note(did, true, did);
    }
  });
}

/// Which items may be in the filter, at the time `now` if it forgets by time.
template <class Items>
item_bits find_items(any_filter const& filter, Items const& items, std::uint64_t now) {
  item_bits found(mask_words(items.size()));
  bool const is_late = filter.family().turns(now) != 0;
  std::size_t done = 0;
  items.in_blocks([&](auto keys) {
    auto const words = std::span(found).subspan(done / 64);
    if (is_late) {
      std::array<digest, packed_items::block_items> digests;
      auto key = keys.begin();
      auto const made = digests_of(filter.hash(), key, keys.end(), digests);
      filter.family().may_contain_at(now, std::span<digest const>(digests).first(made), words.data());
    } else {
      filter.may_contain(keys, words);
    }
    done += keys.size();
  });
  return found;
}

template <class Items>
std::vector<std::int64_t> count_items(any_filter const& filter, Items const& items) {
  std::vector<std::int64_t> counts(items.size());
  std::size_t done = 0;
  items.in_blocks([&](auto keys) {
    filter.count(keys, std::span(counts).subspan(done));
    done += keys.size();
  });
  return counts;
}

struct item_values {
  std::vector<std::uint64_t> values;
  item_bits found;
};
template <class Items>
item_values values_of_items(any_filter const& filter, Items const& items) {
  item_values all{std::vector<std::uint64_t>(items.size()), item_bits(mask_words(items.size()))};
  std::size_t done = 0;
  items.in_blocks([&](auto keys) {
    filter.find(keys, std::span(all.values).subspan(done), std::span(all.found).subspan(done / 64));
    done += keys.size();
  });
  return all;
}

/// The time that filters are told, in milliseconds since 1970.
[[nodiscard]] inline std::uint64_t now_in_ticks() noexcept { return static_cast<std::uint64_t>(api::Milliseconds()); }

/// Replicates the time that the filter at argument 1 was told.
void replicate_time(call const& it, std::uint64_t now) noexcept;
/// Sets the time of a filter that forgets by time, and replicates it; then goes on with `then`. That may be in the background:
/// `it` must not be used after that. Pre: it changes the filter (turns(now) is not 0)
void advance_to(patient_call& it, filter_value& value, std::uint64_t now, after_change then);
/// The same with the present time, if that changes the filter. A call that comes from a master or a file does not look at the
/// clock: the time came before it. So all servers forget the same.
void at_present(patient_call& it, filter_value& value, after_change then);

/// Replicates the command with the items that were accepted, and no others. A replica would refuse the others too, unless it
/// has more memory.
template <class Items>
void replicate_accepted(patient_call const& it, Items const& items, item_changes const& all) noexcept {
  if (all.refusals != 0) try {
      return items.replicate_some(all.done, [&](std::size_t i) { return !bit(all.refused, i); });
    } catch (std::bad_alloc const&) {  // then all that the filter was asked for: it refuses the same items there
    }
  all.failure ? items.replicate_first(all.done) : it.replicate();
}

/// act(filter, changes) changes the filter in place, by items. Replicates what was done and tells the event. If memory runs
/// out, or the filter cannot grow any more, the items before that are in, here and on all replicas; the others have an error
/// for an answer.
template <class Items, class Act>
item_changes change_items(patient_call& it, filter_value& value, Items const& items, char const* event, Act act) {
  item_changes all(items.size());
  value.change([&](any_filter& filter) {
    try {
      act(filter, all);
    } catch (...) {
      all.failure = std::current_exception();
    }
  });
  if (all.changed == 0) return all;
  replicate_accepted(it, items, all);
  it.notify(event);
  return all;
}

/// What is said of an item that the filter does not take.
[[nodiscard]] char const* refusal_of(any_filter const& filter);

/// answer(i) for each: one item has one answer, several have an array.
template <class Answer>
void reply_each(call const& it, std::size_t items, Answer answer) {
  if (items != 1) it.begin_array(items);
  for (std::size_t i = 0; i < items; ++i) answer(i);
}

}  // namespace hortus::server
