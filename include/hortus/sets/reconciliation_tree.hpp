#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/digest.hpp>

namespace hortus::sets {

/// What one side sends of its tree: a Bloom filter of the values of its leaves, and one of those of its inner nodes.
struct tree_summary {
  std::uint64_t seed = 0;
  bloom_filter leaves;
  bloom_filter inner;

  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  /// Throws errc::corrupt, and errc::too_large for filters that are larger than the message justifies.
  [[nodiscard]] static tree_summary from_bytes(std::span<std::byte const> bytes);
};

/// Approximate reconciliation tree: finds most of the keys that the other side lacks, and looks only where the sets differ.
///
///     keys --position hash--> a binary trie, paths without branches left out
///              o              a node's value is the exclusive or of the value hashes of its keys:
///            /   \            equal sets below a node give it the same value on both sides
///           o     o
///          / \   / \          search from the root: a node whose value the other side's filter has seems to be common.
///                             After corrections + 1 such nodes in a row the search leaves that branch
///
/// Promise  a key that is reported surely is missing on the other side. Of the missing keys a share of expected_found() is
///          reported: what false positives hide is missed.
/// Price    24 bytes a key in memory; some bits a key on the wire, as one Bloom filter (bloom_offer.hpp), which finds more. It
///          visits fewer than 5 d (corrections + 1) log2(n) nodes for d differences instead of all n keys.
/// Lacks    exactness: reconciler.hpp has it, with fewer bytes when the difference is small.
/// Source   J. Byers, J. Considine, M. Mitzenmacher and S. Rost, "Informed content delivery across adaptive overlay networks",
///          SIGCOMM 2002; J. Byers, J. Considine and M. Mitzenmacher, "Fast approximate reconciliation of set differences",
///          2002.
class reconciliation_tree {
 public:
  /// Duplicates count once. Both sides need the same seed.
  explicit reconciliation_tree(std::span<digest const> keys, std::uint64_t seed = 0);

  [[nodiscard]] std::uint64_t size() const noexcept { return leaves_.size(); }
  /// Bits a key for the filter of leaves, and for that of inner nodes.
  [[nodiscard]] tree_summary summary(double leaf_bits, double inner_bits) const;

  struct search_result {
    std::vector<digest> missing;  ///< keys that the other side surely lacks
    std::uint64_t visited = 0;    ///< nodes
  };
  /// Throws errc::incompatible if the summary has another seed.
  [[nodiscard]] search_result missing_in(tree_summary const& theirs, unsigned corrections) const;

 private:
  struct leaf {
    std::uint64_t position;
    std::uint64_t bits;  // of the digest
  };
  struct range {  // of leaves: a node
    std::size_t begin;
    std::size_t end;
  };
  [[nodiscard]] digest value(range node) const noexcept { return digest(sums_[node.begin] ^ sums_[node.end]); }
  /// Where the right child of an inner node begins.
  [[nodiscard]] std::size_t split(range node) const noexcept;

  std::uint64_t seed_;
  std::vector<leaf> leaves_;         // by position
  std::vector<std::uint64_t> sums_;  // exclusive or of the values of the leaves before
};

/// The share of missing keys that a search reports, for a tree of `items` keys: leaf not hidden by a false positive, and no
/// corrections + 1 of them in a row on the log2(items) inner nodes above it.
[[nodiscard]] double expected_found(std::uint64_t items, double leaf_bits, double inner_bits, unsigned corrections);

}  // namespace hortus::sets
