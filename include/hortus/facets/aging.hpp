#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/concepts.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Forgets keys that are too old.
struct forgetting {
  [[nodiscard]] virtual bool has_forgotten() const = 0;

  template <class F>
  static constexpr bool fits = hortus::forgetting<F>;
  template <class F>
  class over;

 protected:
  ~forgetting() = default;
};

template <class F>
class forgetting::over final : public forgetting {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] bool has_forgotten() const override { return f_.has_forgotten(); }

 private:
  F const& f_;
};

/// Forgets by time, if it was planned that way.
struct advancing {
  virtual void advance(std::uint64_t now) = 0;
  [[nodiscard]] virtual bool ages_by_time() const = 0;
  [[nodiscard]] virtual std::uint64_t time() const = 0;
  [[nodiscard]] virtual std::uint64_t turns(std::uint64_t now) const = 0;
  virtual void may_contain_at(std::uint64_t now, std::span<digest const>, std::uint64_t* hits) const = 0;

  template <class F>
  static constexpr bool fits = hortus::advancing<F>;
  template <class F>
  class over;

 protected:
  ~advancing() = default;
};

template <class F>
class advancing::over final : public advancing {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void advance(std::uint64_t now) override { f_.advance(now); }
  [[nodiscard]] bool ages_by_time() const override { return f_.ages_by_time(); }
  [[nodiscard]] std::uint64_t time() const override { return f_.time(); }
  [[nodiscard]] std::uint64_t turns(std::uint64_t now) const override { return f_.turns(now); }
  void may_contain_at(std::uint64_t now, std::span<digest const> xs, std::uint64_t* hits) const override {
    f_.may_contain_at(now, xs, hits);
  }

 private:
  F& f_;
};

/// Grows to hold more keys than planned.
struct growing {
  [[nodiscard]] virtual std::size_t stages() const noexcept = 0;

  template <class F>
  static constexpr bool fits = hortus::growing<F>;
  template <class F>
  class over;

 protected:
  ~growing() = default;
};

template <class F>
class growing::over final : public growing {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] std::size_t stages() const noexcept override { return f_.stages(); }

 private:
  F const& f_;
};

}  // namespace hortus::facets
