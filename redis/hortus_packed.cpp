#include "redis/hortus_commands.hpp"
#include "redis/items.hpp"
#include "redis/words.hpp"

/// Commands whose items are packed in one string, as are the answers: HORTUS.MADD key FORMAT [width] bytes.
namespace hortus::server::commands {
namespace {

struct format {
  std::string_view name;
  packing how;
};
constexpr format formats[] = {{"DIGESTS", packing::digests},
                              {"TEXT_DIGESTS", packing::text_digests},
                              {"INTEGER_DIGESTS", packing::integer_digests},
                              {"INTEGERS", packing::integers},
                              {"FIXED", packing::fixed},
                              {"LINES", packing::lines},
                              {"U32LEN", packing::u32len},
                              {"VARINT", packing::varint}};

/// The items of a call.
class call_items : public packed_items {
 public:
  call_items(call const& it, packing how, std::size_t width) : packed_items(how, width, it[it.size() - 1]), it_(it) {}
  /// Replicates the command as if it had only the first `count` of them.
  void replicate_first(std::size_t count) const noexcept { replicate_bytes(first_bytes(count)); }
  /// The same of those of the first `count` for which took(i). May throw bad_alloc.
  template <class Took>
  void replicate_some(std::size_t count, Took took) const {
    replicate_bytes(bytes_of_some(count, took));
  }

 private:
  void replicate_bytes(std::string_view some) const noexcept {
    api::Replicate(it_.context(), it_[0].data(), "vb", it_.arguments().data() + 1, it_.size() - 2, some.data(), some.size());
  }

  call const& it_;
};

call_items items_of(call const& it) {
  for (auto const& each : formats) {
    if (!it.is(2, each.name)) continue;
    bool const fixed = each.how == packing::fixed;
    if (it.size() != (fixed ? 5 : 4)) throw refusal("ERR the format is followed by one string of items; after FIXED n also");
    return {it, each.how, fixed ? whole_number(it, 3, "the width of FIXED") : 0};
  }
  throw refusal(
      "ERR the format of the items is one of DIGESTS, TEXT_DIGESTS, INTEGER_DIGESTS, INTEGERS, FIXED n, LINES, U32LEN "
      "and VARINT");
}

void check_takes(any_filter const& filter, verb needed, packed_items const& items) {
  server::check_takes(filter, needed, items.kind(), items.are_hashed());
}

template <class Number>
void reply_numbers(call const& it, std::vector<Number> const& numbers) {
  static_assert(sizeof(Number) == 8);
  it.reply_bytes({reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(Number)});
}

}  // namespace

void packed_add(patient_call& it) {
  filter_key key(it, 1, filter_key::to_change,
                 [given = items_of(it)](any_filter const& filter) { check_takes(filter, verb::insert, given); });
  at_present(it, *key, [](patient_call& now, filter_value& value) {
    auto const items = items_of(now);
    auto const added = change_items(now, value, items, "hortus.add",
                                    [&](any_filter& filter, item_changes& all) { add_items(filter, items, all); });
    now.begin_array(added.failure ? 3 : 2);
    now.reply(static_cast<long long>(added.changed));
    reply_bits(now, added.yes, items.size());
    if (added.failure) added.reply(now, added.done, "");
  });
}

void packed_erase(patient_call& it) {
  auto const items = items_of(it);
  filter_key key(it, 1, filter_key::to_change, [&](any_filter const& filter) { check_takes(filter, verb::erase, items); });
  auto const erased = change_items(it, *key, items, "hortus.del", [&](any_filter& filter, item_changes& all) {
    change_each(filter, items, all, [](any_filter& from, auto const& item, std::size_t) { return from.erase(item); });
  });
  it.begin_array(erased.failure ? 3 : 2);
  it.reply(static_cast<long long>(erased.changed));
  reply_bits(it, erased.yes, items.size());
  if (erased.failure) erased.reply(it, erased.done, "");
}

void packed_exists(patient_call& it) {
  filter_key const key(it, 1);
  auto const items = items_of(it);
  check_takes(key->filter(), verb::may_contain, items);
  reply_bits(it, find_items(key->filter(), items, now_in_ticks()), items.size());
}

void packed_count(patient_call& it) {
  filter_key const key(it, 1);
  auto const items = items_of(it);
  check_takes(key->filter(), verb::count, items);
  reply_numbers(it, count_items(key->filter(), items));
}

void packed_get(patient_call& it) {
  filter_key const key(it, 1);
  auto const items = items_of(it);
  check_takes(key->filter(), verb::find, items);
  if (!key->filter().family().labels().empty())
    throw error(errc::unsupported, "the values of this map are texts: HORTUS.GET gives them");
  auto const found = values_of_items(key->filter(), items);
  it.begin_array(2);
  reply_bits(it, found.found, items.size());
  reply_numbers(it, found.values);
}

}  // namespace hortus::server::commands
