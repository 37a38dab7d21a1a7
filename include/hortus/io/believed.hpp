#pragma once
#include <utility>

namespace hortus {

/// Does a filter believe numbers about its cells that a file states, because it is mapped and was not verified? Such numbers
/// are counted again when the filter is written, so that no false number gets into another file. It is not part of a filter's
/// value.
struct believed {
  bool yes = false;
  /// True once, when such a filter is about to change: then its numbers are counted, so that a filter that a file calls emptier
  /// than it is does not get more than full.
  [[nodiscard]] bool first_change() noexcept { return yes && !std::exchange(changes_, true); }
  bool operator==(believed const&) const noexcept { return true; }

 private:
  bool changes_ = false;
};

}  // namespace hortus
