#include <typeinfo>

#include <hortus/bloom/split_block.hpp>
#include <hortus/io/store.hpp>

#include "bloom/mixed_units.hpp"

// Included by both units, each of which makes its own of it.
namespace hortus::testing {
namespace {

unit_report report(std::uint64_t count) {
  split_block_filter f({.items = count, .fpr = 0.1});
  for (std::uint64_t key = 0; key < count; ++key) f.insert(key);
  unit_report all{typeid(split_block).name(), to_bytes(f), 0};
  for (std::uint64_t key = count; key < 2 * count; ++key) all.found += std::uint64_t{f.may_contain(key)};
  return all;
}

}  // namespace
}  // namespace hortus::testing
