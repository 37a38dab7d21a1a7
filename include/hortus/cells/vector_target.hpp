#pragma once
#include <string_view>
#include <vector>

/// Which vector instructions the kernels use. The best that the machine has is chosen when the program runs.
namespace hortus::kernels {

/// The instruction sets that hortus was compiled for and this machine has, best first: "AVX3" (AVX-512), "AVX2", "SSE4", ...
std::vector<std::string_view> targets();

/// The one in use.
std::string_view target();

/// For tests and comparisons: from now on use the one of that name, one of targets(); an empty name goes back to the best. Not
/// while another thread is in a batch.
void use_target(std::string_view name);

}  // namespace hortus::kernels
