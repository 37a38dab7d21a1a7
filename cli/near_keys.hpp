#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hortus/any/any_near.hpp>

#include "cli/text/records.hpp"

namespace hortus::cli {

/// Turns lines into keys of a filter that asks how near they are: hexadecimal digits into bits, four each; text into itself;
/// numbers with spaces, tabs or commas between them into a vector.
class near_keys {
 public:
  explicit near_keys(any_metric metric) : metric_(metric) {}

  /// Valid until the next call. Throws errc::bad_goal for a line that is no key.
  [[nodiscard]] near_key of(std::string_view text);

 private:
  [[nodiscard]] near_key bits_of(std::string_view text);
  [[nodiscard]] near_key vector_of(std::string_view text);

  any_metric metric_;
  std::vector<std::byte> bytes_;
  std::vector<double> numbers_;
};

/// act(key, i) for each line of the block that has a key. An error about one of them gets the number of its line.
template <class Act>
void for_each_near_key(near_keys& keys, record_block const& block, Act act) {
  for (std::size_t i = 0; i < block.keys.size(); ++i) try {
      act(keys.of(block.keys[i]), i);
    } catch (error const& e) {
      if (block.input.empty()) throw error(e.code(), "-e '" + std::string(block.keys[i]) + "': " + e.what());
      throw error(e.code(), "line " + std::to_string(block.first_line + i) + " of " +
                                (block.input == "-" ? "standard input" : "'" + std::string(block.input) + "'") + ": " +
                                e.what());
    }
}

}  // namespace hortus::cli
