#include <hortus/hash/mix_kernel.hpp>

#include <hortus/hash/mix64.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/mix_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

void mix64_each(std::span<std::uint64_t const> xs, std::uint64_t salt, digest* out) {
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3 && \
    HWY_ARCH_X86  // the first that multiplies 64-bit lanes; multiplying by halves is no faster than scalar code
  namespace hn = hwy::HWY_NAMESPACE;
  hn::ScalableTag<std::uint64_t> const d;
  auto const salts = hn::Set(d, salt);
  auto* const bits = reinterpret_cast<std::uint64_t*>(out);
  for (; i + hn::Lanes(d) <= xs.size(); i += hn::Lanes(d)) {
    auto x = hn::Xor(hn::LoadU(d, xs.data() + i), salts);
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), hn::Set(d, mix64_first));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), hn::Set(d, mix64_second));
    hn::StoreU(hn::Xor(x, hn::ShiftRight<31>(x)), d, bits + i);
  }
#endif
  for (; i < xs.size(); ++i) out[i] = digest(mix64(xs[i] ^ salt));
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(mix64_each);

void mix64_each(std::span<std::uint64_t const> xs, std::uint64_t salt, digest* out) noexcept {
  HWY_DYNAMIC_DISPATCH(mix64_each)(xs, salt, out);
}

}  // namespace hortus::kernels
#endif
