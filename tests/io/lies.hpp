#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/parts.hpp"

/// The fields of a header, and values that they should not have.
namespace hortus::testing {

struct field {
  std::size_t offset;
  std::size_t bytes;
};

/// What the family stores: the numbers of its scalars and sections, and all behind the fixed header.
inline std::vector<field> fields_of_parts(bytes_of_file const& file) {
  std::vector<field> all{{at::scalars, 4}, {at::sections, 4}};
  for (std::size_t offset = at::end; offset + 8 < get<std::uint32_t>(file, at::header_bytes); offset += 8)
    all.push_back({offset, 8});  // scalars, sections and what is left over
  return all;
}

/// Everything between the magic and the header's checksum.
inline std::vector<field> fields_of(bytes_of_file const& file) {
  auto all = fields_of_parts(file);
  for (auto const offset : {at::version, at::header_bytes, at::required_features, at::hash_id, at::key_kinds, at::chunk_bytes})
    all.push_back({offset, 4});
  for (auto const offset : {at::magic, at::file_bytes, at::family, at::family + 8, at::family + 16, at::seed, at::key_check,
                            at::items_planned, at::fpr_planned, at::items_inserted, at::table_checksum, at::reserved})
    all.push_back({offset, 8});
  return all;
}

inline std::uint64_t value_of(bytes_of_file const& file, field f) {
  return f.bytes == 4 ? get<std::uint32_t>(file, f.offset) : get<std::uint64_t>(file, f.offset);
}
inline void set(bytes_of_file& file, field f, std::uint64_t value) {
  if (f.bytes == 4)
    put(file, f.offset, static_cast<std::uint32_t>(value));
  else
    put(file, f.offset, value);
}

/// Where arithmetic breaks: the ends of every width, the neighbours of what was there, every single bit. Each once.
inline std::vector<std::uint64_t> values_for(std::uint64_t old) {
  constexpr std::uint64_t one = 1;
  std::vector<std::uint64_t> values{
      0,       1,        2,        63,      64,      65,  ~std::uint64_t{0}, ~std::uint64_t{0} - 63, old + 1, old - 1, old * 2,
      old / 2, old + 64, old - 64, old * 8, 0 - old, ~old};
  for (unsigned const bit : {16U, 20U, 31U, 32U, 39U, 42U, 58U, 62U, 63U})
    for (std::uint64_t const near : {~std::uint64_t{0}, std::uint64_t{0}, one}) values.push_back((one << bit) + near);
  for (unsigned bit = 0; bit < 64; ++bit) values.push_back(old ^ one << bit);
  for (double const rate : {1.0, -1.0, 1.0000001, -0.0, 0x1p-1074}) values.push_back(std::bit_cast<std::uint64_t>(rate));
  for (double const rate : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    values.push_back(std::bit_cast<std::uint64_t>(rate));
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace hortus::testing
