#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <hortus/cells/extra_copies.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// A filter that cannot be damaged by wrong erases, for callers who cannot be sure what was inserted. It counts the inserts of
/// every key beside the filter, by digest. erase() of a key that is a false positive, or that was erased before, is refused.
///
/// That costs 20 to 30 bytes a key, and members are then known exactly (but for equal 64-bit digests). It is for tests, for
/// finding the caller that erases too much, and for a filter that is filled in one process and sent to others: filter() is
/// the filter alone, and to save it saves nothing else.
template <class Filter>
class owned;

template <erasable Family, class Hash>
class owned<of_keys<Family, Hash>> {
 public:
  using filter_type = of_keys<Family, Hash>;

  /// The filter must be empty: nobody knows who inserted its keys.
  explicit owned(filter_type filter) : filter_(std::move(filter)) {
    if (filter_.about().items_inserted != 0)
      throw error(errc::bad_params, "a filter that has keys already cannot be owned: insert them through owned");
  }

  /// False: there was no room in the filter, and nothing changed. Throws std::bad_alloc, and changes nothing, without memory.
  template <digestible Key>
  [[nodiscard]] bool insert(Key const& key) {
    auto const x = filter_.digest_of(key).bits();
    copies_.add(x);
    try {
      if constexpr (can_refuse<Family>) {
        if (filter_.insert(key)) return true;
      } else {
        filter_.insert(key);
        return true;
      }
    } catch (...) {
      copies_.take(x);
      throw;
    }
    copies_.take(x);
    return false;
  }
  /// False: the key was not inserted, or erased as often as it was inserted. Nothing changed.
  template <digestible Key>
  bool erase(Key const& key) noexcept(noexcept(filter_.erase(key))) {
    return copies_.take(filter_.digest_of(key).bits()) && filter_.erase(key);
  }
  /// Is the key a member? Exact, where the filter itself says only "perhaps".
  template <digestible Key>
  [[nodiscard]] bool contains(Key const& key) const {
    return copies_.count(filter_.digest_of(key).bits()) != 0;
  }

  [[nodiscard]] filter_type const& filter() const noexcept { return filter_; }
  /// Bytes of the filter and of the counts beside it.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return filter_.size_bytes() + copies_.size_bytes(); }

 private:
  filter_type filter_;
  extra_copies copies_;  // of digests
};

template <class Filter>
owned(Filter) -> owned<Filter>;

}  // namespace hortus
