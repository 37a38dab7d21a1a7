#pragma once
#include <cstdint>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Answers whether a key is a member.
struct asking {
  [[nodiscard]] virtual bool may_contain(digest) const = 0;
  virtual void may_contain(std::span<digest const>, std::uint64_t* hits) const = 0;
  [[nodiscard]] virtual double fpr() const = 0;

  template <class F>
  static constexpr bool fits = membership<F>;
  template <class F>
  class over;

 protected:
  ~asking() = default;
};

template <class F>
class asking::over final : public asking {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] bool may_contain(digest x) const override { return f_.may_contain(x); }
  void may_contain(std::span<digest const> xs, std::uint64_t* hits) const override { may_contain_all(f_, xs, hits); }
  [[nodiscard]] double fpr() const override { return f_.fpr(); }

 private:
  F const& f_;
};

}  // namespace hortus::facets
