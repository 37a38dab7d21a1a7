#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hortus::cli {

/// The options of `hortus build` that decide what is made, as texts; those that are empty are left out.
struct build_words {
  std::string items;   ///< -n
  std::string fpr;     ///< -p
  std::string memory;  ///< --memory
  std::vector<std::string> settings = {};
};

/// The command to paste: "hortus build blocked -n 10M -p 0.1% -o FILE KEYS".
[[nodiscard]] std::string build_command(std::string_view family, build_words const& words);

/// The text as one word of a shell: in quotes if it has characters that a shell may interpret.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace hortus::cli
