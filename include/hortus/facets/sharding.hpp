#pragma once
#include <cstdint>
#include <span>

#include <hortus/concepts.hpp>
#include <hortus/facets/facet.hpp>

namespace hortus::facets {

/// Cuts the filter into shards, and joins them: see the concept shardable. `whole` and `part` are family objects; the caller
/// has checked that they are of the same family.
struct sharding {
  [[nodiscard]] virtual std::uint64_t places() const = 0;
  /// The shards of keys, in a filter of `places` places.
  virtual void shards_of(std::span<digest const> xs, std::uint64_t places, std::uint64_t shards, std::uint32_t* to) const = 0;
  virtual void become_shard(void const* whole, std::uint64_t shards, std::uint64_t i) = 0;
  virtual void put_shard(void const* part, std::uint64_t shards, std::uint64_t i) = 0;
  virtual void widen(std::uint64_t shards) = 0;  // becomes an empty filter with so many times the places

  template <class F>
  static constexpr bool fits = shardable<F>;
  template <class F>
  class over;

 protected:
  ~sharding() = default;
};

template <class F>
class sharding::over final : public sharding {
 public:
  explicit over(F& f) noexcept : f_(f) {}
  [[nodiscard]] std::uint64_t places() const override { return f_.places(); }
  void shards_of(std::span<digest const> xs, std::uint64_t places, std::uint64_t shards, std::uint32_t* to) const override {
    for (auto const x : xs) *to++ = static_cast<std::uint32_t>(F::shard_of(x, places, shards));
  }
  void become_shard(void const* whole, std::uint64_t shards, std::uint64_t i) override {
    f_ = static_cast<F const*>(whole)->shard(shards, i);
  }
  void put_shard(void const* part, std::uint64_t shards, std::uint64_t i) override {
    f_.put_shard(shards, i, *static_cast<F const*>(part));
  }
  void widen(std::uint64_t shards) override { f_ = f_.widened(shards); }

 private:
  F& f_;
};

}  // namespace hortus::facets
