#include <algorithm>
#include <typeinfo>

#include <hortus/bloom/split_block.hpp>
#include <hortus/io/store.hpp>

#include "bloom/mixed_units.hpp"

// Included by both units, each of which compiles its own version.
namespace hortus::testing {
namespace {

unit_report report(std::uint64_t count) {
  split_block_filter f({.items = count, .fpr = 0.1});
  for (std::uint64_t key = 0; key < count; ++key) f.insert(key);
  auto const others_in = [&](split_block_filter const& filter) {
    std::uint64_t found = 0;
    for (std::uint64_t key = count; key < 2 * count; ++key) found += std::uint64_t{filter.may_contain(key)};
    return found;
  };
  unit_report all{typeid(split_block).name(), to_bytes(f), others_in(f)};
  memory room(all.bytes.size() + memory::line_bytes);  // starts on a line
  for (std::size_t offset = 0; offset < memory::line_bytes; offset += 8) {
    std::span<std::byte> const there(room.data() + offset, all.bytes.size());
    std::ranges::copy(all.bytes, there.begin());
    all.found_in_views.push_back(others_in(*view<split_block_filter>(there)));
  }
  return all;
}

}  // namespace
}  // namespace hortus::testing
