#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hortus/error.hpp>

#include "redis/redisbloom/block.hpp"
#include "redis/redisbloom/murmur.hpp"

/// Stands for an RDB file: the fields that save() writes, one by one, for load() to read.
namespace hortus::redisbloom {

using saved_bytes = std::vector<std::uint8_t>;
using saved_field = std::variant<std::uint64_t, double, saved_bytes>;

class fields_writer {
 public:
  void number(std::uint64_t value) { fields.emplace_back(value); }
  void real(double value) { fields.emplace_back(value); }
  void bytes(std::span<std::uint8_t const> value) { fields.emplace_back(saved_bytes(value.begin(), value.end())); }
  std::vector<saved_field> fields;
};

/// Throws, as the module's reader does, when a field of another kind or none follows.
class fields_reader {
 public:
  explicit fields_reader(std::span<saved_field const> from) : from_(from) {}
  std::uint64_t number() { return next<std::uint64_t>(); }
  double real() { return next<double>(); }
  cells bytes() {
    auto const& value = next<saved_bytes>();
    cells made(value.size());
    std::ranges::copy(value, made.data());
    return made;
  }
  [[nodiscard]] bool at_end() const { return from_.empty(); }

 private:
  template <class T>
  T const& next() {
    if (from_.empty() || !std::holds_alternative<T>(from_.front())) throw error(errc::corrupt, "not such a field");
    auto const& value = std::get<T>(from_.front());
    from_ = from_.subspan(1);
    return value;
  }
  std::span<saved_field const> from_;
};

template <class Chain>
std::vector<saved_field> saved(Chain const& chain) {
  fields_writer out;
  chain.save(out);
  return out.fields;
}
constexpr chain_limits roomy{std::uint64_t{1} << 30, most_probes};
template <class Chain>
Chain loaded(std::span<saved_field const> fields, int encoding = Chain::encoding, chain_limits limits = roomy) {
  fields_reader in(fields);
  auto chain = Chain::load(in, encoding, limits);
  if (!in.at_end()) throw error(errc::corrupt, "fields are left");
  return chain;
}

/// The header of SCANDUMP and all its chunks.
template <class Chain>
std::string dumped(Chain const& chain, std::string header) {
  chain.write_header(header.data());
  for (auto piece = chain.chunk_at(1); !piece.bytes.empty(); piece = chain.chunk_at(piece.next))
    header.append(reinterpret_cast<char const*>(piece.bytes.data()), piece.bytes.size());
  return header;
}

/// Moves every block of memory elsewhere, as defragmentation does.
template <class Chain>
void move_blocks(Chain& chain) {
  auto sizes = std::vector<std::size_t>{};
  for (auto const& each : chain.filters()) sizes.push_back(each.store.size());
  sizes.insert(sizes.begin(), chain.filters().size_bytes());
  std::size_t next = 0;
  chain.visit_blocks([&](void*& block) {
    auto const bytes = sizes.at(next++);
    void* const moved = current_memory_source().allocate(bytes, cells::alignment);
    std::memcpy(moved, block, bytes);
    std::memset(block, 0xee, bytes);
    current_memory_source().release(block, bytes, cells::alignment);
    block = moved;
  });
}

/// One field made hostile: a number of any size, a real of any kind, bytes lost or added.
inline void damage(saved_field& field, std::mt19937_64& random) {
  auto const any_number = [&] { return random() >> (random() % 64); };
  if (auto* const number = std::get_if<std::uint64_t>(&field)) {
    *number = random() % 2 == 0 ? any_number() : *number + random() % 5 - 2;
  } else if (auto* const real = std::get_if<double>(&field)) {
    double const reals[] = {0, -1, 1, 1e-310, 5e-324, 0.5, 1e300, -1e300, *real * 2, *real / 2, 1.0 / 0.0, 0.0 / 0.0};
    *real = reals[random() % std::size(reals)];
  } else {
    auto& bytes = std::get<saved_bytes>(field);
    bytes.resize(random() % 2 == 0 ? random() % 4096 : bytes.size() + random() % 3);
  }
}

}  // namespace hortus::redisbloom
