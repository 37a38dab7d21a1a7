#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/plan/goal.hpp>

/// The named fields of a family's goal and params, for `--set probes=5` and for the params that info and plan show. Both
/// aggregates name their fields once, in fields(self, io) with io("probes", self.probes); a goal adds the help text.
namespace hortus {

using field_value = std::variant<std::uint64_t, double>;

struct named_value {
  std::string name;
  field_value value;
};

template <class T>
field_value value_of(T field) {
  if constexpr (std::integral<T>)
    return static_cast<std::uint64_t>(field);
  else
    return static_cast<double>(field);
}

template <class T>
std::vector<named_value> values_of(T const& aggregate) {
  std::vector<named_value> values;
  auto list = [&](std::string_view name, auto const& field) { values.push_back({std::string(name), value_of(field)}); };
  T::fields(aggregate, list);
  return values;
}

/// A setting of a family, as `hortus list FAMILY` shows it.
struct setting {
  std::string_view name;
  field_value by_default;
  setting_note note;
};

/// Out of line: the card of every family would else contain, for each of its settings, a vector that grows.
void add_setting(std::vector<setting>& settings, setting const& added);

template <class Goal>
std::vector<setting> settings_of() {
  std::vector<setting> settings;
  auto list = [&](std::string_view name, auto const& field, setting_note const& note) {
    add_setting(settings, {name, value_of(field), note});
  };
  Goal const untouched{};
  Goal::fields(untouched, list);
  return settings;
}

template <class T>
void set_value(T& aggregate, std::string_view name, std::string_view text) {
  bool found = false;
  std::string known;
  auto assign = [&](std::string_view field_name, auto& field, setting_note const& note) {
    known += (known.empty() ? "" : ", ") + std::string(field_name);
    if (field_name != name) return;
    found = true;
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), field);
    if (status != std::errc() || end != text.data() + text.size())
      throw error(errc::bad_goal, "'" + std::string(text) + "' is no value for " + std::string(name));
    if (field == 0 && !note.takes_zero())  // in the goal it would mean "not set"
      throw error(errc::bad_goal, "0 is no value for " + std::string(name) + ": it is " + std::string(note.values) +
                                      ", or left out for the default");
  };
  T::fields(aggregate, assign);
  if (!found)
    throw error(errc::bad_goal,
                "there is no setting '" + std::string(name) + "'; this family has: " + (known.empty() ? "none" : known));
}

}  // namespace hortus
