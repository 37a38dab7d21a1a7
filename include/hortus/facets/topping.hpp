#pragma once
#include <cstdint>

#include <hortus/facets/facet.hpp>
#include <hortus/kept_keys.hpp>

namespace hortus::facets {

/// Lists the keys that were inserted most often.
struct topping {
  [[nodiscard]] virtual top_keys top(std::uint64_t most) const = 0;

  template <class F>
  static constexpr bool fits = hortus::topping<F>;
  template <class F>
  class over;

 protected:
  ~topping() = default;
};

template <class F>
class topping::over final : public topping {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] top_keys top(std::uint64_t most) const override { return f_.top(most); }

 private:
  F const& f_;
};

/// Inserts keys with their bytes, and keeps the bytes.
struct keeping {
  virtual void insert(digest, kept_key const&, std::uint64_t times) = 0;
  virtual void prefetch_kept(digest) const noexcept = 0;

  template <class F>
  static constexpr bool fits = key_keeping<F>;
  template <class F>
  class over;

 protected:
  ~keeping() = default;
};

template <class F>
class keeping::over final : public keeping {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void insert(digest x, kept_key const& key, std::uint64_t times) override { f_.insert(x, key, times); }
  void prefetch_kept(digest x) const noexcept override { f_.prefetch_kept(x); }

 private:
  F& f_;
};

}  // namespace hortus::facets
