#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <hortus/any/any_filter.hpp>

#include "cli/distinct_keys.hpp"
#include "cli/text/records.hpp"

namespace hortus::cli {

/// Inserts keys into a filter and counts those that it refuses. It goes on after the first refusal, so that the message
/// can say how many were refused and, if the filter is full, how large a filter would be enough.
class filling {
 public:
  explicit filling(any_filter& into);

  /// Pre: the lines of the block have keys.
  void insert(record_block const& block);
  /// Digests of keys of one kind, text or integers, by the hash of the filter. Pre: the filter keeps no keys.
  void insert(std::span<digest const> xs, key_kind kind);

  /// Inserts the keys that the filter does not find. Bit i: key i was new, and was inserted before the first key that did not
  /// fit. Throws errc::unsupported if the family can tell no new key from an old one.
  [[nodiscard]] bitmask insert_new(record_block const& block);

  [[nodiscard]] std::uint64_t offered() const noexcept { return offered_; }
  [[nodiscard]] std::uint64_t inserted() const noexcept { return inserted_; }

  /// Throws errc::full if a key was refused; then nothing may be saved. `consequence` says what happened to the file. With json
  /// the numbers are printed first, as `keys_refused` and, for a full filter, `items_needed`.
  void check_all_went_in(std::string const& consequence, bool json);

 private:
  void count_new(record_block const& block);
  void count_new(std::span<digest const> xs);
  [[nodiscard]] std::uint64_t items_needed();

  any_filter& into_;
  bool can_refuse_;
  bool can_be_full_;
  double before_ = 0;  // upper bound of the distinct keys in the filter before
  std::uint64_t offered_ = 0;
  std::uint64_t inserted_ = 0;
  std::uint64_t refused_ = 0;
  distinct_keys new_;  // distinct keys that were not found before, whether inserted or refused
  std::array<digest, line_reader::block_lines> block_;
};

}  // namespace hortus::cli
