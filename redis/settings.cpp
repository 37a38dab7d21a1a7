#include "redis/settings.hpp"

#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "redis/call.hpp"

namespace hortus::server {
namespace {

settings now;

struct number_setting {
  char const* name;
  char const* argument;  // its name among the arguments of the module, as in RedisBloom 2; null: none
  long long settings::*value;
  long long least;
  long long most;
};
constexpr number_setting numbers[] = {
    {"bf-initial-size", "INITIAL_SIZE", &settings::bf_initial_size, 1, most_capacity},
    {"bf-expansion-factor", nullptr, &settings::bf_expansion_factor, 0, most_expansion},
    {"cf-bucket-size", nullptr, &settings::cf_bucket_size, 1, 255},
    {"cf-initial-size", nullptr, &settings::cf_initial_size, 2, most_capacity},
    {"cf-max-iterations", nullptr, &settings::cf_max_iterations, 1, 65535},
    {"cf-expansion-factor", nullptr, &settings::cf_expansion_factor, 0, most_expansion},
    {"cf-max-expansions", "CF_MAX_EXPANSIONS", &settings::cf_max_expansions, 1, 65536},
    {"max-object-bytes", nullptr, &settings::max_object_bytes, 1 << 20, 1LL << 42},
};
constexpr char const* rate_name = "bf-error-rate";
constexpr char const* rate_argument = "ERROR_RATE";
constexpr char const* faults_name = "redisbloom-faults";

number_setting const& numbered(void* which) { return *static_cast<number_setting const*>(which); }

api::string* text_of(std::string const& text) { return api::CreateString(nullptr, text.data(), text.size()); }

int set_rate(double rate, api::string** why) {
  if (!(rate > 0 && rate < 1)) {
    if (why != nullptr) *why = text_of("Value for `" + std::string(rate_name) + "` must be in the range (0, 1)");
    return api::failed;
  }
  now.bf_error_rate = rate < most_error_rate ? rate : most_error_rate;
  return api::ok;
}

bool read_number(std::string_view text, auto& value) {
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

bool add_numbers(api::context* to, unsigned flags) {
  for (auto const& each : numbers) {
    auto const get = [](char const*, void* which) { return now.*numbered(which).value; };
    auto const set = [](char const*, long long value, void* which, api::string** why) -> int {
      auto const& its = numbered(which);
      if (its.value == &settings::cf_initial_size && value < 2 * now.cf_bucket_size) {
        *why = text_of("Value for `cf-initial-size` must be in the range [" + std::to_string(2 * now.cf_bucket_size) + ", " +
                       std::to_string(its.most) + "]");
        return api::failed;
      }
      now.*its.value = value;
      return api::ok;
    };
    if (api::RegisterNumericConfig(to, each.name, now.*each.value, flags, each.least, each.most, get, set, nullptr,
                                   const_cast<number_setting*>(&each)) != api::ok)
      return false;
  }
  return true;
}

bool add_others(api::context* to, unsigned flags) {
  auto const get_rate = [](char const*, void*) {
    static api::string* shown = nullptr;  // Redis reads it before it asks again
    if (shown != nullptr) api::FreeString(nullptr, shown);
    char text[32];
    auto const end = std::to_chars(text, text + sizeof text, now.bf_error_rate).ptr;
    shown = api::CreateString(nullptr, text, static_cast<std::size_t>(end - text));
    return shown;
  };
  auto const set_rate_text = [](char const*, api::string* value, void*, api::string** why) -> int {
    double rate = 0;
    if (api::StringToDouble(value, &rate) != api::ok) {
      *why = text_of("Invalid value for `" + std::string(rate_name) + "`");
      return api::failed;
    }
    return set_rate(rate, why);
  };
  auto const get_faults = [](char const*, void*) { return now.redisbloom_faults ? 1 : 0; };
  auto const set_faults = [](char const*, int value, void*, api::string**) -> int {
    now.redisbloom_faults = value != 0;
    return api::ok;
  };
  char text[32];
  *std::to_chars(text, text + sizeof text - 1, now.bf_error_rate).ptr = '\0';
  return api::RegisterStringConfig(to, rate_name, text, flags, get_rate, set_rate_text, nullptr, nullptr) == api::ok &&
         api::RegisterBoolConfig(to, faults_name, now.redisbloom_faults ? 1 : 0, flags, get_faults, set_faults, nullptr,
                                 nullptr) == api::ok;
}

/// The arguments that RedisBloom 2 took: NAME VALUE pairs.
bool read_arguments(api::context* to, call const& arguments) {
  if (arguments.size() % 2 != 0) {
    api::Log(to, "warning", "Invalid number of arguments passed");
    return false;
  }
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    auto const value = arguments[i + 1];
    bool known = false;
    if (arguments.is(i, rate_argument)) {
      double rate = 0;
      known = read_number(value, rate) && set_rate(rate, nullptr) == api::ok;
    }
    for (auto const& each : numbers)
      if (each.argument != nullptr && arguments.is(i, each.argument)) {
        long long number = 0;
        known = read_number(value, number) && number >= each.least && number <= each.most;
        if (known) now.*each.value = number;
      }
    if (!known) {
      api::Log(to, "warning", "Unrecognized option or value: %s %s", std::string(arguments[i]).c_str(),
               std::string(value).c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

settings const& current_settings() noexcept { return now; }

bool add_settings(api::context* to, api::string** arguments, int count) {
  if (!read_arguments(to, call(to, arguments, count))) return false;
  auto const flags = api::GetServerVersion() >= 0x080000 ? api::config_unprefixed : api::config_default;
  return add_numbers(to, flags) && add_others(to, flags) && api::LoadConfigs(to) == api::ok;
}

}  // namespace hortus::server
