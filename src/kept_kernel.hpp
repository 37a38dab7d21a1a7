#pragma once
#include <hwy/highway.h>

#include <atomic>

namespace hortus::kernels {

/// Stores the kernel that Highway chooses in `place`; later calls go there directly.
auto kept(auto& place, auto find) {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto* const kernel = find();
  place.store(kernel, std::memory_order_relaxed);
  return kernel;
}

}  // namespace hortus::kernels
