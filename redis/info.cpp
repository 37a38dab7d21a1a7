#include "redis/info.hpp"

#include <string>
#include <vector>

#include <hortus/any/catalogue.hpp>
#include <hortus/version.hpp>

#include "redis/call.hpp"
#include "redis/groups.hpp"
#include "redis/memory.hpp"

namespace hortus::server {
namespace {

struct counted_type {
  std::string field;
  std::atomic<long long> const* live;
};
std::vector<counted_type>& counted_types() {
  static std::vector<counted_type> all;
  return all;
}

unsigned long long shown(long long number) noexcept { return number < 0 ? 0 : static_cast<unsigned long long>(number); }

/// Redis puts the module's name before the name of a section and of a field: hortus_objects, hortus_bytes.
void show(api::info* to, int for_crash_report) {
  if (api::InfoAddSection(to, "objects") != api::ok) return;
  api::InfoAddFieldCString(to, "version", HORTUS_VERSION_STRING);
  if (for_crash_report == 0) {
    api::InfoAddFieldULongLong(to, "families", catalogue().size());
    if (auto const out = groups_left_out(); !out.empty()) api::InfoAddFieldCString(to, "left_out", out.c_str());
  }
  api::InfoAddFieldULongLong(to, "bytes", shown(allocated_bytes()));
  api::InfoAddFieldULongLong(to, "repeated_refusals", repeated_refusals());
  for (auto const& type : counted_types()) api::InfoAddFieldULongLong(to, type.field.c_str(), shown(type.live->load()));
}

}  // namespace

void count_in_info(char const* name, std::atomic<long long> const& live) {
  counted_types().push_back({"objects_" + std::string(name), &live});
}

bool add_info(api::context* to) { return api::RegisterInfoFunc(to, show) == api::ok; }

}  // namespace hortus::server
