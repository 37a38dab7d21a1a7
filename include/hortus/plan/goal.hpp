#pragma once
#include <cstdint>
#include <string_view>

namespace hortus {

/// The requirements of a filter. A family's plan() turns them into its params. Zero items are planned as one.
struct goal {
  std::uint64_t items = 0;  ///< distinct keys it will hold
  double fpr = 0.01;        ///< probability that an absent key is found once all items are inserted
  bool operator==(goal const&) const = default;
};

/// The help text of a further field of a family's goal, `--set NAME=VALUE`. A goal names its fields once, in fields(self, io)
/// with io("probes", self.probes, probes_note). tests/cli/settings_test.sh checks that the values are accepted.
struct setting_note {
  std::string_view meaning;
  std::string_view values;   ///< the values that may be set: "1 to 64", "0 or 1", "8", "above 0, below 1"
  std::string_view example;  ///< one of these values

  /// Is 0 a value that may be set? If not, a default of 0 means that the plan chooses.
  [[nodiscard]] constexpr bool takes_zero() const noexcept { return values.starts_with("0"); }
};

/// The note of a setting that many families have.
inline constexpr setting_note probes_note{"bits or cells that a key has; by default as many as need the least space", "1 to 64",
                                          "5"};

/// The goal of a family whose only setting is its number of probes.
template <setting_note const& About = probes_note>
struct probed_goal {
  std::uint64_t items = 0;  ///< distinct keys; for a family that ages, the window
  double fpr = 0.01;
  unsigned probes = 0;  ///< 0: the number that needs the least space
  static void fields(auto& self, auto& io) { io("probes", self.probes, About); }
};

}  // namespace hortus
