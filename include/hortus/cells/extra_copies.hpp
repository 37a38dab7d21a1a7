#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/overflow_table.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// How often fingerprints were inserted beyond the copies that a table of fingerprints stores itself. A key that is inserted a
/// million times then costs 16 bytes, and not a million slots. Empty, without memory, as long as no key is inserted that often.
class extra_copies {
 public:
  /// One more copy, or `more`. Throws std::bad_alloc, and changes nothing, if there is no memory. Stays at the maximum of 64
  /// bits.
  void add(std::uint64_t fingerprint, std::uint64_t more = 1) {
    if (auto* const copies = table_.find(fingerprint)) {
      *copies += std::min(more, std::numeric_limits<std::uint64_t>::max() - *copies);
    } else if (more != 0) {
      table_.reserve(1, 16);
      table_.insert(fingerprint, more);
    }
  }
  /// One copy less. False: there is none.
  bool take(std::uint64_t fingerprint) noexcept {
    auto* const copies = table_.find(fingerprint);
    if (copies == nullptr) return false;
    if (--*copies == 0) {
      *copies = 1;  // the table takes a slot with 0 for a free one
      table_.erase(copies);
    }
    return true;
  }
  [[nodiscard]] std::uint64_t count(std::uint64_t fingerprint) const noexcept {
    auto const* const copies = table_.find(fingerprint);
    return copies == nullptr ? 0 : *copies;
  }

  /// Calls act(fingerprint, copies) for each, in no particular order.
  void for_each(auto act) const {
    table_.for_each([&](overflow_table::entry e) { act(e.cell, e.excess); });
  }
  [[nodiscard]] bool empty() const noexcept { return table_.size() == 0; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return table_.size_bytes(); }
  void clear() noexcept { table_ = overflow_table(); }
  bool operator==(extra_copies const&) const = default;

  /// A file has the entries in ascending order of fingerprints, so that equal copies give equal bytes.
  static void fields(extra_copies const& self, auto& out) { out.made(self.table_.sorted()); }
  static void fields(extra_copies& self, auto& in) {
    memory entries;
    in(entries);
    if (!self.restore(entries)) throw error(errc::corrupt, "its extra copies do not fit together");
  }

 private:
  /// Fingerprints that were chosen to share a place in the hash table would make it slow: they are refused. An honest table,
  /// four fifths full, has a run of this length with a probability below 1e-20.
  static constexpr std::uint64_t longest_run = 4096;

  bool restore(memory const& entries) {
    using entry = overflow_table::entry;
    if (entries.size() % sizeof(entry) != 0) return false;
    std::span const all(reinterpret_cast<entry const*>(entries.data()), entries.size() / sizeof(entry));
    overflow_table table;
    table.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].excess == 0 || (i != 0 && all[i].cell <= all[i - 1].cell)) return false;
      if (table.insert(all[i].cell, all[i].excess) > longest_run) return false;
    }
    table_ = std::move(table);
    return true;
  }

  overflow_table table_;
};

}  // namespace hortus
