#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/facets/facet.hpp>
#include <hortus/ordered_insert.hpp>

namespace hortus::facets {

/// Takes keys after it was made.
struct inserting {
  virtual std::size_t insert(std::span<digest const>) = 0;  ///< how many went in

  template <class F>
  static constexpr bool fits = insertable<F>;
  template <class F>
  class over;

 protected:
  ~inserting() = default;
};

template <class F>
class inserting::over final : public inserting {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  std::size_t insert(std::span<digest const> xs) override { return insert_many(f_, xs); }

 private:
  F& f_;
};

/// Tells whether a key that it takes is new.
struct noticing {
  virtual bool insert_if_new(digest) = 0;
  virtual void insert_if_new(std::span<digest const>, std::uint64_t* fresh) = 0;

  template <class F>
  static constexpr bool fits = hortus::noticing<F>;
  template <class F>
  class over;

 protected:
  ~noticing() = default;
};

template <class F>
class noticing::over final : public noticing {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  bool insert_if_new(digest x) override { return f_.insert_if_new(x); }
  void insert_if_new(std::span<digest const> xs, std::uint64_t* fresh) override { insert_if_new_all(f_, xs, fresh); }

 private:
  F& f_;
};

}  // namespace hortus::facets
