#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "redis/block_type.hpp"
#include "redis/call.hpp"
#include "redis/fields.hpp"
#include "redis/limits.hpp"
#include "redis/memory.hpp"
#include "redis/redisbloom/block.hpp"
#include "redis/redisbloom/bloom_shape.hpp"
#include "redis/settings.hpp"

/// What the types of BF.* and CF.* share: how Redis saves, loads, copies, counts and frees a chain of sub-filters, and what
/// their commands say.
namespace hortus::server {

/// What a command may make. Commands from the master and from the append-only file were allowed where they were first run.
[[nodiscard]] redisbloom::chain_limits limits_of(call const& of) noexcept;
/// The largest value of a number in a command, which is `most` for clients. Releases of RedisBloom differ there, and what one
/// of them took is repeated by its replicas and files.
[[nodiscard]] long long most_of(call const& of, long long most) noexcept;
/// Are options read as RedisBloom reads them, which looks for the words that it knows, also by their first letters, and passes
/// over all others? So it is with the setting, and for what a master or a file says: it was read so before.
[[nodiscard]] bool reads_as_redisbloom(call const& of) noexcept;

/// The value for a question. RedisBloom answers for a key of another type as if there were none.
template <class T>
[[nodiscard]] T const* value_asked(opened_key<T> const& key) {
  if (!key.holds() && current_settings().redisbloom_faults) return nullptr;
  return key.value();
}

/// Refuses a word that is no option, and names those that are.
[[noreturn]] void refuse_word(std::string_view word, char const* allowed);
/// After RedisBloom's text, why a chain cannot be so large.
[[nodiscard]] std::string obstacle_text(char const* redisbloom_text, redisbloom::obstacle why);

/// Reads cells as well. The block that Redis read into becomes the cells: a large filter is not copied.
class chain_loader : public loader {
 public:
  explicit chain_loader(loader const& from) noexcept : loader(from) {}
  [[nodiscard]] redisbloom::cells bytes() const {
    auto read = string();
    auto const size = read.view().size();
    char* const block = read.release();
    if (block != nullptr) count_adopted(block);
    return redisbloom::cells::adopt(block, size);
  }
};

/// Redis' methods for a Value, which is a chain. Value::load_command loads its chunks.
template <class Value>
struct chain_methods {
  static void* load(api::stream* from, int encoding) noexcept {
    return load_value<Value>(from, [encoding](loader const& fields) {
      chain_loader in(fields);
      return Value::load(in, encoding,
                         {std::min(most_object_bytes(), redisbloom::most_cell_bytes), redisbloom::most_saved_probes});
    });
  }
  static void save(api::stream* to, void* value) noexcept {
    saver out(to);
    value_of<Value>(value).save(out);
  }
  static void rewrite(api::stream* to, api::string* key, void* value) noexcept {
    auto const& chain = value_of<Value>(value);
    std::string header;
    Value::append_header(chain, header);
    api::EmitAOF(to, Value::load_command, "slb", key, 1LL, header.data(), header.size());
    for (auto piece = chain.chunk_at(1); !piece.bytes.empty(); piece = chain.chunk_at(piece.next))
      api::EmitAOF(to, Value::load_command, "slb", key, piece.next, piece.bytes.data(), piece.bytes.size());
  }
  static void digest(api::digest_state* to, void* value) noexcept {
    digester out(to);
    value_of<Value>(value).save(out);
    out.end();
  }
  /// Creates the type. Its name is RedisBloom's, so that its RDB files load. Returns false if the server refuses it.
  static bool add(api::context* to, char const* name) noexcept {
    auto methods = block_type_methods<Value>();
    methods.rdb_load = load;
    methods.rdb_save = save;
    methods.aof_rewrite = rewrite;
    methods.digest = digest;
    Value::type = api::CreateDataType(to, name, Value::encoding, &methods);
    return Value::type != nullptr;
  }
};

}  // namespace hortus::server
