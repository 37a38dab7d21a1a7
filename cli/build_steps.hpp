#pragma once
#include <cstdint>

#include <hortus/any/any_filter.hpp>
#include <hortus/part_source.hpp>

#include "cli/new_filter.hpp"
#include "cli/shared_options.hpp"

/// What building a filter and building a map have in common.
namespace hortus::cli {

/// --memory, or 1 GiB: of the keys, what is kept in memory.
[[nodiscard]] std::uint64_t memory_for_keys(new_filter const& made);

/// Plans a filter of one key. A wrong option is reported before hours of input, not after.
void try_plan(new_filter const& made);

/// A loop over parts in threads that shows its progress, as if all parts had equally many keys.
[[nodiscard]] part_loop shown_loop(char const* label, std::uint64_t keys, unsigned threads, key_input const& input);

/// What is built, from what, and by which hash.
struct build_order {
  new_filter const& made;
  key_input const& input;
  any_hash const& hash;
};
/// The filter of so many keys, with what its file says about it.
[[nodiscard]] any_filter made_filter(build_order const& of, any_family family, request const& wish, std::uint64_t keys);

/// The map of the keys and values of an input. Throws errc::bad_params, with the numbers of both lines, if a key has two
/// values.
[[nodiscard]] any_filter build_map_from(new_filter const& made, key_input const& input);

/// The set of the keys of an input, which tells them from those of --absent. Throws errc::bad_params, with the numbers of both
/// lines, if a key is in both.
[[nodiscard]] any_filter build_apart_from(new_filter const& made, key_input const& input);

}  // namespace hortus::cli
