#pragma once
#include <string_view>

#include <hortus/cells/vector_target.hpp>

namespace hortus::testing {

/// Kernels use the vector instructions of that name while this object lives, and the best again afterwards.
class with_target {
 public:
  explicit with_target(std::string_view name) { kernels::use_target(name); }
  ~with_target() { kernels::use_target(""); }
  with_target(with_target const&) = delete;
  with_target& operator=(with_target const&) = delete;
};

}  // namespace hortus::testing
