#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/digest.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/index/index_policy.hpp>

/// Ways to step a 64-bit state that were measured against multiply_chain and not taken: docs/index-derivation.md says why.
namespace index_test {

template <class Step>
class rejected {
 public:
  static constexpr std::uint32_t id = 0;
  static constexpr std::string_view name = Step::name;
  static constexpr bool folds = true;
  constexpr rejected(hortus::digest x, std::uint64_t range) noexcept : step_(x), range_(range) {}
  constexpr std::uint64_t next() noexcept { return hortus::fastrange(step_.next(), range_); }

 private:
  Step step_;
  std::uint64_t range_;
};

struct digest_first {
  static constexpr std::string_view name = "multiply, digest read first";
  explicit constexpr digest_first(hortus::digest x) noexcept : state(x.bits() | 1) {}
  constexpr std::uint64_t next() noexcept {
    auto const word = state;
    state *= 0xf1357aea2e62a9c5U;
    return word;
  }
  std::uint64_t state;
};

struct even_too {
  static constexpr std::string_view name = "multiply, state may be even";
  explicit constexpr even_too(hortus::digest x) noexcept : state(x.bits()) {}
  constexpr std::uint64_t next() noexcept { return state *= 0xf1357aea2e62a9c5U; }
  std::uint64_t state;
};

struct xor_shifted {
  static constexpr std::string_view name = "xor-shift, multiply";
  explicit constexpr xor_shifted(hortus::digest x) noexcept : state(x.bits() | 1) {}
  constexpr std::uint64_t next() noexcept { return state = (state ^ state >> 32) * 0xf1357aea2e62a9c5U; }
  std::uint64_t state;
};

struct added_to {
  static constexpr std::string_view name = "multiply and add";
  explicit constexpr added_to(hortus::digest x) noexcept : state(x.bits()) {}
  constexpr std::uint64_t next() noexcept { return state = state * 0xf1357aea2e62a9c5U + hortus::golden_ratio64; }
  std::uint64_t state;
};

struct double_on_words {
  static constexpr std::string_view name = "double hashing on words";
  explicit constexpr double_on_words(hortus::digest x) noexcept : state(x.remixed(0).bits()), step(x.remixed(1).bits()) {}
  constexpr std::uint64_t next() noexcept { return state += step; }
  std::uint64_t state, step;
};

struct enhanced_on_words {
  static constexpr std::string_view name = "enhanced on words, golden step";
  explicit constexpr enhanced_on_words(hortus::digest x) noexcept : state(x.remixed(0).bits()), step(x.remixed(1).bits()) {}
  constexpr std::uint64_t next() noexcept { return state += step += growth += hortus::golden_ratio64; }
  std::uint64_t state, step, growth = 0;
};

template <class Act>
void for_each_rejected(Act act) {
  act.template operator()<rejected<digest_first>>();
  act.template operator()<rejected<even_too>>();
  act.template operator()<rejected<xor_shifted>>();
  act.template operator()<rejected<added_to>>();
  act.template operator()<rejected<double_on_words>>();
  act.template operator()<rejected<enhanced_on_words>>();
}

static_assert(hortus::index_policy<rejected<digest_first>>);

}  // namespace index_test
