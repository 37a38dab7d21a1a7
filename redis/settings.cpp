#include "redis/settings.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "redis/call.hpp"
#include "redis/groups.hpp"

namespace hortus::server {
namespace {

settings now;

struct number_setting {
  char const* name;
  char const* older_name;      // among the arguments of the module, in RedisBloom 2; null: none
  command_group const* group;  // that it is about; null: all
  long long settings::*value;
  long long least;
  long long most;
};
constexpr number_setting numbers[] = {
    {"max-object-bytes", nullptr, nullptr, &settings::max_object_bytes, 1 << 20, 1LL << 42},
    {"bf-initial-size", "INITIAL_SIZE", &bf_group, &settings::bf_initial_size, 1, most_capacity},
    {"bf-expansion-factor", nullptr, &bf_group, &settings::bf_expansion_factor, 0, most_expansion},
    {"cf-bucket-size", nullptr, &cf_group, &settings::cf_bucket_size, 1, 255},
    {"cf-initial-size", nullptr, &cf_group, &settings::cf_initial_size, 2, most_capacity},
    {"cf-max-iterations", nullptr, &cf_group, &settings::cf_max_iterations, 1, 65535},
    {"cf-expansion-factor", nullptr, &cf_group, &settings::cf_expansion_factor, 0, most_expansion},
    {"cf-max-expansions", "CF_MAX_EXPANSIONS", &cf_group, &settings::cf_max_expansions, 1, 65536},
};
constexpr char const* rate_name = "bf-error-rate";
constexpr char const* older_rate_name = "ERROR_RATE";
constexpr char const* faults_name = "redisbloom-faults";
constexpr char const* redisbloom_name = "redisbloom";  // no setting: an argument of the module only

number_setting const& numbered(void* which) { return *static_cast<number_setting const*>(which); }

/// Why a value is refused; empty: it is set.
using complaint = std::string;

complaint set_number(number_setting const& which, long long value) {
  bool const is_initial_size = which.value == &settings::cf_initial_size;
  auto const least = is_initial_size ? 2 * now.cf_bucket_size : which.least;
  if (value < least || value > which.most)
    return "Value for `" + std::string(which.name) + "` must be in the range [" + std::to_string(least) + ", " +
           std::to_string(which.most) + "]";
  now.*which.value = value;
  return {};
}

complaint set_rate(double rate) {
  if (!(rate > 0 && rate < 1)) return "Value for `" + std::string(rate_name) + "` must be in the range (0, 1)";
  now.bf_error_rate = rate < most_error_rate ? rate : most_error_rate;
  return {};
}

/// Redis' answer to a new value.
int answered(complaint const& wrong, api::string** why) {
  if (wrong.empty()) return api::ok;
  *why = api::CreateString(nullptr, wrong.data(), wrong.size());
  return api::failed;
}

// -- the server is told ------------------------------------------------------------------------------------------------------

/// Registers settings without the module's name before theirs, where the server knows such settings and the name is free. What
/// is refused is registered as `hortus.NAME`; nothing has changed then. No function of the server and no number of a version
/// tells which servers know them: Redis 8 does, Valkey 8 does not.
class registrar {
 public:
  explicit registrar(api::context* to) noexcept : to_(to) {}

  /// try_with(flags) registers one.
  template <class Try>
  [[nodiscard]] bool add(Try try_with) {
    if (flags_ == api::config_default) return try_with(flags_) == api::ok;
    if (try_with(flags_) == api::ok) return knows_unprefixed_ = true;
    if (try_with(api::config_default) != api::ok) return false;
    if (knows_unprefixed_) return true;
    flags_ = api::config_default;
    api::Log(to_, "notice", "this server puts the name of a module before its settings (so it logged an invalid flag): %s",
             "hortus.max-object-bytes and so on");
    return true;
  }

 private:
  api::context* to_;
  unsigned flags_ = api::config_unprefixed;
  bool knows_unprefixed_ = false;
};

bool add_numbers(api::context* to, registrar& with) {
  for (auto const& each : numbers) {
    if (each.group != nullptr && !is_there(*each.group)) continue;
    auto const get = [](char const*, void* which) { return now.*numbered(which).value; };
    auto const set = [](char const*, long long value, void* which, api::string** why) -> int {
      return answered(set_number(numbered(which), value), why);
    };
    if (!with.add([&](unsigned flags) {
          return api::RegisterNumericConfig(to, each.name, now.*each.value, flags, each.least, each.most, get, set, nullptr,
                                            const_cast<number_setting*>(&each));
        }))
      return false;
  }
  return true;
}

bool add_rate(api::context* to, registrar& with) {
  auto const get = [](char const*, void*) {
    static api::string* shown = nullptr;  // Redis reads it before it asks again
    if (shown != nullptr) api::FreeString(nullptr, shown);
    char text[32];
    auto const end = std::to_chars(text, text + sizeof text, now.bf_error_rate).ptr;
    shown = api::CreateString(nullptr, text, static_cast<std::size_t>(end - text));
    return shown;
  };
  auto const set = [](char const*, api::string* value, void*, api::string** why) -> int {
    double rate = 0;
    if (api::StringToDouble(value, &rate) != api::ok)
      return answered("Invalid value for `" + std::string(rate_name) + "`", why);
    return answered(set_rate(rate), why);
  };
  char text[32];
  *std::to_chars(text, text + sizeof text - 1, now.bf_error_rate).ptr = '\0';
  return with.add(
      [&](unsigned flags) { return api::RegisterStringConfig(to, rate_name, text, flags, get, set, nullptr, nullptr); });
}

bool add_faults_setting(api::context* to, registrar& with) {
  auto const get = [](char const*, void*) { return now.redisbloom_faults ? 1 : 0; };
  auto const set = [](char const*, int value, void*, api::string**) -> int {
    now.redisbloom_faults = value != 0;
    return api::ok;
  };
  return with.add([&](unsigned flags) {
    return api::RegisterBoolConfig(to, faults_name, now.redisbloom_faults ? 1 : 0, flags, get, set, nullptr, nullptr);
  });
}

// -- the arguments of the module ---------------------------------------------------------------------------------------------

bool read_number(std::string_view text, auto& value) {
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

/// Reads argument i, a name, and the value after it. Returns whether that is a name and a value for it.
bool read_argument(call const& it, std::size_t i, bool& redisbloom) {
  auto const is = [&](char const* name) { return name != nullptr && it.is(i, name); };
  if (is(rate_name) || is(older_rate_name)) {
    double rate = 0;
    return read_number(it[i + 1], rate) && set_rate(rate).empty();
  }
  for (auto const& [name, truth] : {std::pair(faults_name, &now.redisbloom_faults), {redisbloom_name, &redisbloom}}) {
    if (!is(name)) continue;
    *truth = it.is(i + 1, "yes");
    return *truth || it.is(i + 1, "no");
  }
  for (auto const& each : numbers) {
    if (!is(each.name) && !is(each.older_name)) continue;
    long long number = 0;
    return read_number(it[i + 1], number) && set_number(each, number).empty();
  }
  return false;
}

}  // namespace

settings const& current_settings() noexcept { return now; }

bool read_arguments(api::context* to, api::string** arguments, int count, bool& redisbloom) {
  call const given(to, arguments, count);
  if (given.size() % 2 != 0) {
    api::Log(to, "warning", "Invalid number of arguments passed");
    return false;
  }
  for (std::size_t i = 0; i < given.size(); i += 2) {
    if (read_argument(given, i, redisbloom)) continue;
    api::Log(to, "warning", "Unrecognized option or value: %s %s", std::string(given[i]).c_str(),
             std::string(given[i + 1]).c_str());
    return false;
  }
  return true;
}

bool add_settings(api::context* to) {
  registrar with(to);
  return add_numbers(to, with) && (!is_there(bf_group) || add_rate(to, with)) && add_faults_setting(to, with) &&
         api::LoadConfigs(to) == api::ok;
}

}  // namespace hortus::server
