#pragma once
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>

namespace hortus::kernels {

/// out[i] = digest(mix64(xs[i] ^ salt)), by vector instructions chosen at run time. Pre: `out` has room for xs.size() digests.
void mix64_each(std::span<std::uint64_t const> xs, std::uint64_t salt, digest* out) noexcept;

}  // namespace hortus::kernels
