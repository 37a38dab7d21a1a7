#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/cells/bit_array.hpp>
#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/near/angle.hpp>
#include <hortus/near/hamming.hpp>
#include <hortus/near/jaccard.hpp>
#include <hortus/near/near_filter.hpp>
#include <hortus/plan/distance_sensitive.hpp>

namespace hortus {

/// Distance-sensitive Bloom filter: is a key near a member? Each array has a hash of its own that is likely the same for near
/// keys. The number of arrays in which the key's bit is set is its score; a score of at least `threshold` means near.
///
///     array      1              2              3
///           0 1 0 0 0 1  |  0 0 0 1 0 0  |  1 0 0 0 0 0       a member sets one bit in each
///             ^                   ^           ^
///             set: 1          not set        set: 1           a key near it: score 2
///
/// Promise  a key within distance `near` of a member is missed with probability fnr at most, one at least `far` from all
///          members is accepted with probability fpr at most. A member has the largest score and is never missed. Probabilities
///          are over the seed of the hash. Nothing is promised between the two distances.
/// Price    100 to 4000 bits per item and more, the closer `near` and `far` are. A key takes a cache miss an array, and
///          `samples` hashes an array. See docs/near.md.
/// Lacks    erase, fold, an estimate of the number of members, and certainty: a near key may be missed.
/// Source   Kirsch, Mitzenmacher, "Distance-sensitive Bloom filters", ALENEX 2006.
///
/// It takes a key as a row of digests, one for each array. near_filter makes them from keys (near/near_filter.hpp).
template <metric Metric>
class distance_sensitive {
 public:
  static constexpr std::string_view name = "distance_sensitive";
  static constexpr std::string_view room = "near";
  static constexpr std::string_view summary =
      "is a key near a member? by Hamming distance, Jaccard distance of texts, or angle";
  static constexpr auto misses = false_negatives::by_chance;

  struct goal {
    std::uint64_t items = 0;  ///< distinct members it will hold
    double fpr = 0.01;        ///< probability that a key is accepted that is at least `far` from all members
    double near = 0.02;       ///< distances are shares from 0 to 1
    double far = 0.4;
    double fnr = 0.01;       ///< probability that a key is missed that is within `near` of a member
    unsigned samples = 0;    ///< 0: as many as need the least space
    double slice_ratio = 0;  ///< 0: the one that needs the least space
    unsigned full = 0;       ///< 1: fnr need not hold before all items are members
    Metric metric = {};
    static void fields(auto& self, auto& io) {
      io("near", self.near, setting_note{"distance up to which a key is near a member", "0 or more, below far", "0.05"});
      io("far", self.far, setting_note{"distance from which on a key is far from a member", "above near, at most 1", "0.5"});
      io("fnr", self.fnr, setting_note{"probability that a near key is missed", "above 0, below 1", "0.001"});
      io("samples", self.samples,
         setting_note{"hashes of a key in each array; by default as many as need the least space", "up to 1024", "20"});
      io("slice_ratio", self.slice_ratio,
         setting_note{"bits of an array per item; more of them: fewer arrays, faster, larger", "up to 64", "16"});
      io("full", self.full,
         setting_note{"1: near keys may be missed until all items are members; smaller by a third or more", "0 or 1", "1"});
      Metric::settings(self.metric, io);
    }
  };
  struct params : plan::distance_sensitive_shape {
    Metric metric = {};
    static void fields(auto& self, auto& io) {
      io("slice_bits", self.slice_bits);
      io("arrays", self.arrays);
      io("samples", self.samples);
      io("threshold", self.threshold);
      io("near", self.near);
      io("far", self.far);
    }
    bool operator==(params const&) const = default;
  };

  static params plan(goal const& g) {
    check(g.metric);
    if (g.full > 1) throw error(errc::bad_goal, "full is " + std::to_string(g.full) + ": it is 0 or 1");
    return {plan::distance_sensitive({g.items, g.fpr, g.fnr, g.near, g.far, g.samples, g.slice_ratio, g.full != 0}), g.metric};
  }
  static double planned_fpr(params const& p, std::uint64_t items) { return plan::distance_sensitive_fpr(p, items); }
  static double planned_fnr(params const& p, std::uint64_t items) { return plan::distance_sensitive_fnr(p, items); }
  static std::uint64_t planned_bytes(params const& p) { return (p.slice_bits * p.arrays + 63) / 64 * 8; }
  static double lines_touched(params const& p) { return p.arrays; }

  distance_sensitive()
      : distance_sensitive(params{{1, 1, 1, 1, 0, 1}, {}}) {}  ///< the smallest valid one: one array of one bit
  explicit distance_sensitive(params const& p) : shape_(p) {
    check(p.metric);
    if (!plan::is_valid(p))
      throw error(errc::bad_params,
                  "a distance_sensitive filter needs 1 to 1024 arrays, 1 to 1024 samples, a threshold from 1 to the number of "
                  "arrays, at most 2^42 bits, and near less than far, both from 0 to 1");
    bits_ = bit_array(p.slice_bits * p.arrays);
  }

  /// Makes the key of these digests a member. Pre: row.size() == arrays()
  void insert(std::span<digest const> row) noexcept {
    for (std::size_t i = 0; i < row.size(); ++i) bits_.prefetch(position(i, row[i]));
    for (std::size_t i = 0; i < row.size(); ++i) bits_.set(position(i, row[i]));
  }
  /// The number of arrays in which the key's bit is set. Pre: row.size() == arrays()
  [[nodiscard]] unsigned score(std::span<digest const> row) const noexcept {
    for (std::size_t i = 0; i < row.size(); ++i) bits_.prefetch(position(i, row[i]));
    unsigned set = 0;
    for (std::size_t i = 0; i < row.size(); ++i) set += bits_.test(position(i, row[i])) ? 1U : 0U;
    return set;
  }
  [[nodiscard]] unsigned arrays() const noexcept { return shape_.arrays; }
  [[nodiscard]] unsigned samples() const noexcept { return shape_.samples; }
  [[nodiscard]] unsigned threshold() const noexcept { return shape_.threshold; }
  [[nodiscard]] Metric const& metric_used() const noexcept { return shape_.metric; }

  /// The dimension of its keys: bits, or numbers of a vector. 0: no key was inserted yet, or keys have no dimension.
  [[nodiscard]] std::uint64_t dimension() const noexcept { return dimension_; }
  /// Throws errc::bad_params if a key of this dimension cannot be compared with the members.
  void check_dimension(std::uint64_t of_key) const {
    if (dimension_ != 0 && of_key != dimension_)
      throw error(errc::bad_params, "the key has " + std::to_string(of_key) + " " +
                                        std::string(shape_.metric.dimension_unit()) + ", the members have " +
                                        std::to_string(dimension_));
  }
  void set_dimension(std::uint64_t of_key) {  ///< the same; the first key decides
    check_dimension(of_key);
    dimension_ = of_key;
  }

  /// The probability now that a key at distance `far` from all members is accepted. Computed from the set bits of each array,
  /// and from the number of members for which so many bits are set.
  [[nodiscard]] double fpr() const {
    auto const width = static_cast<double>(shape_.slice_bits);
    double const clear = 1 - static_cast<double>(bits_.ones()) / (width * shape_.arrays);
    if (clear <= 0) return 1;
    double const items = clear < 1 ? std::log(clear) / std::log1p(-1 / width) : 0;
    double const equal = plan::equal_samples(shape_.far, shape_.samples);
    double const unequal = equal >= 1 ? (items > 0 ? 0 : 1) : std::exp(items * std::log1p(-equal));
    // scores[j]: the probability of the score j in the arrays so far.
    std::vector<double> scores(shape_.arrays + std::size_t{1});
    scores[0] = 1;
    for (unsigned i = 0; i < shape_.arrays; ++i) {
      auto const ones = bits_.ones(i * shape_.slice_bits, (i + 1) * shape_.slice_bits);
      double const set = 1 - (1 - static_cast<double>(ones) / width) * unequal;
      for (auto j = i + 1; j > 0; --j) scores[j] = scores[j] * (1 - set) + scores[j - 1] * set;
      scores[0] *= 1 - set;
    }
    double sum = 0;
    for (auto j = shape_.arrays; j >= shape_.threshold; --j) sum += scores[j];
    return std::min(sum, 1.0);
  }

  /// As if the other's members had been inserted too. Throws errc::incompatible and changes nothing if they cannot combine.
  void merge(distance_sensitive const& other) {
    if (!(shape_.metric == other.shape_.metric))
      throw error(errc::incompatible, "distance_sensitive: only filters of the same metric combine");
    check_equal_shape(*this, other);
    if (dimension_ != 0 && other.dimension_ != 0 && dimension_ != other.dimension_)
      throw error(errc::incompatible, "distance_sensitive: the members have " + std::to_string(dimension_) + " and " +
                                          std::to_string(other.dimension_) + " " + std::string(shape_.metric.dimension_unit()));
    dimension_ = std::max(dimension_, other.dimension_);
    bits_ |= other.bits_;
  }
  void clear() noexcept {
    bits_.clear();
    dimension_ = 0;
  }
  [[nodiscard]] params shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bits_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return bits_.cells(); }
  bool operator==(distance_sensitive const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.shape_.metric);
    io(self.shape_.slice_bits, self.shape_.arrays, self.shape_.samples, self.shape_.threshold, self.shape_.near,
       self.shape_.far, self.dimension_, self.bits_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return plan::is_valid(shape_) && shape_.metric.valid() && dimension_ <= shape_.metric.most_dimension() && bits_.valid() &&
           bits_.size() == shape_.slice_bits * shape_.arrays;
  }

 private:
  static void check(Metric const& metric) {
    if (!metric.valid()) throw error(errc::bad_params, "gram is a number of bytes from 1 to 64");
  }
  [[nodiscard]] std::uint64_t position(std::size_t array, digest x) const noexcept {
    return array * shape_.slice_bits + fastrange(x.bits(), shape_.slice_bits);
  }

  params shape_;
  std::uint64_t dimension_ = 0;
  bit_array bits_;
};

/// near_bits seen({.items = 1'000'000, .near = 0.05, .far = 0.4});  seen.insert(hash_of_image);  seen.is_near(another);
using near_bits = near_filter<distance_sensitive<hamming>>;
using near_texts = near_filter<distance_sensitive<jaccard>>;
using near_vectors = near_filter<distance_sensitive<angle>>;

}  // namespace hortus
