#include "redis/words.hpp"

#include <charconv>
#include <limits>

namespace hortus::server {
namespace {

template <class Number>
Number number_in(std::string_view text, std::string const& what, char const* range) {
  Number value = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size())
    throw refusal("ERR " + what + " should be an integer from " + range);
  return value;
}

}  // namespace

std::uint64_t whole_number(call const& it, std::size_t i, std::string const& what) {
  return number_in<std::uint64_t>(it[i], what, "0 to 2^64 - 1");
}

std::int64_t signed_number(call const& it, std::size_t i, std::string const& what) {
  return number_in<std::int64_t>(it[i], what, "-2^63 to 2^63 - 1");
}

double rate(call const& it, std::size_t i, std::string const& what) {
  auto const value = it.number(i);
  if (!value || !(*value > 0 && *value < 1)) throw refusal("ERR " + what + " should be a number above 0 and below 1");
  return *value;
}

void reply_unsigned(caller const& it, std::uint64_t value) noexcept {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<long long>::max()))
    return it.reply(static_cast<long long>(value));
  char digits[20];
  auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  it.reply_bytes({digits, static_cast<std::size_t>(end - digits)});
}

}  // namespace hortus::server
