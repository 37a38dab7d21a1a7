#include "redis/cms_type.hpp"

#include <hortus/error.hpp>

#include "redis/aof.hpp"
#include "redis/block_type.hpp"
#include "redis/limits.hpp"
#include "redis/loading.hpp"

namespace hortus::server {
namespace {

constexpr char const* type_name = "CMSk-TYPE";
constexpr int encoding_version = 0;

cms_value const& sketch_of(void const* value) { return *static_cast<cms_value const*>(value); }

redisbloom::count_sketch read(loader const& from) {
  redisbloom::count_sketch::shape const dimensions{.width = from.integer(), .depth = from.integer()};
  auto const total = from.integer();
  auto const bytes = dimensions.bytes();
  if (!bytes || *bytes > most_object_bytes())
    throw error(errc::corrupt, "there is no count-min sketch of this width and depth");
  auto const counters = from.string();
  return redisbloom::count_sketch::from_bytes(dimensions, total, counters.view());
}

void* load(api::stream* from, int version) { return version > encoding_version ? nullptr : load_value<cms_value>(from, read); }

void save(api::stream* to, void* value) {
  auto const& sketch = sketch_of(value);
  api::SaveUnsigned(to, sketch.dimensions().width);
  api::SaveUnsigned(to, sketch.dimensions().depth);
  api::SaveUnsigned(to, sketch.total());
  auto const counters = sketch.counters().bytes();
  api::SaveStringBuffer(to, counters.data(), counters.size());
}

void add_to_digest(api::digest_state* digest, void* value) {
  auto const& sketch = sketch_of(value);
  api::DigestAddLongLong(digest, static_cast<long long>(sketch.dimensions().width));
  api::DigestAddLongLong(digest, static_cast<long long>(sketch.dimensions().depth));
  api::DigestAddLongLong(digest, static_cast<long long>(sketch.total()));
  auto const counters = sketch.counters().bytes();
  api::DigestAddStringBuffer(digest, counters.data(), counters.size());
  api::DigestEndSequence(digest);
}

}  // namespace

bool add_cms_type(api::context* to) {
  auto methods = block_type_methods<cms_value>();
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = [](api::stream* file, api::string* key, void* value) {
    emit_restore(file, key, value, cms_value::type, type_number(type_name, encoding_version));
  };
  methods.digest = add_to_digest;
  cms_value::type = api::CreateDataType(to, type_name, encoding_version, &methods);
  return cms_value::type != nullptr;
}

}  // namespace hortus::server
