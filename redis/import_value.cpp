#include "redis/import_value.hpp"

#include <algorithm>
#include <cstring>

#include "redis/fields.hpp"

namespace hortus::server {

api::type* import_value::type = nullptr;

import_value::import_value(std::span<std::byte const> first)
    : file_bytes_(read_header(first.first(std::min<std::size_t>(first.size(), max_header_bytes)), unknown_size).file_bytes) {
  if (first.size() > file_bytes_) throw error(errc::corrupt, "the piece is longer than the file that its header describes");
  add(first);
}

void import_value::add(std::span<std::byte const> piece) {
  if (piece.empty()) return;
  buffer copy(piece.size());
  std::memcpy(copy.data(), piece.data(), piece.size());
  pieces_->push_back(std::move(copy));
  came_ += piece.size();
}

std::size_t import_value::allocated() const noexcept {
  std::size_t bytes = pieces_->capacity() * sizeof(buffer);
  for (auto const& each : *pieces_) bytes += each.allocated();
  return bytes;
}

namespace {

constexpr int encoding = 0;

import_value& import_of(void* value) { return *static_cast<import_value*>(value); }
import_value const& import_of(void const* value) { return *static_cast<import_value const*>(value); }
char const* text(buffer const& piece) { return reinterpret_cast<char const*>(piece.data()); }

void save(api::stream* to, void* value) noexcept {
  auto const pieces = import_of(value).pieces();
  api::SaveUnsigned(to, pieces->size());
  for (auto const& each : *pieces) api::SaveStringBuffer(to, text(each), each.size());
}

import_value read(loader const& from) {
  auto const pieces = from.number();
  import_value made(from.string().bytes());
  for (std::uint64_t i = 1; i < pieces; ++i) {
    auto const piece = from.string();
    // One that is complete is a filter, so at least a byte is missing.
    if (piece.bytes().empty() || piece.bytes().size() >= made.file_bytes() - made.came())
      throw error(errc::corrupt, "the pieces are longer than the file");
    made.add(piece.bytes());
  }
  return made;
}

void* load(api::stream* from, int version) noexcept {
  return version > encoding ? nullptr : load_value<import_value>(from, read);
}

void rewrite(api::stream* to, api::string* key, void* value) noexcept {
  long long offset = 0;
  for (auto const& each : *import_of(value).pieces()) {
    api::EmitAOF(to, "HORTUS.IMPORT", "sclb", key, "FROM", offset, text(each), static_cast<std::size_t>(each.size()));
    offset += static_cast<long long>(each.size());
  }
}

std::size_t memory_usage(void const* value) noexcept {
  return import_of(value).allocated() + api::MallocSize(const_cast<void*>(value));
}

void add_to_digest(api::digest_state* to, void* value) noexcept {
  for (auto const& each : *import_of(value).pieces()) api::DigestAddStringBuffer(to, text(each), each.size());
  api::DigestEndSequence(to);
}

void* copy(api::string*, api::string*, void const* value) noexcept {
  try {
    auto const pieces = import_of(value).pieces();
    owned_value<import_value> made(new_value<import_value>(pieces->front().bytes()));
    for (auto const& each : std::span(*pieces).subspan(1)) made->add(each.bytes());
    return made.release();
  } catch (std::exception const&) {
    return nullptr;
  }
}

std::size_t free_effort(api::string*, void const* value) noexcept { return import_of(value).allocated() / 4096 + 1; }

}  // namespace

bool add_import_type(api::context* to) {
  api::type_methods methods{.rdb_load = load,
                            .rdb_save = save,
                            .aof_rewrite = rewrite,
                            .mem_usage = memory_usage,
                            .digest = add_to_digest,
                            .free = free_value<import_value>,
                            .free_effort = free_effort,
                            .copy = copy};
  import_value::type = api::CreateDataType(to, "hortus-in", encoding, &methods);
  return import_value::type != nullptr;
}

}  // namespace hortus::server
