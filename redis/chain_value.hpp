#pragma once
#include <string>
#include <string_view>

#include "redis/call.hpp"
#include "redis/memory.hpp"
#include "redis/redisbloom/bloom_shape.hpp"
#include "redis/saved_value.hpp"
#include "redis/settings.hpp"

/// What the types of BF.* and CF.* share: how Redis saves, loads, copies, counts and frees a chain of sub-filters, and what
/// their commands say.
namespace hortus::server {

/// What a command may make. Commands from the master and from the append-only file were allowed where they were first run.
[[nodiscard]] redisbloom::chain_limits limits_of(call const& of) noexcept;
[[nodiscard]] bool comes_from_elsewhere(call const& of) noexcept;

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

/// Redis' methods for a Value, which is a chain. Value::load_command loads its chunks.
template <class Value>
struct chain_methods {
  static void* load(api::stream* from, int encoding) noexcept {
    // A saved filter may have been made when max-object-bytes was larger. RESTORE is a command.
    bool const loading = (api::GetContextFlags(nullptr) & api::flag_loading) != 0;
    auto const most = loading ? redisbloom::most_cell_bytes : static_cast<std::uint64_t>(current_settings().max_object_bytes);
    try {
      saved_reader in(from);
      return new_value<Value>(Value::load(in, encoding, {most, redisbloom::most_saved_probes}));
    } catch (std::exception const& why) {
      api::LogIOError(from, "warning", "%s", why.what());
      return nullptr;
    }
  }
  static void save(api::stream* to, void* value) noexcept {
    saved_writer out(to);
    of(value).save(out);
  }
  static void rewrite(api::stream* to, api::string* key, void* value) noexcept {
    auto const& chain = of(value);
    std::string header;
    Value::append_header(chain, header);
    api::EmitAOF(to, Value::load_command, "slb", key, 1LL, header.data(), header.size());
    for (auto piece = chain.chunk_at(1); !piece.bytes.empty(); piece = chain.chunk_at(piece.next))
      api::EmitAOF(to, Value::load_command, "slb", key, piece.next, piece.bytes.data(), piece.bytes.size());
  }
  static void digest(api::digest_state* to, void* value) noexcept {
    digest_writer out(to);
    of(value).save(out);
    out.end();
  }
  static std::size_t memory_usage(void const* value) noexcept {
    auto bytes = api::MallocSize(const_cast<void*>(value));
    of(value).visit_blocks([&](void* block) { bytes += api::MallocSize(block); });
    return bytes;
  }
  /// Redis frees on another thread what takes more than 64. Large blocks count too: their pages go back to the system.
  static std::size_t free_effort(api::string*, void const* value) noexcept {
    auto const& chain = of(value);
    return 1 + chain.filters().size() + chain.cell_bytes() / (16U << 10);
  }
  static void* copy(api::string*, api::string*, void const* value) noexcept {
    try {
      return new_value<Value>(of(value));
    } catch (std::bad_alloc const&) {
      return nullptr;
    }
  }
  static int defragment(api::defragmentation* how, api::string*, void** value) noexcept {
    auto const move = [how](void*& block) {
      if (void* const moved = api::DefragAlloc(how, block)) block = moved;
    };
    move(*value);
    of(*value).visit_blocks(move);
    return 0;
  }
  /// Creates the type. Its name is RedisBloom's, so that its RDB files load.
  static bool add(api::context* to, char const* name) noexcept {
    static api::type_methods methods{.rdb_load = load,
                                     .rdb_save = save,
                                     .aof_rewrite = rewrite,
                                     .mem_usage = memory_usage,
                                     .digest = digest,
                                     .free = free_value<Value>,
                                     .free_effort = free_effort,
                                     .copy = copy,
                                     .defrag = defragment};
    Value::type = api::CreateDataType(to, name, Value::encoding, &methods);
    if (Value::type == nullptr) api::Log(to, "warning", "the type %s exists: is another module with it loaded?", name);
    return Value::type != nullptr;
  }

 private:
  static Value& of(void* value) noexcept { return *static_cast<Value*>(value); }
  /// visit_blocks() can move blocks, so it has no const twin.
  static Value& of(void const* value) noexcept { return *static_cast<Value*>(const_cast<void*>(value)); }
};

}  // namespace hortus::server
