#include "redis/cms_type.hpp"

#include <hortus/error.hpp>

#include "redis/aof.hpp"
#include "redis/block_type.hpp"
#include "redis/fields.hpp"
#include "redis/limits.hpp"

namespace hortus::server {
namespace {

constexpr char const* type_name = "CMSk-TYPE";
constexpr int encoding_version = 0;

cms_value const& sketch_of(void const* value) { return *static_cast<cms_value const*>(value); }

redisbloom::count_sketch read(loader const& from) {
  redisbloom::count_sketch::shape const dimensions{.width = from.number(), .depth = from.number()};
  auto const total = from.number();
  auto const bytes = dimensions.bytes();
  if (!bytes || *bytes > most_object_bytes())
    throw error(errc::corrupt, "there is no count-min sketch of this width and depth");
  auto const counters = from.string();
  return redisbloom::count_sketch::from_bytes(dimensions, total, counters.view());
}

void* load(api::stream* from, int version) { return version > encoding_version ? nullptr : load_value<cms_value>(from, read); }

void write(cms_value const& sketch, auto const& to) {
  to.number(sketch.dimensions().width);
  to.number(sketch.dimensions().depth);
  to.number(sketch.total());
  to.bytes(sketch.counters().bytes());
}

void save(api::stream* to, void* value) { write(sketch_of(value), saver(to)); }

void add_to_digest(api::digest_state* to, void* value) {
  digester const digest(to);
  write(sketch_of(value), digest);
  digest.end();
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
