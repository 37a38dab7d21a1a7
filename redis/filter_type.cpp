#include <exception>
#include <new>
#include <string>

#include "redis/fields.hpp"
#include "redis/filter.hpp"
#include "redis/filter_pieces.hpp"
#include "redis/limits.hpp"

/// How Redis saves, loads, copies and frees filters. In an RDB file a filter is its file in pieces: so many strings as it
/// takes.
namespace hortus::server {
namespace {

constexpr int encoding = 0;

filter_value const& filter_of(void const* value) { return *static_cast<filter_value const*>(value); }

/// Redis has no way to hear that saving failed. Without memory Redis ends the process, and so does this, but only if a second
/// try fails, too. What allocates does so before the first piece is written.
template <class Act>
void with_memory(Act act) noexcept {
  try {
    return act();
  } catch (std::bad_alloc const&) {
  }
  act();
}

void save(api::stream* to, void* value) noexcept {
  with_memory([&] {
    write_pieces(image_of(filter_of(value).filter()), [&](std::span<std::byte const> piece) {
      api::SaveStringBuffer(to, reinterpret_cast<char const*>(piece.data()), piece.size());
    });
  });
}

filter_value read(loader const& from) {
  loaded_string piece;
  auto const next = [&] {
    piece = from.string();
    return piece.bytes();
  };
  auto const check_size = [](std::uint64_t bytes) {
    if (bytes > most_object_bytes())
      throw error(errc::too_large, "it takes " + std::to_string(bytes) + " bytes, more than max-object-bytes");
  };
  return filter_value(counted([&] { return read_pieces(next, check_size); }));
}

void* load(api::stream* from, int version) noexcept {
  return version > encoding ? nullptr : load_value<filter_value>(from, read);
}

void rewrite(api::stream* to, api::string* key, void* value) noexcept {
  with_memory([&] {
    long long offset = 0;
    write_pieces(image_of(filter_of(value).filter()), [&](std::span<std::byte const> piece) {
      api::EmitAOF(to, "HORTUS.IMPORT", "sclb", key, "FROM", offset, reinterpret_cast<char const*>(piece.data()), piece.size());
      offset += static_cast<long long>(piece.size());
    });
  });
}

std::size_t memory_usage(void const* value) noexcept {
  return static_cast<std::size_t>(filter_of(value).bytes()) + api::MallocSize(const_cast<void*>(value));
}

/// The checksum of the file covers every byte of it.
void add_to_digest(api::digest_state* to, void* value) noexcept {
  std::uint64_t checksum = 0;
  with_memory([&] { checksum = identity(image_of(filter_of(value).filter())); });
  api::DigestAddLongLong(to, static_cast<long long>(checksum));
  api::DigestEndSequence(to);
}

void* copy(api::string*, api::string*, void const* value) noexcept {
  try {
    return new_value<filter_value>(filter_of(value).copied());
  } catch (std::exception const&) {
    return nullptr;  // Redis answers that it cannot copy
  }
}

/// In pages: Redis frees a value on another thread if it has more than 64 of what this counts.
std::size_t free_effort(api::string*, void const* value) noexcept { return memory_usage(value) / 4096 + 1; }

/// jemalloc moves only small allocations. The large part of a small filter is its cells.
int defragment(api::defragmentation* how, api::string*, void** value) noexcept {
  static_cast<filter_value*>(*value)->defragment(how);
  return 0;  // done
}

}  // namespace

bool add_filter_type(api::context* to) {
  api::type_methods methods{.rdb_load = load,
                            .rdb_save = save,
                            .aof_rewrite = rewrite,
                            .mem_usage = memory_usage,
                            .digest = add_to_digest,
                            .free = free_value<filter_value>,
                            .free_effort = free_effort,
                            .copy = copy,
                            .defrag = defragment};
  filter_value::type = api::CreateDataType(to, "hortus-fl", encoding, &methods);
  return filter_value::type != nullptr;
}

}  // namespace hortus::server
