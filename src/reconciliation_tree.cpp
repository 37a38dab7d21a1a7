#include <hortus/sets/reconciliation_tree.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include <hortus/message/code_bytes.hpp>
#include <hortus/message/message.hpp>
#include <hortus/sets/bloom_offer.hpp>

namespace hortus::sets {
namespace {

bloom_filter empty_filter(std::uint64_t values, double bits_per_key) {
  return bloom_filter(bloom<>(offer_shape(values, bits_per_key)));
}

bloom_filter take_filter(std::span<std::byte const>& in) {
  auto const size = message::take_varint(in);
  return unpack<bloom_filter>(message::take_bytes(in, size));
}

}  // namespace

std::vector<std::byte> tree_summary::to_bytes() const {
  std::vector<std::byte> out;
  message::put_varint(out, seed);
  for (auto const* const filter : {&leaves, &inner}) {
    auto const packed = pack(*filter);
    message::put_varint(out, packed.size());
    message::put_bytes(out, packed);
  }
  return out;
}

tree_summary tree_summary::from_bytes(std::span<std::byte const> bytes) {
  auto const seed = message::take_varint(bytes);
  auto leaves = take_filter(bytes);
  auto inner = take_filter(bytes);
  if (!bytes.empty()) message::corrupt("the message is longer than its filters");
  return {seed, std::move(leaves), std::move(inner)};
}

reconciliation_tree::reconciliation_tree(std::span<digest const> keys, std::uint64_t seed) : seed_(seed) {
  leaves_.reserve(keys.size());
  for (auto const x : keys) leaves_.push_back({x.remixed(2 * seed).bits(), x.bits()});
  // remixed() is bijective: equal positions are equal digests.
  std::sort(leaves_.begin(), leaves_.end(), [](leaf const& a, leaf const& b) { return a.position < b.position; });
  auto const same = [](leaf const& a, leaf const& b) { return a.position == b.position; };
  leaves_.erase(std::unique(leaves_.begin(), leaves_.end(), same), leaves_.end());
  sums_.reserve(leaves_.size() + 1);
  sums_.push_back(0);
  for (auto const& one : leaves_) sums_.push_back(sums_.back() ^ digest(one.bits).remixed(2 * seed + 1).bits());
}

std::size_t reconciliation_tree::split(range node) const noexcept {
  auto const first = leaves_.begin() + static_cast<std::ptrdiff_t>(node.begin);
  auto const last = leaves_.begin() + static_cast<std::ptrdiff_t>(node.end);
  auto const bit = std::bit_floor(first->position ^ std::prev(last)->position);
  auto const right = std::partition_point(first, last, [&](leaf const& one) { return (one.position & bit) == 0; });
  return static_cast<std::size_t>(right - leaves_.begin());
}

tree_summary reconciliation_tree::summary(double leaf_bits, double inner_bits) const {
  tree_summary all{seed_, empty_filter(size(), leaf_bits), empty_filter(size(), inner_bits)};
  std::vector<range> nodes;
  if (size() != 0) nodes.push_back({0, leaves_.size()});
  while (!nodes.empty()) {
    auto const node = nodes.back();
    nodes.pop_back();
    bool const inner = node.end - node.begin > 1;
    (inner ? all.inner : all.leaves).insert(value(node));
    if (!inner) continue;
    auto const middle = split(node);
    nodes.push_back({node.begin, middle});
    nodes.push_back({middle, node.end});
  }
  return all;
}

reconciliation_tree::search_result reconciliation_tree::missing_in(tree_summary const& theirs, unsigned corrections) const {
  if (theirs.seed != seed_) throw error(errc::incompatible, "the trees of both sides need the same seed");
  struct step {
    range node;
    unsigned matches;  // of its ancestors, in a row
  };
  search_result all;
  std::vector<step> steps;
  if (size() != 0) steps.push_back({{0, leaves_.size()}, 0});
  while (!steps.empty()) {
    auto [node, matches] = steps.back();
    steps.pop_back();
    ++all.visited;
    if (node.end - node.begin == 1) {
      if (!theirs.leaves.may_contain(value(node))) all.missing.emplace_back(leaves_[node.begin].bits);
      continue;
    }
    matches = theirs.inner.may_contain(value(node)) ? matches + 1 : 0;
    if (matches > corrections) continue;
    auto const middle = split(node);
    steps.push_back({{node.begin, middle}, matches});
    steps.push_back({{middle, node.end}, matches});
  }
  return all;
}

double expected_found(std::uint64_t items, double leaf_bits, double inner_bits, unsigned corrections) {
  auto const rate = [items](double bits_per_key) {
    auto const shape = offer_shape(items, bits_per_key);
    return plan::bloom_fpr({shape.bits, shape.probes}, items);
  };
  auto const depth = std::llround(std::log2(static_cast<double>(std::max<std::uint64_t>(items, 1))));
  auto const inner = rate(inner_bits);
  // by_run[r]: the search goes on, and the last r nodes matched by chance.
  std::vector<double> by_run(corrections + 1);
  by_run[0] = 1;
  for (auto level = depth; level > 0; --level) {
    std::vector<double> next(corrections + 1);
    for (unsigned run = 0; run <= corrections; ++run) {
      next[0] += by_run[run] * (1 - inner);
      if (run < corrections) next[run + 1] += by_run[run] * inner;
    }
    by_run = next;
  }
  double on_path = 0;
  for (auto const p : by_run) on_path += p;
  return on_path * (1 - rate(leaf_bits));
}

}  // namespace hortus::sets
