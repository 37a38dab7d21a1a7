#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The verbs as a type. A family declares the verbs it has, and a static_assert in its own unit compares them with what the
/// concepts find. A verb that is lost because a signature changed therefore does not compile. Names are only for people:
/// the command line, JSON, messages.
namespace hortus {

/// In the order in which they are listed.
enum class verb : std::uint8_t {
  build,
  insert,
  insert_if_new,
  insert_times,  ///< insert(key, times): as so many inserts
  advance,
  may_contain,
  find,    ///< find(key): its value
  put,     ///< put(key, value): inserts a key with its value
  assign,  ///< assign(key, value): changes the value of a key
  erase,
  count,
  top,
  estimate,
  compare,  ///< compare(other): how many keys both have, and only one of them
  fpr,
  merge,
  intersect,
  fold,
  grow,
  clear,
  size_bytes,
};
inline constexpr std::array<std::string_view, 21> verb_names{
    "build", "insert", "insert_if_new", "insert_times", "advance", "may_contain", "find",
    "put",   "assign", "erase",         "count",        "top",     "estimate",    "compare",
    "fpr",   "merge",  "intersect",     "fold",         "grow",    "clear",       "size_bytes"};

[[nodiscard]] constexpr std::string_view name_of(verb v) noexcept { return verb_names[static_cast<std::size_t>(v)]; }

[[nodiscard]] constexpr std::optional<verb> verb_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < verb_names.size(); ++i)
    if (verb_names[i] == name) return static_cast<verb>(i);
  return std::nullopt;
}

/// A set of verbs, written verb::insert | verb::merge.
class verb_set {
 public:
  constexpr verb_set() noexcept = default;
  constexpr verb_set(verb v) noexcept : bits_(bit(v)) {}  // NOLINT(google-explicit-constructor): one verb is a set

  [[nodiscard]] constexpr bool has(verb v) const noexcept { return (bits_ & bit(v)) != 0; }
  [[nodiscard]] constexpr bool has_all(verb_set some) const noexcept { return (some.bits_ & ~bits_) == 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr verb_set without(verb_set some) const noexcept { return verb_set(bits_ & ~some.bits_); }
  [[nodiscard]] constexpr verb_set only(verb_set some) const noexcept { return verb_set(bits_ & some.bits_); }
  constexpr bool operator==(verb_set const&) const noexcept = default;

  friend constexpr verb_set operator|(verb_set a, verb_set b) noexcept { return verb_set(a.bits_ | b.bits_); }

  /// act(verb) for each, in order.
  constexpr void for_each(auto act) const {
    for (auto left = bits_; left != 0; left &= left - 1) act(static_cast<verb>(std::countr_zero(left)));
  }
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for_each([&](verb v) { all.push_back(name_of(v)); });
    return all;
  }

 private:
  constexpr explicit verb_set(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint32_t bit(verb v) noexcept { return std::uint32_t{1} << static_cast<unsigned>(v); }

  std::uint32_t bits_ = 0;
};
constexpr verb_set operator|(verb a, verb b) noexcept { return verb_set(a) | verb_set(b); }

/// The main question that a family answers. The command, the planner, the benchmarks and the tour branch on it.
enum class question {
  which_value,  ///< find: which value has the key?
  whether,      ///< may_contain, without find: is the key a member?
  which_keys,   ///< top: which keys were inserted most often?
  how_often,    ///< count, without these: how often was it inserted?
  how_many,     ///< estimate alone: how many distinct keys were there?
};

[[nodiscard]] constexpr question question_of(verb_set verbs) noexcept {
  if (verbs.has(verb::find)) return question::which_value;
  if (verbs.has(verb::may_contain)) return question::whether;
  if (verbs.has(verb::top)) return question::which_keys;
  return verbs.has(verb::count) ? question::how_often : question::how_many;
}

}  // namespace hortus
