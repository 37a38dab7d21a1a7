#pragma once
#include <hortus/concepts.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Merges another filter of the same family. `other` is the family object; the caller has checked that it is of the same
/// family.
struct merging {
  virtual void merge(void const* other) = 0;

  template <class F>
  static constexpr bool fits = mergeable<F>;
  template <class F>
  class over;

 protected:
  ~merging() = default;
};

template <class F>
class merging::over final : public merging {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void merge(void const* other) override { f_.merge(*static_cast<F const*>(other)); }

 private:
  F& f_;
};

/// Intersects with another filter of the same family.
struct intersecting {
  virtual void intersect(void const* other) = 0;

  template <class F>
  static constexpr bool fits = intersectable<F>;
  template <class F>
  class over;

 protected:
  ~intersecting() = default;
};

template <class F>
class intersecting::over final : public intersecting {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void intersect(void const* other) override { f_.intersect(*static_cast<F const*>(other)); }

 private:
  F& f_;
};

/// Shrinks the filter without needing its keys.
struct folding {
  virtual void fold(std::uint64_t by) = 0;
  [[nodiscard]] virtual std::uint64_t fold_width() const = 0;
  [[nodiscard]] virtual double fpr_folded(std::uint64_t by) const = 0;

  template <class F>
  static constexpr bool fits = foldable<F>;
  template <class F>
  class over;

 protected:
  ~folding() = default;
};

template <class F>
class folding::over final : public folding {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void fold(std::uint64_t by) override { f_.fold(by); }
  [[nodiscard]] std::uint64_t fold_width() const override { return f_.fold_width(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const override { return f_.fpr_folded(by); }

 private:
  F& f_;
};

/// Makes room for more keys without needing those that are there.
struct enlarging {
  virtual void grow() = 0;

  template <class F>
  static constexpr bool fits = growable<F>;
  template <class F>
  class over;

 protected:
  ~enlarging() = default;
};

template <class F>
class enlarging::over final : public enlarging {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void grow() override { f_.grow(); }

 private:
  F& f_;
};

}  // namespace hortus::facets
