#include "cli/plan/build_command.hpp"

namespace hortus::cli {

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.%+,:=/-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (char const c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string build_command(std::string_view family, build_words const& words) {
  auto command = "hortus build " + std::string(family);
  auto const add = [&](char const* option, std::string const& value) {
    if (!value.empty()) command += std::string(option) + shell_word(value);
  };
  add(" -n ", words.items);
  add(" -p ", words.fpr);
  add(" --memory ", words.memory);
  for (auto const& setting : words.settings) add(" --set ", setting);
  return command + " -o FILE KEYS";
}

}  // namespace hortus::cli
