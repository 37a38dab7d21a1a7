#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/concepts.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/hyperloglog.hpp>
#include <hortus/sketch/token_table.hpp>

namespace hortus {

/// Registers define a sketch that counts distinct keys: what a register keeps of the digests that fall to it. The first
/// `precision` bits of a digest choose its register. A register is a function of the set of its digests.
///
/// A token is what registers of the greatest precision would keep of one digest, in 32 bits.
template <class R>
concept distinct_registers = requires(digest x, std::uint32_t token, std::byte* cells, std::byte const* read,
                                      unsigned precision) {
  { R::name } -> std::convertible_to<std::string_view>;
  { R::summary } -> std::convertible_to<std::string_view>;
  { R::kind } -> std::convertible_to<plan::register_kind>;
  { R::precision_note } -> std::convertible_to<setting_note>;
  { R::least_slots } -> std::convertible_to<std::uint64_t>;  // of a token table; registers take 2^i times its bytes, or fewer
  { R::token_of(x) } -> std::same_as<std::uint32_t>;
  { R::digest_of(token) } -> std::same_as<digest>;  // one that every register takes for the token's
  { R::is_token(token) } -> std::same_as<bool>;
  { R::exponent_of_token(token) } -> std::same_as<unsigned>;  // its probability is 2^-exponent, given its register
  { R::byte_of(x, precision) } -> std::same_as<std::uint64_t>;
  R::raise(cells, x, precision);
  R::merge(cells, read, precision);
  R::for_each_digest(read, precision, [](digest) {});  // digests that would give these registers
  { R::cardinality(read, precision) } -> std::same_as<plan::estimate>;
};

/// The verbs of every sketch of registers. The families (hyperloglog, exaloglog) differ by their Registers.
///
/// It starts as a set of tokens, in a table of 6.4 to 13 bytes a key, which counts them without an error that matters. When the
/// next larger table would take more space than the registers, it makes the registers from the tokens. Both forms, and the
/// moment of change, depend on the set of keys only: equal sets have equal bytes.
template <distinct_registers Registers>
class distinct_counter {
 public:
  static constexpr std::string_view name = Registers::name;
  static constexpr std::string_view room = "sketch";
  static constexpr std::string_view summary = Registers::summary;
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::estimate | verb::compare | verb::merge | verb::fold;
  static constexpr verb_set kernels = verb::insert;
  static constexpr bool keeps_fpr = true;         ///< the relative error is the same for any number of keys
  static constexpr bool merges_any_shape = true;  ///< to the lower precision of both
  static constexpr bool starts_small = true;      ///< planned_bytes() is the most that it takes

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: any number of distinct keys is possible
    double fpr = 0.01;        ///< the relative standard error of the estimate
    unsigned precision = 0;   ///< the binary logarithm of the number of registers; 0: the least for the error
    static void fields(auto& self, auto& io) { io("precision", self.precision, Registers::precision_note); }
  };
  struct params {
    unsigned precision = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) { io("precision", self.precision); }
  };

  static params plan(goal g) { return {Registers::kind.precision_for(g.items, g.fpr, g.precision)}; }
  /// The relative standard error, for any number of keys.
  static double planned_fpr(params p, std::uint64_t) { return Registers::kind.error(p.precision); }
  static std::uint64_t planned_bytes(params p) { return Registers::kind.bytes(p.precision); }
  static double lines_touched(params) { return 1; }

  distinct_counter() : distinct_counter(params{Registers::kind.least}) {}  ///< the smallest valid one
  explicit distinct_counter(params p) : precision_(Registers::kind.checked(p.precision)) {
    if (holds(Registers::least_slots))
      tokens_ = token_table(Registers::least_slots);
    else
      registers_ = memory(planned_bytes(p));
  }

  void insert(digest x) { has_registers() ? Registers::raise(registers_.data(), x, precision_) : insert_token(x); }
  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) {
    std::size_t i = 0;
    while (i < xs.size() && !has_registers()) insert_token(xs[i++]);
    auto* const cells = registers_.data();
    auto const precision = precision_;
    for (auto const ahead = std::min(xs.size(), next.size()); i < ahead; ++i) {
      __builtin_prefetch(cells + Registers::byte_of(next[i], precision));
      Registers::raise(cells, xs[i], precision);
    }
    for (; i < xs.size(); ++i) Registers::raise(cells, xs[i], precision);
    return xs.size();
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    if (has_registers()) __builtin_prefetch(registers_.data() + Registers::byte_of(x, precision_));
  }

  [[nodiscard]] plan::estimate estimate() const {
    if (has_registers()) return Registers::cardinality(registers_.data(), precision_);
    plan::met_values values;
    tokens_.for_each([&](std::uint32_t token) { ++values.met[Registers::exponent_of_token(token)]; });
    return plan::token_cardinality(values, std::ldexp(1.0, static_cast<int>(Registers::kind.most)));
  }
  /// In the lower precision of both.
  [[nodiscard]] plan::overlap compare(distinct_counter const& other) const {
    if (precision_ > other.precision_) return folded(other.precision_).compare(other);
    if (precision_ < other.precision_) return compare(other.folded(precision_));
    auto either = *this;
    either.merge(other);
    return plan::sketch_overlap(estimate(), other.estimate(), either.estimate());
  }
  /// The relative standard error of an estimate of many keys; that of few is smaller.
  [[nodiscard]] double error() const noexcept { return Registers::kind.error(precision_); }

  /// The sketch of the keys of both, in the lower precision of both.
  void merge(distinct_counter const& other) {
    if (other.precision_ < precision_) {
      auto both = folded(other.precision_);
      both.merge(other);
      *this = std::move(both);
    } else if (has_registers() && other.has_registers() && other.precision_ == precision_) {
      Registers::merge(registers_.data(), other.registers_.data(), precision_);
    } else if (has_registers()) {
      other.for_each_digest([&](digest x) { insert(x); });  // allocates nothing
    } else {
      auto both = *this;
      if (other.has_registers()) both.make_registers();
      other.for_each_digest([&](digest x) { both.insert(x); });
      *this = std::move(both);
    }
  }

  /// Becomes the sketch that the same keys would have made with 1 / `by` of the registers.
  void fold(std::uint64_t by) { *this = folded(precision_after(by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept { return std::uint64_t{1} << (precision_ - Registers::kind.least); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const { return Registers::kind.error(precision_after(by)); }

  void clear() { *this = distinct_counter(shape()); }
  [[nodiscard]] params shape() const noexcept { return {precision_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells().size(); }
  [[nodiscard]] bool has_registers() const noexcept { return registers_.size() != 0; }
  [[nodiscard]] memory const& cells() const noexcept { return has_registers() ? registers_ : tokens_.cells(); }
  bool operator==(distinct_counter const&) const = default;

  static void fields(auto& self, auto& io) { io(self.precision_, self.tokens_, self.registers_); }
  [[nodiscard]] bool valid() const noexcept {
    if (!Registers::kind.has(precision_)) return false;
    if (has_registers()) return registers_.size() == planned_bytes(shape()) && tokens_ == token_table();
    auto const times = tokens_.slots() / Registers::least_slots;
    return std::has_single_bit(times) && tokens_.slots() == times * Registers::least_slots && holds(tokens_.slots()) &&
           tokens_.valid([](std::uint32_t token) { return Registers::is_token(token); });
  }

 private:
  /// Has a table of so many slots at most the size of the registers?
  [[nodiscard]] bool holds(std::uint64_t slots) const noexcept {
    return slots * sizeof(std::uint32_t) <= Registers::kind.bytes(precision_);
  }
  void insert_token(digest x) {
    while (!has_registers() && !tokens_.insert(Registers::token_of(x))) make_room();
    if (has_registers()) Registers::raise(registers_.data(), x, precision_);
  }
  /// The next larger table that holds the tokens, or registers.
  void make_room() {
    for (auto slots = 2 * tokens_.slots(); holds(slots); slots *= 2) {
      token_table larger(slots);
      bool all = true;
      tokens_.for_each([&](std::uint32_t token) { all = all && larger.insert(token); });
      if (!all) continue;
      tokens_ = std::move(larger);
      return;
    }
    make_registers();
  }
  void make_registers() {
    memory registers(planned_bytes(shape()));
    tokens_.for_each([&](auto token) { Registers::raise(registers.data(), Registers::digest_of(token), precision_); });
    registers_ = std::move(registers);
    tokens_ = token_table();
  }

  void for_each_digest(auto act) const {
    if (has_registers())
      Registers::for_each_digest(registers_.data(), precision_, act);
    else
      tokens_.for_each([&](std::uint32_t token) { act(Registers::digest_of(token)); });
  }
  [[nodiscard]] distinct_counter folded(unsigned precision) const {
    distinct_counter small(params{precision});
    if (has_registers() && !small.has_registers()) small.make_registers();  // its digests are fewer than the tokens were
    for_each_digest([&](digest x) { small.insert(x); });
    return small;
  }
  [[nodiscard]] unsigned precision_after(std::uint64_t by) const {
    if (by == 0 || fold_width() % by != 0)
      throw hortus::error(errc::bad_params, std::string(name) + ": a sketch of precision " + std::to_string(precision_) +
                                                " folds by powers of two up to " + std::to_string(fold_width()) + ", not by " +
                                                std::to_string(by));
    return precision_ - static_cast<unsigned>(std::countr_zero(by));
  }

  unsigned precision_;
  token_table tokens_;  ///< empty, without slots, if there are registers
  memory registers_;    ///< empty if there are tokens
};

}  // namespace hortus
