#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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

 private:
  call const& it_;
  std::size_t first_;
  std::size_t step_;
};

/// Throws errc::unsupported if the family lacks the verb, and errc::incompatible and others if the filter's hash or the keys
/// that it was given do not go with items of that kind: no item would be found.
void check_takes(any_filter const& filter, verb needed, key_kind kind);

/// One bit an item.
using item_bits = std::vector<std::uint64_t>;
[[nodiscard]] inline bool bit(item_bits const& bits, std::size_t i) noexcept { return (bits[i / 64] >> (i % 64) & 1) != 0; }
/// The answer that packs them: bit i in byte i / 8, the lowest first.
inline void reply_bits(call const& it, item_bits const& bits, std::size_t items) {
  static_assert(std::endian::native == std::endian::little);
  it.reply_bytes({reinterpret_cast<char const*>(bits.data()), (items + 7) / 8});
}

/// What became of items that were added.
struct added_items {
  item_bits in;           ///< it is in the filter now
  item_bits fresh;        ///< and was certainly not before; where the family cannot tell that, the same as `in`
  std::size_t count = 0;  ///< of those in `in`
};

template <class Items>
added_items add_items(any_filter& filter, Items const& items) {
  auto const& family = filter.family();
  auto const& its = card_of(family.kind());
  bool const notices = family.has(verb::insert_if_new);
  added_items all{item_bits(mask_words(items.size())), item_bits(mask_words(items.size())), 0};
  std::size_t done = 0;
  items.in_blocks([&](auto keys) {
    auto const words = std::span(all.fresh).subspan(done / 64);
    if (its.can_refuse) {  // one by one, to know which
      for (std::size_t i = 0; i < keys.size(); ++i) {
        bool const fresh = !notices || !filter.may_contain(keys[i]);
        bool const in = filter.insert(keys[i]);
        all.in[(done + i) / 64] |= std::uint64_t{in} << (done + i) % 64;
        words[i / 64] |= std::uint64_t{in && fresh} << i % 64;
        all.count += std::size_t{in};
      }
    } else {
      if (notices)
        filter.insert_if_new(keys, words);
      else
        (void)filter.insert(keys);
      for (std::size_t i = 0; i < mask_words(keys.size()); ++i) {
        auto const left = keys.size() - 64 * i;
        all.in[done / 64 + i] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      }
      if (!notices) std::ranges::copy(std::span(all.in).subspan(done / 64), words.begin());
      all.count += keys.size();
    }
    done += keys.size();
  });
  return all;
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

/// act(filter) changes the filter and returns whether anything changed: then the command is replicated, and the event told. If
/// it throws, part of it may have been done: it is replicated, too, and does the same part on every server.
template <class Act>
void change_items(patient_call& it, filter_value& value, char const* event, Act act) {
  bool changed = true;
  try {
    changed = value.change(act);
  } catch (...) {
    it.replicate();
    throw;
  }
  if (!changed) return;
  it.replicate();
  it.notify(event);
}

/// answer(i) for each: one item has one answer, several have an array.
template <class Answer>
void reply_each(call const& it, std::size_t items, Answer answer) {
  if (items != 1) it.begin_array(items);
  for (std::size_t i = 0; i < items; ++i) answer(i);
}

}  // namespace hortus::server
