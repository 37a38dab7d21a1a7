#include "cli/near_keys.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "cli/text/hex.hpp"

namespace hortus::cli {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

near_key near_keys::of(std::string_view text) {
  if (metric_.number == jaccard::number) return text;
  return metric_.number == hamming::number ? bits_of(text) : vector_of(text);
}

near_key near_keys::bits_of(std::string_view text) {
  if (text.empty()) throw error(errc::bad_goal, "the line is empty: a string of bits is hexadecimal digits, four bits each");
  bytes_.assign((text.size() + 1) / 2, std::byte{0});
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const value = hex_value(text[i]);
    if (value < 0)
      throw error(errc::bad_goal, "'" + std::string(1, text[i]) +
                                      "' is no hexadecimal digit: a string of bits is such digits, four bits each, and nothing "
                                      "else");
    // Two digits are a byte, as everywhere; a single one at the end is the low half of the last.
    bool const high = i % 2 == 0 && i + 1 < text.size();
    bytes_[i / 2] |= std::byte{static_cast<unsigned char>(value)} << (high ? 4 : 0);
  }
  return bit_string{bytes_, std::uint64_t{4} * text.size()};
}

near_key near_keys::vector_of(std::string_view text) {
  numbers_.clear();
  auto const* at = text.data();
  auto const* const end = at + text.size();
  auto const skip_spaces = [&] { at = std::find_if_not(at, end, is_space); };
  for (skip_spaces(); at != end;) {
    double number = 0;
    auto const [rest, status] = std::from_chars(at, end, number);
    if (status != std::errc() || (rest != end && *rest != ',' && !is_space(*rest)))
      throw error(errc::bad_goal, "'" + std::string(at, std::find_if(at, end, [](char c) { return c == ',' || is_space(c); })) +
                                      "' is no number: a vector is numbers with spaces or commas between them");
    numbers_.push_back(number);
    at = rest;
    skip_spaces();
    if (at == end || *at != ',') continue;
    ++at;
    skip_spaces();
    if (at == end) throw error(errc::bad_goal, "a number is missing after the last comma");
  }
  if (numbers_.empty())
    throw error(errc::bad_goal, "the line has no number: a vector is numbers with spaces or commas between them");
  return std::span<double const>(numbers_);
}

}  // namespace hortus::cli
