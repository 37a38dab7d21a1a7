#include "redis/topk_type.hpp"

#include <hortus/error.hpp>

#include "redis/aof.hpp"
#include "redis/block_type.hpp"
#include "redis/fields.hpp"
#include "redis/limits.hpp"

namespace hortus::server {
namespace {

constexpr char const* type_name = "TopK-TYPE";
constexpr int encoding_version = 0;

topk_value const& keeper_of(void const* value) { return *static_cast<topk_value const*>(value); }

redisbloom::heavy_keeper read(loader const& from) {
  redisbloom::heavy_keeper::shape const its{
      .items = from.number(), .width = from.number(), .depth = from.number(), .decay = from.real()};
  auto const most = most_object_bytes();
  auto bytes = its.bytes();
  if (!bytes || *bytes > most) throw error(errc::corrupt, "there is no TopK of these numbers");
  auto const buckets = from.string();
  auto const records = from.string();
  // Before memory is allocated for them: a few bytes of a dump may claim any number of buckets and items.
  if (buckets.view().size() != its.width * its.depth * sizeof(redisbloom::heavy_keeper::bucket) ||
      records.view().size() != its.items * sizeof(redisbloom::top_list::record))
    throw error(errc::corrupt, "the bytes of the buckets or of the list are not those of a TopK of these numbers");
  redisbloom::heavy_keeper made(its);
  loaded_string item;
  made.restore(buckets.view(), records.view(), [&] {
    item = from.string();
    *bytes += item.view().size();
    if (*bytes > most) throw error(errc::corrupt, "the items of a TopK are larger than objects may be");
    return item.view();
  });
  return made;
}

void* load(api::stream* from, int version) { return version > encoding_version ? nullptr : load_value<topk_value>(from, read); }

void write(topk_value const& keeper, auto const& to) {
  auto const its = keeper.dimensions();
  to.number(its.items);
  to.number(its.width);
  to.number(its.depth);
  to.real(its.decay);
  to.bytes(keeper.buckets().bytes());
  to.bytes(keeper.list().records().bytes());
  for (std::uint64_t place = 0; place < its.items; ++place) to.bytes(keeper.list().item(place).stored());
}

void save(api::stream* to, void* value) { write(keeper_of(value), saver(to)); }

void add_to_digest(api::digest_state* to, void* value) {
  digester const digest(to);
  write(keeper_of(value), digest);
  digest.end();
}

}  // namespace

bool add_topk_type(api::context* to) {
  auto methods = block_type_methods<topk_value>();
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = [](api::stream* file, api::string* key, void* value) {
    emit_restore(file, key, value, topk_value::type, type_number(type_name, encoding_version));
  };
  methods.digest = add_to_digest;
  topk_value::type = api::CreateDataType(to, type_name, encoding_version, &methods);
  return topk_value::type != nullptr;
}

}  // namespace hortus::server
