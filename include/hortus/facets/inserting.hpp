#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <hortus/facets/facet.hpp>
#include <hortus/ordered_insert.hpp>

namespace hortus::facets {

/// Takes keys after construction.
struct inserting {
  virtual std::size_t insert(std::span<digest const>) = 0;    ///< returns the number of keys inserted
  [[nodiscard]] virtual bool can_throw() const noexcept = 0;  ///< because it grows, for example

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
  [[nodiscard]] bool can_throw() const noexcept override { return !noexcept(std::declval<F&>().insert(digest())); }

 private:
  F& f_;
};

/// Inserts a key several times at once. The number is in two's complement where counts are signed.
struct inserting_times {
  virtual void insert(std::span<digest const>, std::int64_t const* times) = 0;
  [[nodiscard]] virtual bool takes_negative() const noexcept = 0;

  template <class F>
  static constexpr bool fits = weighted<F>;
  template <class F>
  class over;

 protected:
  ~inserting_times() = default;
};

template <class F>
class inserting_times::over final : public inserting_times {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void insert(std::span<digest const> xs, std::int64_t const* times) override {
    insert_times_all(f_, xs, reinterpret_cast<times_type<F> const*>(times));  // the same number, with a sign or without
  }
  [[nodiscard]] bool takes_negative() const noexcept override { return std::signed_integral<times_type<F>>; }

 private:
  static_assert(sizeof(times_type<F>) == sizeof(std::int64_t));
  F& f_;
};

/// Says whether a key that it inserts is new.
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
