#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/cells/label_table.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Answers which value a key has.
struct finding {
  virtual void find(std::span<digest const>, std::uint64_t* values, std::uint64_t* hits) const = 0;
  [[nodiscard]] virtual unsigned value_bits() const noexcept = 0;
  [[nodiscard]] virtual label_table const* labels() const noexcept = 0;  ///< null if its values are never texts
  virtual void set_labels(label_table) = 0;                              ///< Pre: labels() is not null

  template <class F>
  static constexpr bool fits = hortus::finding<F>;
  template <class F>
  class over;

 protected:
  ~finding() = default;
};

template <class F>
class finding::over final : public finding {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  void find(std::span<digest const> xs, std::uint64_t* values, std::uint64_t* hits) const override {
    find_all(f_, xs, values, hits);
  }
  [[nodiscard]] unsigned value_bits() const noexcept override { return f_.value_bits(); }
  [[nodiscard]] label_table const* labels() const noexcept override {
    if constexpr (requires { f_.labels(); })
      return &f_.labels();
    else
      return nullptr;
  }
  void set_labels([[maybe_unused]] label_table labels) override {
    if constexpr (requires { f_.set_labels(std::move(labels)); }) f_.set_labels(std::move(labels));
  }

 private:
  F& f_;
};

/// Inserts keys with their values.
struct putting {
  virtual bool put(digest, std::uint64_t value) = 0;

  template <class F>
  static constexpr bool fits = hortus::putting<F>;
  template <class F>
  class over;

 protected:
  ~putting() = default;
};

template <class F>
class putting::over final : public putting {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  bool put(digest x, std::uint64_t value) override {
    if constexpr (std::is_void_v<decltype(f_.put(x, value))>) {
      f_.put(x, value);
      return true;
    } else {
      return f_.put(x, value);
    }
  }

 private:
  F& f_;
};

/// Changes the values of keys.
struct assigning {
  virtual bool assign(digest, std::uint64_t value) = 0;

  template <class F>
  static constexpr bool fits = hortus::assigning<F>;
  template <class F>
  class over;

 protected:
  ~assigning() = default;
};

template <class F>
class assigning::over final : public assigning {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  bool assign(digest x, std::uint64_t value) override { return f_.assign(x, value); }

 private:
  F& f_;
};

}  // namespace hortus::facets
