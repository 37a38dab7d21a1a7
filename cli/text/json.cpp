#include "cli/text/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hortus::cli {
namespace {

nlohmann::ordered_json converted(json_value const& value) {
  if (auto const* const it = value.as<bool>()) return *it;
  if (auto const* const it = value.as<std::int64_t>()) return *it;
  if (auto const* const it = value.as<std::uint64_t>()) return *it;
  if (auto const* const it = value.as<double>()) return *it;
  if (auto const* const it = value.as<std::string>()) return *it;
  if (auto const* const it = value.as<json_value::array_type>()) {
    auto all = nlohmann::ordered_json::array();
    for (auto const& each : *it) all.push_back(converted(each));
    return all;
  }
  if (auto const* const it = value.as<json_value::object_type>()) {
    auto all = nlohmann::ordered_json::object();
    for (auto const& each : *it) all[each.name] = converted(each.value);
    return all;
  }
  return nullptr;
}

}  // namespace

json_value::json_value(std::initializer_list<member> members) : value_(object_type(members)) {}

json_value& json_value::operator[](std::string_view name) {
  if (is_null()) value_ = object_type();
  auto& members = std::get<object_type>(value_);
  auto const found = std::ranges::find(members, name, &member::name);
  if (found != members.end()) return found->value;
  members.push_back({std::string(name), json_value()});
  return members.back().value;
}

json_value const* json_value::find(std::string_view name) const noexcept {
  auto const* const members = as<object_type>();
  if (members == nullptr) return nullptr;
  auto const found = std::ranges::find(*members, name, &member::name);
  return found == members->end() ? nullptr : &found->value;
}

void json_value::push_back(json_value value) { std::get<array_type>(value_).push_back(std::move(value)); }

std::string json_value::printed(int indent) const {
  return converted(*this).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace hortus::cli
