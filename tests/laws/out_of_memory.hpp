#pragma once
#include <new>
#include <optional>

#include <hortus/cells/memory_source.hpp>

#include "laws/support.hpp"

/// What happens when memory runs out. tests/front/memory_source_test.cpp asks the same of families chosen at run time.
namespace hortus::testing {

/// While it lives, filters get so many blocks of memory as it is told, and then once none.
class limited_memory {
 public:
  limited_memory() { set_memory_source({allocate, release}); }
  ~limited_memory() {
    left_ = unlimited;
    set_memory_source(default_memory_source());
  }
  limited_memory(limited_memory const&) = delete;
  limited_memory& operator=(limited_memory const&) = delete;
  static void give(std::size_t blocks) { left_ = blocks; }
  static constexpr std::size_t unlimited = ~std::size_t{0};

 private:
  static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (left_ != unlimited && left_-- == 0) return left_ = unlimited, nullptr;
    return default_memory_source().allocate(bytes, alignment);
  }
  static void release(void* block, std::size_t bytes, std::size_t alignment) noexcept {
    default_memory_source().release(block, bytes, alignment);
  }
  static inline std::size_t left_ = unlimited;
};

/// act() fails for want of its first block, its second and so on, until it has them all: f is as it was after each. Returns how
/// often it failed.
template <class Filter, class Act>
std::size_t failures_without_memory(Filter& f, Act act) {
  for (std::size_t blocks = 0;; ++blocks) {
    auto const before = to_bytes(f);
    limited_memory::give(blocks);
    try {
      act();
    } catch (std::bad_alloc const&) {
      EXPECT_EQ(to_bytes(f), before);
      continue;
    }
    limited_memory::give(limited_memory::unlimited);
    return blocks;
  }
}

/// Keys more than planned for, and some of them often: stages and levels are added, and counters outgrow their cells.
template <class F>
of_keys<F> overfilled(std::uint64_t planned) {
  auto all = keys<random_keys>(0, 6 * planned);
  for (std::uint64_t i = 0; i < 40 * planned; ++i) all.push_back(random_keys::make(i % (planned / 4 + 1)));
  if constexpr (buildable<F>) {
    return of_keys<F>::build(all, goal_for<F>(planned));
  } else {
    of_keys<F> f(goal_for<F>(planned));
    (void)f.insert(all);
    return f;
  }
}

template <class F>
void without_memory_a_filter_stays_as_it_was() {
  limited_memory const source;
  auto f = filled<F>(10);
  auto other = overfilled<F>(20);
  std::optional<of_keys<F>> copy;
  EXPECT_GT(failures_without_memory(f, [&] { copy.emplace(f); }), 0U);
  EXPECT_GT(failures_without_memory(other, [&] { other = f; }), 0U);
  EXPECT_EQ(other, f);
  if constexpr (insertable<F>)
    for (std::uint64_t i = 0; i < 60; ++i) failures_without_memory(f, [&] { (void)f.insert(random_keys::make(i % 40)); });
  if constexpr (mergeable<F>) failures_without_memory(*copy, [&] { copy->merge(*copy); });
  if constexpr (foldable<F>) failures_without_memory(f, [&] { f.fold(f.family().fold_width()); });
  if constexpr (growable<F>) failures_without_memory(f, [&] { f.grow(); });
}

template <class F>
void register_out_of_memory_laws() {
  HORTUS_LAW(without_memory_a_filter_stays_as_it_was);
}

}  // namespace hortus::testing
