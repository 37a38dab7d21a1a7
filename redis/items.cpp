#include "redis/items.hpp"

#include <charconv>

namespace hortus::server {
namespace {

std::string_view name_of(key_kind kind) {
  return kind == key_kind::digests ? "digests" : kind == key_kind::integers ? "integers" : "text";
}

}  // namespace

void check_takes(any_filter const& filter, verb needed, key_kind kind, bool are_hashed) {
  auto const& family = filter.family();
  if (!family.has(needed)) lacks(family.kind(), needed);
  if (filter.hash().is<locked_hash>() && !are_hashed)
    throw error(errc::wrong_key,
                "the filter was made with a secret key, which the server does not have: it takes only DIGESTS");
  if (filter.hash().is<foreign_hash>() && !are_hashed)
    throw error(errc::unsupported,
                "the filter was made with a hash that is " + hash_name(filter.hash().id()) + ": it takes only DIGESTS");
  if (kind == key_kind::digests) return;  // only the caller knows what was hashed
  auto const kinds = filter.about().kinds;
  if (kinds != key_kind::none && (kinds & kind) == key_kind::none)
    throw error(errc::incompatible, "the filter was filled with " + std::string(name_of(kinds)) + ", not with " +
                                        std::string(name_of(kind)) + ", which hash differently: no item would be found");
}

char const* refusal_of(any_filter const& filter) {
  return card_of(filter.family().kind()).hides_erased()
             ? "ERR the item was deleted before, or is taken for one that was, and does not go in again"
             : "ERR the filter is full: the item did not go in";
}

void replicate_time(call const& it, std::uint64_t now) noexcept {
  char digits[24];  // the format of integers has a sign
  auto const end = std::to_chars(digits, digits + sizeof digits, now).ptr;
  api::Replicate(it.context(), "HORTUS.ADVANCE", "sb", it.raw(1), digits, static_cast<std::size_t>(end - digits));
}

void advance_to(patient_call& it, filter_value& value, std::uint64_t now, after_change then) {
  auto const& family = value.filter().family();
  auto replicated = [now, then = std::move(then)](patient_call& after, filter_value& changed) {
    replicate_time(after, now);
    then(after, changed);
  };
  // A turn clears one of 30 to 60 slices. After a longer pause most of the filter is cleared.
  constexpr std::uint64_t few_turns = 4;
  if (family.turns(now) > few_turns && family.size_bytes() >= large_bytes && it.can_block())
    return remake_value(it, value, {changed_copy([now](any_filter& filter) { filter.advance(now); }), family.size_bytes()},
                        std::move(replicated));
  value.change([&](any_filter& filter) { filter.advance(now); });
  replicated(it, value);
}

void at_present(patient_call& it, filter_value& value, after_change then) {
  auto const now = now_in_ticks();
  if (value.filter().family().turns(now) == 0 || it.is_repeated()) return then(it, value);
  advance_to(it, value, now, std::move(then));
}

}  // namespace hortus::server
