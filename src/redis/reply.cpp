#include <hortus/redis/reply.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <hortus/error.hpp>

namespace hortus::redis {
namespace {

constexpr std::int64_t most_bulk_bytes = std::int64_t{512} << 20;  // Redis' own limit
constexpr unsigned most_depth = 8;
constexpr std::size_t most_line_bytes = std::size_t{1} << 16;

[[noreturn]] void foreign(char const* what) {
  throw error(errc::corrupt, std::string("the server answers ") + what + ", which no Redis server with hortus does");
}

}  // namespace

std::string const& reply::as_text() const {
  if (what != kind::text) foreign("something else than a string");
  return text;
}
std::int64_t reply::as_integer() const {
  if (what != kind::integer) foreign("something else than an integer");
  return integer;
}
std::vector<reply> const& reply::as_array(std::size_t least) const {
  if (what != kind::array || parts.size() < least) foreign("something else than an array, or a shorter one");
  return parts;
}
reply const* reply::find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < as_array().size(); i += 2)
    if (parts[i].what == kind::text && parts[i].text == name) return &parts[i + 1];
  return nullptr;
}

char* reply_parser::room(std::size_t bytes) {
  // What was parsed is dropped when it is half of the buffer or all of it, so that bytes are moved at most once on average.
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0 && buffer_.size() - end_ < bytes && begin_ >= end_ - begin_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < bytes) buffer_.resize(std::max(end_ + bytes, 2 * buffer_.size()));
  return buffer_.data() + end_;
}

std::optional<reply> reply_parser::next() {
  at_ = begin_;
  missing_ = 1;
  reply made;
  if (!parse(made, 0)) return std::nullopt;
  begin_ = at_;
  return made;
}

std::optional<std::string_view> reply_parser::line() {
  std::string_view const rest(buffer_.data() + at_, end_ - at_);
  auto const end = rest.substr(0, most_line_bytes).find("\r\n");
  if (end == std::string_view::npos) {
    if (rest.size() >= most_line_bytes) foreign("a line without an end");
    return std::nullopt;
  }
  at_ += end + 2;
  return rest.substr(0, end);
}

std::int64_t reply_parser::number(std::string_view digits) const {
  std::int64_t value = 0;
  auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) foreign("a length that is no number");
  return value;
}

bool reply_parser::parse(reply& into, unsigned depth) {
  if (depth > most_depth) foreign("arrays in arrays without an end");
  auto const head = line();
  if (!head) return false;
  if (head->empty()) foreign("an empty line");
  auto const rest = head->substr(1);
  switch (head->front()) {
    case '+':
      into.what = reply::kind::text;
      into.text = std::string(rest);
      return true;
    case '-':
      into.what = reply::kind::error;
      into.text = std::string(rest);
      return true;
    case ':':
      into.what = reply::kind::integer;
      into.integer = number(rest);
      return true;
    case '$': {
      auto const bytes = number(rest);
      if (bytes == -1) return true;
      if (bytes < 0 || bytes > most_bulk_bytes) foreign("a string of impossible length");
      auto const needed = static_cast<std::size_t>(bytes) + 2;
      if (end_ - at_ < needed) {
        missing_ = needed - (end_ - at_);
        return false;
      }
      into.what = reply::kind::text;
      into.text.assign(buffer_.data() + at_, static_cast<std::size_t>(bytes));
      at_ += needed;
      return true;
    }
    case '*': {
      auto const count = number(rest);
      if (count == -1) return true;
      if (count < 0) foreign("an array of impossible length");
      into.what = reply::kind::array;
      for (std::int64_t i = 0; i < count; ++i)
        if (!parse(into.parts.emplace_back(), depth + 1)) return false;
      return true;
    }
    default:
      foreign("bytes of another protocol");
  }
}

}  // namespace hortus::redis
