#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>

namespace hortus {

/// A lattice of values that are words of at most 64 bits: an order in which any two values have a least upper bound, their
/// join, and a greatest lower bound, their meet. Its bottom is 0, because an empty cell is 0. Every word of `bits()` bits is a
/// value, so that cells of a file may hold anything.
///
/// An atom is a value directly above the bottom. A value is the bottom exactly if no atom is below it.
template <class Lattice>
concept lattice_policy = std::copyable<Lattice> && std::equality_comparable<Lattice> && std::default_initializable<Lattice> &&
    requires(Lattice const& l, std::uint64_t a, std::uint64_t b, unsigned i) {
  { l.bits() } -> std::same_as<unsigned>;  // of a value: 1 to 64
  { l.kind() } -> std::same_as<unsigned>;  // which lattice it is, in files and in params
  { l.join(a, b) } -> std::same_as<std::uint64_t>;
  { l.meet(a, b) } -> std::same_as<std::uint64_t>;
  { l.atoms() } -> std::same_as<unsigned>;           // how many there are: 1 to 64
  { l.atoms_of(a) } -> std::same_as<std::uint64_t>;  // those below a, a bit each
  { Lattice::made(i, i) } -> std::same_as<Lattice>;  // of these bits and this kind; throws errc::bad_params if it cannot be
};

namespace lattice {

inline constexpr unsigned max_kind = 0, bit_sets_kind = 1, product_kind = 2;

/// The mask of a value of so many bits, 1 to 64.
[[nodiscard]] constexpr std::uint64_t all_ones(unsigned bits) noexcept { return ~std::uint64_t{0} >> (64 - bits); }

/// Throws unless a lattice that is fixed in the program is asked for as it is.
template <class Lattice>
Lattice fixed(unsigned bits, unsigned kind) {
  Lattice const it;
  if (bits != it.bits() || kind != it.kind())
    throw error(errc::bad_params, "the lattice of this type has values of " + std::to_string(it.bits()) +
                                      " bits and the kind " + std::to_string(it.kind()) + ", not " + std::to_string(bits) +
                                      " and " + std::to_string(kind));
  return it;
}

/// Numbers in their usual order: the join is the larger, the meet is the smaller.
template <unsigned Bits>
requires(Bits >= 1 && Bits <= 64) struct max {
  static constexpr unsigned bits() noexcept { return Bits; }
  static constexpr unsigned kind() noexcept { return max_kind; }
  static constexpr std::uint64_t join(std::uint64_t a, std::uint64_t b) noexcept { return std::max(a, b); }
  static constexpr std::uint64_t meet(std::uint64_t a, std::uint64_t b) noexcept { return std::min(a, b); }
  static constexpr unsigned atoms() noexcept { return 1; }
  static constexpr std::uint64_t atoms_of(std::uint64_t a) noexcept { return std::uint64_t{a != 0}; }
  static max made(unsigned bits, unsigned kind) { return fixed<max>(bits, kind); }
  bool operator==(max const&) const = default;
  static void fields(auto&, auto& io) {
    io.constant(max_kind, "lattice");
    io.constant(Bits, "width of values");
  }
};

/// Two values, of which one is the bottom. With it a compact approximator is a Bloom filter.
using boolean = max<1>;

/// Sets of at most 64 things, a bit each: the join is the union, the meet is the intersection.
template <unsigned Bits>
requires(Bits >= 1 && Bits <= 64) struct bit_sets {
  static constexpr unsigned bits() noexcept { return Bits; }
  static constexpr unsigned kind() noexcept { return bit_sets_kind; }
  static constexpr std::uint64_t join(std::uint64_t a, std::uint64_t b) noexcept { return a | b; }
  static constexpr std::uint64_t meet(std::uint64_t a, std::uint64_t b) noexcept { return a & b; }
  static constexpr unsigned atoms() noexcept { return Bits; }
  static constexpr std::uint64_t atoms_of(std::uint64_t a) noexcept { return a; }
  static bit_sets made(unsigned bits, unsigned kind) { return fixed<bit_sets>(bits, kind); }
  bool operator==(bit_sets const&) const = default;
  static void fields(auto&, auto& io) {
    io.constant(bit_sets_kind, "lattice");
    io.constant(Bits, "width of values");
  }
};

/// Pairs of a value of A, in the low bits, and a value of B: join and meet are taken in each.
template <lattice_policy A, lattice_policy B>
requires(A().bits() + B().bits() <= 64) struct product {
  static constexpr unsigned bits() noexcept { return A().bits() + B().bits(); }
  static constexpr unsigned kind() noexcept { return product_kind; }
  static constexpr std::uint64_t pair(std::uint64_t a, std::uint64_t b) noexcept { return a | b << A().bits(); }
  static constexpr std::uint64_t first(std::uint64_t v) noexcept { return v & all_ones(A().bits()); }
  static constexpr std::uint64_t second(std::uint64_t v) noexcept { return v >> A().bits(); }

  static constexpr std::uint64_t join(std::uint64_t a, std::uint64_t b) noexcept {
    return pair(A().join(first(a), first(b)), B().join(second(a), second(b)));
  }
  static constexpr std::uint64_t meet(std::uint64_t a, std::uint64_t b) noexcept {
    return pair(A().meet(first(a), first(b)), B().meet(second(a), second(b)));
  }
  static constexpr unsigned atoms() noexcept { return A().atoms() + B().atoms(); }
  static constexpr std::uint64_t atoms_of(std::uint64_t v) noexcept {
    return A().atoms_of(first(v)) | B().atoms_of(second(v)) << A().atoms();
  }
  static product made(unsigned bits, unsigned kind) { return fixed<product>(bits, kind); }
  bool operator==(product const&) const = default;
  static void fields(auto&, auto& io) {
    A const a;
    B const b;
    io.constant(product_kind, "lattice");
    A::fields(a, io);
    B::fields(b, io);
  }
};

/// `max` or `bit_sets`, of any width, chosen at run time.
class any {
 public:
  any() = default;
  static any made(unsigned bits, unsigned kind) {
    any it;
    it.bits_ = bits;
    it.kind_ = kind;
    if (!it.valid())
      throw error(errc::bad_params, "a value has 1 to 64 bits, and a lattice is 0 (numbers) or 1 (sets of bits); not " +
                                        std::to_string(bits) + " and " + std::to_string(kind));
    return it;
  }

  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] unsigned kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t join(std::uint64_t a, std::uint64_t b) const noexcept { return sets() ? a | b : std::max(a, b); }
  [[nodiscard]] std::uint64_t meet(std::uint64_t a, std::uint64_t b) const noexcept { return sets() ? a & b : std::min(a, b); }
  [[nodiscard]] unsigned atoms() const noexcept { return sets() ? bits_ : 1; }
  [[nodiscard]] std::uint64_t atoms_of(std::uint64_t a) const noexcept { return sets() ? a : std::uint64_t{a != 0}; }
  bool operator==(any const&) const = default;

  static void fields(auto& self, auto& io) { io(self.kind_, self.bits_); }
  [[nodiscard]] bool valid() const noexcept { return bits_ >= 1 && bits_ <= 64 && kind_ <= bit_sets_kind; }

 private:
  [[nodiscard]] bool sets() const noexcept { return kind_ == bit_sets_kind; }

  unsigned kind_ = max_kind;
  unsigned bits_ = 8;
};

static_assert(lattice_policy<boolean> && lattice_policy<bit_sets<64>> && lattice_policy<product<max<3>, bit_sets<5>>>);
static_assert(lattice_policy<any>);

}  // namespace lattice
}  // namespace hortus
