#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hortus/any/settings.hpp>
#include <hortus/maths/cardinality.hpp>

#include "redis/call.hpp"
#include "redis/words.hpp"

namespace hortus::server {

/// A reply with parts, made before the first part is sent: what fails, fails before, and never in the middle of a reply.
class answer {
 public:
  using list = std::vector<answer>;
  using map = std::vector<std::pair<std::string, answer>>;

  answer(std::uint64_t value) : value_(value) {}
  answer(bool value) : value_(value) {}
  answer(std::string value) : value_(std::move(value)) {}
  answer(std::string_view value) : value_(std::string(value)) {}
  answer(char const* value) : value_(std::string(value)) {}
  answer(list parts) : value_(std::move(parts)) {}
  answer(map parts) : value_(std::move(parts)) {}
  /// Null for what is not known, as infinite bounds are.
  answer(std::optional<double> value) : value_(nullptr) {
    if (value && std::isfinite(*value)) value_ = *value;
  }
  answer(double value) : answer(std::optional(value)) {}
  answer(field_value const& value) : value_(nullptr) {
    std::visit([&](auto each) { value_ = each; }, value);
  }
  answer(std::vector<named_value> const& values) : value_(map()) {
    for (auto const& each : values) std::get<map>(value_).emplace_back(each.name, each.value);
  }
  answer(std::vector<std::string_view> const& texts) : value_(list(texts.begin(), texts.end())) {}
  answer(plan::estimate const& e) : answer(map{{"estimate", e.value}, {"low", e.low}, {"high", e.high}}) {}

  void send(caller const& it) const noexcept {
    std::visit([&](auto const& value) { send(it, value); }, value_);
  }

 private:
  static void send(caller const& it, std::nullptr_t) noexcept { it.reply_null(); }
  static void send(caller const& it, std::uint64_t value) noexcept { reply_unsigned(it, value); }
  static void send(caller const& it, double value) noexcept { it.reply_number(value); }
  static void send(caller const& it, bool value) noexcept { it.reply_truth(value); }
  static void send(caller const& it, std::string const& value) noexcept { it.reply_bytes(value); }
  static void send(caller const& it, list const& parts) noexcept {
    it.begin_array(parts.size());
    for (auto const& each : parts) each.send(it);
  }
  static void send(caller const& it, map const& parts) noexcept {
    it.begin_map(parts.size());
    for (auto const& [name, value] : parts) {
      it.reply_bytes(name);
      value.send(it);
    }
  }

  std::variant<std::nullptr_t, std::uint64_t, double, bool, std::string, list, map> value_;
};

}  // namespace hortus::server
