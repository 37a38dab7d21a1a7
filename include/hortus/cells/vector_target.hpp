#pragma once
#include <string_view>
#include <vector>

/// The vector instruction set of the kernels. The best one that the machine has is chosen at run time.
namespace hortus::kernels {

/// The instruction sets that hortus was compiled for and that this machine has, best first: "AVX3" (AVX-512), "AVX2",
/// "SSE4" ...
std::vector<std::string_view> targets();

/// The name of the instruction set in use.
std::string_view target();

/// For tests and comparisons: selects an instruction set by its name in targets(); an empty name selects the best one again.
/// Pre: no other thread is in a batch.
void use_target(std::string_view name);

}  // namespace hortus::kernels
