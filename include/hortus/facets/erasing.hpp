#pragma once
#include <cstddef>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Undoes an insert.
struct erasing {
  virtual std::size_t erase(std::span<digest const>) = 0;  ///< how many were erased; the others were certainly absent

  template <class F>
  static constexpr bool fits = erasable<F>;
  template <class F>
  class over;

 protected:
  ~erasing() = default;
};

template <class F>
class erasing::over final : public erasing {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  std::size_t erase(std::span<digest const> xs) override { return erase_all(f_, xs); }

 private:
  F& f_;
};

}  // namespace hortus::facets
