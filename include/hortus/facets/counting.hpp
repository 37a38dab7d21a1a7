#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Answers how many times a key was inserted.
struct counting {
  virtual void count(std::span<digest const>, std::uint64_t* counts) const = 0;  ///< two's complement where signed
  [[nodiscard]] virtual bool is_signed() const noexcept = 0;

  template <class F>
  static constexpr bool fits = countable<F>;
  template <class F>
  class over;

 protected:
  ~counting() = default;
};

template <class F>
class counting::over final : public counting {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void count(std::span<digest const> xs, std::uint64_t* counts) const override {
    for_each_count(f_, xs, [&](auto c) { *counts++ = static_cast<std::uint64_t>(c); });
  }
  [[nodiscard]] bool is_signed() const noexcept override { return std::signed_integral<count_type<F>>; }

 private:
  F const& f_;
};

/// Has counters that stay at their maximum once they reach it.
struct saturating {
  [[nodiscard]] virtual std::uint64_t saturations() const = 0;
  [[nodiscard]] virtual std::size_t stuck(std::span<digest const>) const = 0;

  template <class F>
  static constexpr bool fits = requires(F const& f) {
    f.saturations();
  };
  template <class F>
  class over;

 protected:
  ~saturating() = default;
};

template <class F>
class saturating::over final : public saturating {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] std::uint64_t saturations() const override { return f_.saturations(); }
  [[nodiscard]] std::size_t stuck([[maybe_unused]] std::span<digest const> xs) const override {
    std::size_t keys = 0;
    if constexpr (requires { f_.max_count(), f_.count(digest()); })
      for_each_count(f_, xs, [&](auto c) { keys += c == f_.max_count() ? 1U : 0U; });
    return keys;
  }

 private:
  F const& f_;
};

}  // namespace hortus::facets
