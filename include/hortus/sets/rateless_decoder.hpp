#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/sets/coded_symbol.hpp>
#include <hortus/sets/symbol_mapping.hpp>

namespace hortus::sets {

/// Recovers keys from the differences of symbols, theirs minus mine.
///
/// A symbol with one key shows it: the count is 1 (theirs) or -1 (mine), and the checksum fits. The key is removed from all
/// symbols that hold it, which leaves others with one key. Symbol 0 holds every key: when it is empty, nothing is missing.
///
/// Promise  ends, whatever the symbols are: a key is recovered once, and no more keys than there are symbols. Symbols that no
///          two sets have throw errc::corrupt. When done() is true, every symbol is empty.
/// Price    memory and time follow the symbols fed: 24 + key bytes for each, and 2 ln m steps for each key recovered.
/// Lacks    a way to tell a peer's lies about its own keys from the truth.
template <std::size_t Bytes>
class rateless_decoder {
 public:
  using key_type = fixed_key<Bytes>;
  using symbol = coded_symbol<Bytes>;

  explicit rateless_decoder(secret_key const& secret) noexcept : hash_(secret) {}

  /// The next symbols of the difference. Throws errc::corrupt, after which the decoder must not be used.
  void feed(std::span<symbol const> differences) {
    auto const begin = symbols_.size();
    if (differences.size() > most_symbols - begin) throw error(errc::bad_params, "a stream has at most 2^31 symbols");
    symbols_.insert(symbols_.end(), differences.begin(), differences.end());
    for (auto& known : recovered_) remove(known);
    for (auto i = begin; i < symbols_.size(); ++i) note(static_cast<symbol_index>(i));
    peel();
    done_ = !symbols_.empty() && symbols_.front().empty();
    if (!done_) return;
    for (auto const& left : symbols_)
      if (!left.empty()) throw error(errc::corrupt, "symbols contradict each other: no two sets have them");
  }

  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] std::uint64_t fed() const noexcept { return symbols_.size(); }
  [[nodiscard]] std::uint64_t recovered() const noexcept { return recovered_.size(); }

  /// The keys that were recovered, all of them if done().
  [[nodiscard]] std::vector<key_type> theirs_only() const { return of(true); }
  [[nodiscard]] std::vector<key_type> mine_only() const { return of(false); }

 private:
  struct known_key {
    key_type key;
    std::uint64_t checksum;
    symbol_index next;  // the first symbol that holds it and was not fed yet
    bool theirs;
  };

  /// Removes a key from the symbols that were fed, from known.next on.
  void remove(known_key& known) {
    for (; known.next < symbols_.size(); known.next = next_symbol(known.checksum, known.next)) {
      auto& its = symbols_[known.next];
      its.toggle(known.key, known.checksum);
      its.count += known.theirs ? ~std::uint64_t{0} : 1;
      note(known.next);
    }
  }
  /// A symbol that may show a key is looked at later: others may be removed from it first.
  void note(symbol_index i) {
    auto const count = symbols_[i].count;
    if (count == 1 || count == ~std::uint64_t{0}) candidates_.push_back(i);
  }
  void peel() {
    while (!candidates_.empty()) {
      auto const shown = symbols_[candidates_.back()];
      candidates_.pop_back();
      if (shown.count != 1 && shown.count != ~std::uint64_t{0}) continue;
      if (checksum_of(hash_, shown.keys) != shown.checks) continue;
      // An honest peer's symbol is empty once its key was recovered. A liar's would show keys again and again.
      if (recovered_.size() == symbols_.size() || !seen_.insert(shown.checks).second)
        throw error(errc::corrupt, "symbols contradict each other: a key would be recovered twice");
      remove(recovered_.emplace_back(known_key{shown.keys, shown.checks, 0, shown.count == 1}));
    }
  }
  [[nodiscard]] std::vector<key_type> of(bool theirs) const {
    std::vector<key_type> some;
    for (auto const& known : recovered_)
      if (known.theirs == theirs) some.push_back(known.key);
    return some;
  }

  siphash hash_;
  std::vector<symbol> symbols_;
  std::vector<known_key> recovered_;
  std::unordered_set<std::uint64_t> seen_;  // checksums of recovered_
  std::vector<symbol_index> candidates_;
  bool done_ = false;
};

}  // namespace hortus::sets
