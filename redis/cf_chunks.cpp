#include "redis/cf_value.hpp"
#include "redis/chain_value.hpp"

/// CF.SCANDUMP and CF.LOADCHUNK.
namespace hortus::server {
namespace {

cf_value* from_header(std::string_view header, redisbloom::chain_limits limits) {
  if (header.size() != cf_value::header_bytes) throw refusal("Invalid header");
  try {
    return new_value<cf_value>(redisbloom::cuckoo_chain::from_header(header, limits));
  } catch (error const&) {
    throw refusal("Couldn't create filter!");
  }
}

}  // namespace

void cf_scandump(call& it) {
  auto const iterator = it.integer(2);
  if (!iterator || *iterator < 0) throw refusal("Invalid position");
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const* const chain = key.value();
  if (chain == nullptr) throw refusal("ERR not found");
  if (*iterator == 0 && chain->items() != 0) {
    std::string header;
    cf_value::append_header(*chain, header);
    it.begin_array(2);
    it.reply(1);
    it.reply_bytes(header);
    return;
  }
  // RedisBloom has nothing to tell of a filter without items.
  auto const piece = chain->items() == 0 ? redisbloom::chunk() : chain->chunk_at(*iterator);
  it.begin_array(2);
  it.reply(piece.next);
  if (piece.bytes.empty())
    it.reply_null();
  else
    it.reply_bytes({reinterpret_cast<char const*>(piece.bytes.data()), piece.bytes.size()});
}

void cf_loadchunk(call& it) {
  opened_key<cf_value> key(it, 1, api::key_read | api::key_write);
  auto const iterator = it.integer(2);
  if (!iterator || *iterator == 0) throw refusal("Invalid position");
  auto* const chain = key.value();
  if (*iterator == 1) {
    if (chain != nullptr) throw refusal("ERR item exists");
    key.set(from_header(it[3], limits_of(it)));
  } else {
    if (chain == nullptr) throw refusal("ERR not found");
    auto const bytes = it[3];
    auto const fault = chain->write_chunk(*iterator, {reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()});
    if (bytes.empty() || fault != redisbloom::chunk_fault::none) throw refusal("Couldn't load chunk!");
  }
  it.replicate();
  it.notify("cuckoo.load");
  it.reply_ok();
}

}  // namespace hortus::server
