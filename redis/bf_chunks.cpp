#include "redis/bf_value.hpp"
#include "redis/chain_value.hpp"

/// BF.SCANDUMP and BF.LOADCHUNK.
namespace hortus::server {
namespace {

char const* text_of(redisbloom::chunk_fault fault) {
  switch (fault) {
    case redisbloom::chunk_fault::before_start:
      return "ERR received bad data";
    case redisbloom::chunk_fault::after_end:
      return "ERR invalid offset - no link found";
    case redisbloom::chunk_fault::across_filters:
      return "ERR invalid chunk - Too big for current filter";
    case redisbloom::chunk_fault::none:
      break;
  }
  return nullptr;
}

bf_value* from_header(std::string_view header, redisbloom::chain_limits limits) {
  try {
    return new_value<bf_value>(redisbloom::bloom_chain::from_header(header, limits));
  } catch (error const&) {
    throw refusal("ERR received bad data");
  }
}

}  // namespace

void bf_scandump(call& it) {
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const* const chain = key.value();
  if (chain == nullptr) throw refusal("ERR not found");
  auto const iterator = it.integer(2);
  if (!iterator) throw refusal("Second argument must be numeric");
  if (*iterator == 0) {
    std::string header;
    bf_value::append_header(*chain, header);
    it.begin_array(2);
    it.reply(1);
    it.reply_bytes(header);
    return;
  }
  auto const piece = chain->chunk_at(*iterator);
  it.begin_array(2);
  it.reply(piece.next);
  it.reply_bytes({reinterpret_cast<char const*>(piece.bytes.data()), piece.bytes.size()});
}

void bf_loadchunk(call& it) {
  auto const iterator = it.integer(2);
  if (!iterator) throw refusal("ERR Second argument must be numeric");
  opened_key<bf_value> key(it, 1, api::key_read | api::key_write);
  auto* const chain = key.value();
  if (chain != nullptr) {
    auto const bytes = it[3];
    auto const fault = chain->write_chunk(*iterator, {reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()});
    if (fault != redisbloom::chunk_fault::none) throw refusal(text_of(fault));
  } else if (*iterator == 1) {
    key.set(from_header(it[3], limits_of(it)));
  } else {
    throw refusal("ERR not found");
  }
  it.replicate();
  it.notify("bloom.load");
  it.reply_ok();
}

}  // namespace hortus::server
