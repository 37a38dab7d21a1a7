#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <hortus/bloom/block_kernels.hpp>
#include <hortus/cells/block_array.hpp>
#include <hortus/cells/shared_word.hpp>
#include <hortus/concepts.hpp>
#include <hortus/equal_shape.hpp>
#include <hortus/index/block_pattern.hpp>
#include <hortus/maths/blocked_cardinality.hpp>
#include <hortus/maths/overlap.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/blocked.hpp>

namespace hortus {

/// A pattern defines a cache-line-local Bloom filter: which block a key belongs to, and which bits of that block it sets.
template <class P>
concept block_pattern = requires(digest x, std::uint64_t blocks, unsigned probes, std::uint64_t const* block) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::summary } -> std::convertible_to<std::string_view>;
  { P::layout } -> std::convertible_to<plan::block_layout>;     // its mathematics
  { P::about_probes } -> std::convertible_to<setting_note>;     // help text: how many probes there may be
  { P::block_of(x, blocks) } -> std::same_as<std::uint64_t>;    // by the high bits: monotone in the digest, so that it folds
  { P::chance(block, probes) } -> std::same_as<double>;         // that an absent key of this block finds all its bits set
  P::for_each_mask(x, probes, [](unsigned, std::uint64_t) {});  // act(word of the block, mask), independent of block_of
};

/// A pattern with kernels for up to 64 keys at once, which prefetch the next keys' blocks in between.
template <class P>
concept vectorised_pattern = block_pattern<P> &&
    requires(kernels::blocks_to_read in, kernels::blocks_to_write out, std::span<digest const> xs) {
  { P::may_contain(in, xs, xs) } -> std::same_as<std::uint64_t>;
  P::insert(out, xs, xs);
  { P::insert_if_new(out, xs, xs) } -> std::same_as<std::uint64_t>;
};

/// The verbs of every filter that keeps a key's bits in one block. An operation costs one cache miss and no branch that
/// could be mispredicted. The families (blocked, blocked_pair, sectorized, split_block, register_blocked) differ by their
/// Pattern.
template <block_pattern Pattern>
class in_block {
 public:
  static constexpr std::string_view name = Pattern::name;
  static constexpr std::string_view room = "bloom";
  static constexpr std::string_view summary = Pattern::summary;
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain | verb::estimate | verb::compare |
                                    verb::merge | verb::intersect | verb::fold;
  static constexpr verb_set kernels = Pattern::kernels;
  static constexpr bool writes_its_place_only = true;  ///< so several threads can insert: parallel.hpp

  using goal = probed_goal<Pattern::about_probes>;
  struct params {
    std::uint64_t blocks = 0;
    unsigned probes = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("blocks", self.blocks);
      io("probes", self.probes);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::blocked(Pattern::layout, {g.items, g.fpr}, g.probes);
    return {shape.blocks, shape.probes};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::blocked_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return p.blocks * (Pattern::layout.bits() / 8); }
  static double lines_touched(params) { return Pattern::layout.bits() > 512 ? Pattern::layout.bits() / 512.0 : 1; }

  in_block() : in_block(params{1, Pattern::layout.parts}) {}  ///< the smallest valid one: one block
  explicit in_block(params p) : blocks_((plan::checked(layout(p)), p.blocks)), probes_(p.probes) {}

  void insert(digest x) noexcept {
    auto* const block = blocks_[Pattern::block_of(x, blocks_.size())];
    if constexpr (requires { Pattern::set(block, x, probes_); })
      Pattern::set(block, x, probes_);
    else
      Pattern::for_each_mask(x, probes_, [=](unsigned word, std::uint64_t mask) { block[word] |= mask; });
  }
  bool insert_if_new(digest x) noexcept {
    auto* const block = blocks_[Pattern::block_of(x, blocks_.size())];
    std::uint64_t missing = 0;
    Pattern::for_each_mask(x, probes_, [&](unsigned word, std::uint64_t mask) {
      missing |= mask & ~block[word];
      block[word] |= mask;
    });
    return missing != 0;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    auto const* const block = blocks_[Pattern::block_of(x, blocks_.size())];
    if constexpr (requires { Pattern::has(block, x, probes_); }) {
      return Pattern::has(block, x, probes_);
    } else {
      std::uint64_t missing = 0;
      Pattern::for_each_mask(x, probes_, [&](unsigned word, std::uint64_t mask) { missing |= mask & ~block[word]; });
      return missing == 0;
    }
  }
  /// Safe while other threads call these two: see concurrent.hpp.
  bool insert_shared(digest x) noexcept {
    auto* const block = blocks_[Pattern::block_of(x, blocks_.size())];
    std::uint64_t missing = 0;
    Pattern::for_each_mask(x, probes_, [&](unsigned word, std::uint64_t mask) { missing |= set_shared(block[word], mask); });
    return missing != 0;
  }
  [[nodiscard]] bool may_contain_shared(digest x) const noexcept {
    auto const* const block = blocks_[Pattern::block_of(x, blocks_.size())];
    std::uint64_t missing = 0;
    Pattern::for_each_mask(x, probes_, [&](unsigned word, std::uint64_t mask) { missing |= mask & ~load_shared(block[word]); });
    return missing == 0;
  }
  std::size_t insert(std::span<digest const> xs, std::span<digest const> next) noexcept requires vectorised_pattern<Pattern> {
    if (xs.size() < fewest_for_a_kernel)
      for (auto const x : xs) insert(x);
    else
      Pattern::insert({blocks_[0], blocks_.size(), probes_}, xs, next);
    return xs.size();
  }
  void insert_if_new(std::span<digest const> xs, std::span<digest const> next,
                     std::uint64_t* fresh) noexcept requires vectorised_pattern<Pattern> {
    if (xs.size() < fewest_for_a_kernel)
      *fresh = one_by_one(xs, [&](digest x) { return insert_if_new(x); });
    else
      *fresh = Pattern::insert_if_new({blocks_[0], blocks_.size(), probes_}, xs, next);
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next,
                   std::uint64_t* hits) const noexcept requires vectorised_pattern<Pattern> {
    if (xs.size() < fewest_for_a_kernel)
      *hits = one_by_one(xs, [&](digest x) { return may_contain(x); });
    else
      *hits = Pattern::may_contain({blocks_[0], blocks_.size(), probes_}, xs, next);
  }
  [[nodiscard]] std::uint64_t place(digest x) const noexcept { return Pattern::block_of(x, blocks_.size()); }
  [[nodiscard]] std::uint64_t places() const noexcept { return blocks_.size(); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { blocks_.prefetch(Pattern::block_of(x, blocks_.size())); }

  /// The mean over all blocks at their actual fill: an absent key is equally likely to fall into any of them.
  [[nodiscard]] double fpr() const noexcept { return mean_chance(blocks_, probes_); }
  [[nodiscard]] plan::estimate estimate() const { return plan::blocked_cardinality(layout(shape()), blocks_.ones()); }
  [[nodiscard]] plan::overlap compare(in_block const& other) const {
    check_equal_shape(*this, other);
    return plan::blocked_overlap(layout(shape()),
                                 {blocks_.ones(), other.blocks_.ones(), blocks_.ones_of_either(other.blocks_)});
  }
  /// The share of set bits.
  [[nodiscard]] double load() const noexcept {
    return static_cast<double>(blocks_.ones()) / (8 * static_cast<double>(size_bytes()));
  }

  void merge(in_block const& other) {
    check_equal_shape(*this, other);
    blocks_ |= other.blocks_;
  }
  void intersect(in_block const& other) {
    check_equal_shape(*this, other);
    blocks_ &= other.blocks_;
  }

  /// Exact: in a filter of blocks / by blocks a key's block is its present one divided by `by`, and its bits in the block
  /// are the same.
  void fold(std::uint64_t by) { blocks_ = blocks_.folded(plan::checked_fold(blocks_.size(), by)); }
  [[nodiscard]] std::uint64_t fold_width() const noexcept { return blocks_.size(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const {
    return mean_chance(blocks_.folded(plan::checked_fold(blocks_.size(), by)), probes_);
  }

  /// Shards: see the concept shardable.
  static std::uint64_t shard_of(digest x, std::uint64_t blocks, std::uint64_t shards) noexcept {
    return Pattern::block_of(x, blocks) - Pattern::block_of(x, blocks / shards) * shards;  // the block mod shards
  }
  [[nodiscard]] in_block shard(std::uint64_t shards, std::uint64_t i) const {
    auto part = in_block(params{1, probes_});
    part.blocks_ = blocks_.every(plan::checked_shards(blocks_.size(), shards, i), i);
    return part;
  }
  [[nodiscard]] in_block widened(std::uint64_t shards) const {
    return in_block(params{plan::checked_product(blocks_.size(), shards), probes_});
  }
  void put_shard(std::uint64_t shards, std::uint64_t i, in_block const& part) {
    plan::check_part(blocks_.size(), plan::checked_shards(blocks_.size(), shards, i), part.blocks_.size());
    if (part.probes_ != probes_) throw error(errc::incompatible, "the shards of a filter have equal numbers of probes");
    blocks_.put_every(shards, i, part.blocks_);
  }

  void clear() noexcept { blocks_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {blocks_.size(), probes_}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return blocks_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return blocks_.cells(); }
  bool operator==(in_block const&) const = default;

  static void fields(auto& self, auto& io) { io(self.probes_, self.blocks_); }
  [[nodiscard]] bool valid() const noexcept {
    return blocks_.valid() && blocks_.size() >= 1 && blocks_.size() <= Pattern::layout.max_blocks && probes_ >= 1 &&
           probes_ <= Pattern::layout.max_probes && probes_ % Pattern::layout.parts == 0;
  }

 private:
  using blocks = block_array<Pattern::layout.bits() / 64>;

  /// What a kernel does before its first key takes as long as a few keys one by one. So few keys have no `next`.
  static constexpr std::size_t fewest_for_a_kernel = 16;
  static std::uint64_t one_by_one(std::span<digest const> xs, auto answer) noexcept {
    std::uint64_t answers = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) answers |= std::uint64_t{answer(xs[i])} << i;
    return answers;
  }

  static plan::blocked_shape layout(params p) noexcept { return {Pattern::layout, p.blocks, p.probes}; }
  static double mean_chance(blocks const& all, unsigned probes) noexcept {
    double sum = 0;
    for (std::uint64_t i = 0; i < all.size(); ++i) sum += Pattern::chance(all[i], probes);
    return sum / static_cast<double>(all.size());
  }

  blocks blocks_;
  unsigned probes_;
};

}  // namespace hortus
