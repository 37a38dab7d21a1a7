#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
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

/// The names and values of a map. Each has its own type, so they are kept until their number is known.
class map_reply {
 public:
  void add(char const* name, std::function<void(call const&)> value) { fields_.emplace_back(name, std::move(value)); }
  void whole(char const* name, std::uint64_t value) {
    add(name, [value](call const& it) { reply_unsigned(it, value); });
  }
  /// Null for what is not known, as infinite bounds are.
  void number(char const* name, std::optional<double> value) {
    add(name, [value](call const& it) { value&& std::isfinite(*value) ? it.reply_number(*value) : it.reply_null(); });
  }
  void text(char const* name, std::string value) {
    add(name, [value = std::move(value)](call const& it) { it.reply_bytes(value); });
  }
  void texts(char const* name, std::vector<std::string_view> values) {
    add(name, [values = std::move(values)](call const& it) {
      it.begin_array(values.size());
      for (auto const each : values) it.reply_bytes(each);
    });
  }
  /// A setting or a parameter of a family.
  void value(char const* name, field_value value) {
    add(name, [value](call const& it) { reply_value(it, value); });
  }
  void params(char const* name, std::vector<named_value> values) {
    add(name, [values = std::move(values)](call const& it) {
      it.begin_map(values.size());
      for (auto const& each : values) {
        it.reply_bytes(each.name);
        reply_value(it, each.value);
      }
    });
  }
  void truth(char const* name, bool value) {
    add(name, [value](call const& it) { it.reply_truth(value); });
  }
  void estimate(char const* name, plan::estimate const& e) {
    add(name, [e](call const& it) { answer(it, e); });
  }
  static void answer(call const& it, plan::estimate const& e) {
    map_reply all;
    all.number("estimate", e.value);
    all.number("low", e.low);
    all.number("high", e.high);
    all.send(it);
  }
  void send(call const& it) const {
    it.begin_map(fields_.size());
    for (auto const& [name, value] : fields_) {
      it.reply_bytes(name);
      value(it);
    }
  }

 private:
  static void reply_value(call const& it, field_value const& value) {
    auto const* const whole = std::get_if<std::uint64_t>(&value);
    whole != nullptr ? reply_unsigned(it, *whole) : it.reply_number(std::get<double>(value));
  }

  std::vector<std::pair<char const*, std::function<void(call const&)>>> fields_;
};

}  // namespace hortus::server
