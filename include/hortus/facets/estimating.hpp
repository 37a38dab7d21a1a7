#pragma once
#include <hortus/concepts.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Estimates the number of distinct keys.
struct estimating {
  [[nodiscard]] virtual plan::estimate estimate() const = 0;

  template <class F>
  static constexpr bool fits = hortus::estimating<F>;
  template <class F>
  class over;

 protected:
  ~estimating() = default;
};

template <class F>
class estimating::over final : public estimating {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] plan::estimate estimate() const override { return f_.estimate(); }

 private:
  F const& f_;
};

}  // namespace hortus::facets
