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

/// Estimates how many keys two filters have in common. `other` is the family object; the caller has checked that it is of the
/// same family.
struct comparing {
  [[nodiscard]] virtual plan::overlap compare(void const* other) const = 0;

  template <class F>
  static constexpr bool fits = hortus::comparing<F>;
  template <class F>
  class over;

 protected:
  ~comparing() = default;
};

template <class F>
class comparing::over final : public comparing {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] plan::overlap compare(void const* other) const override { return f_.compare(*static_cast<F const*>(other)); }

 private:
  F const& f_;
};

}  // namespace hortus::facets
