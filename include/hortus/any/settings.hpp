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

/// The named fields of a family's goal and params, for people: `--set probes=5`, the params of info and plan. Both aggregates
/// name their fields once, in fields(self, io) with io("probes", self.probes).
namespace hortus {

struct named_value {
  std::string name;
  std::variant<std::uint64_t, double> value;
};

template <class T>
std::vector<named_value> values_of(T const& aggregate) {
  std::vector<named_value> values;
  auto list = [&](std::string_view name, auto const& field) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(field)>>)
      values.push_back({std::string(name), static_cast<std::uint64_t>(field)});
    else
      values.push_back({std::string(name), static_cast<double>(field)});
  };
  T::fields(aggregate, list);
  return values;
}

/// A setting whose default is 0 is one that the plan chooses, so 0 cannot be asked for. But a seed of 0 is a seed, and a window
/// of 0 ticks is one of keys.
template <class T>
bool is_chosen_by_plan(std::string_view name) {
  bool chosen = false;
  T const defaults;
  auto look = [&](std::string_view field_name, auto const& field) { chosen = chosen || (field_name == name && field == 0); };
  T::fields(defaults, look);
  return chosen && name != "seed" && name != "ticks";
}

template <class T>
void set_value(T& aggregate, std::string_view name, std::string_view text) {
  bool found = false;
  std::string known;
  auto assign = [&](std::string_view field_name, auto& field) {
    known += (known.empty() ? "" : ", ") + std::string(field_name);
    if (field_name != name) return;
    found = true;
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), field);
    if (status != std::errc() || end != text.data() + text.size())
      throw error(errc::bad_goal, "'" + std::string(text) + "' is no value for " + std::string(name));
    if (field == 0 && is_chosen_by_plan<T>(name))
      throw error(errc::bad_goal,
                  "0 is no value for " + std::string(name) +
                      (std::integral<std::remove_cvref_t<decltype(field)>> ? ": it is 1 or more" : ": it is more than 0") +
                      ", or left out for the default");
  };
  T::fields(aggregate, assign);
  if (!found)
    throw error(errc::bad_goal,
                "there is no setting '" + std::string(name) + "'; this family has: " + (known.empty() ? "none" : known));
}

}  // namespace hortus
