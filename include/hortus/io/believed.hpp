#pragma once

namespace hortus {

/// Does a filter believe numbers about its cells that a file states, because it is mapped and was not verified? Such numbers
/// are counted again when the filter is written, so that no false number gets into another file. It is not part of a filter's
/// value.
struct believed {
  bool yes = false;
  bool operator==(believed const&) const noexcept { return true; }
};

}  // namespace hortus
