#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <string>
#include <vector>

#include <hortus/io/store.hpp>
#include <hortus/of_keys.hpp>

#include "code_of.hpp"
#include "key_sets.hpp"
#include "sanitizers.hpp"
#include "statistics.hpp"

/// What the laws share: filters to try them on, small models, and how a law becomes a test.
namespace hortus::testing {

/// From nothing to a million: small and odd sizes are where formulas and loops break.
inline std::vector<std::uint64_t> sizes() {
  return sanitized ? std::vector<std::uint64_t>{0, 1, 2, 7, 1000, 100'000}
                   : std::vector<std::uint64_t>{0, 1, 2, 7, 1000, 100'000, 1'000'000};
}

template <family F>
typename F::goal goal_for(std::uint64_t items, double fpr = 0.01) {
  typename F::goal goal;
  goal.items = items;
  goal.fpr = fpr;
  return goal;
}

/// Inserts keys that there is room for.
template <family F, class Keys>
void fill(of_keys<F>& f, Keys const& keys) {
  EXPECT_EQ(f.insert(keys), std::ranges::size(keys));
}

/// A filter of `items` keys, planned for them: filled in one batch, or built.
template <family F, class Keys = random_keys>
of_keys<F> filled(std::uint64_t items, std::uint64_t from = 0, double fpr = 0.01) {
  if constexpr (buildable<F>) {
    return of_keys<F>::build(keys<Keys>(from, items), goal_for<F>(items, fpr));
  } else {
    of_keys<F> f(goal_for<F>(items, fpr));
    EXPECT_EQ(f.insert(keys<Keys>(from, items)), items);
    return f;
  }
}

/// A file that is gone when the test is over.
class scratch_file {
 public:
  scratch_file() : path_(std::filesystem::temp_directory_path() / ("hortus_law_" + std::to_string(::getpid()))) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What the family itself keeps, without the front's count of insert calls.
template <family F>
std::vector<std::byte> own_bytes(of_keys<F> const& f) {
  return to_bytes(of_keys<F>(f.family()));
}

/// How far a family counts: to 2^w - 1 with w-bit cells, say. Found out with a lone key, up to a thousand.
template <countable F>
std::uint64_t most_counted() {
  of_keys<F> f(goal_for<F>(10));
  std::uint64_t most = 0;
  while (most < 1000) {
    (void)f.insert(7);
    if (f.count(7) != static_cast<count_type<F>>(most + 1)) break;
    ++most;
  }
  return most;
}

/// Inserts a key; did it go in?
template <family F, class Key>
bool insert_key(of_keys<F>& f, Key const& key) {
  if constexpr (std::is_void_v<decltype(f.insert(key))>)
    return f.insert(key), true;
  else
    return f.insert(key);
}

/// Not certainly absent: found, or where there is no may_contain counted. Where counts may be too low nothing is certain.
template <family F, class Key>
bool perhaps_there(of_keys<F> const& f, Key const& key) {
  if constexpr (membership<F>)
    return f.may_contain(key);
  else if constexpr (never_undercounts<F>)
    return f.count(key) != 0;
  else
    return true;
}

/// Numbers that look random and are the same everywhere, below `range`.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()(std::uint64_t range) { return mix64(state_ += golden_ratio64) % range; }

 private:
  std::uint64_t state_;
};

/// So many of these keys, numbers below `range` often and small ones very often.
inline std::vector<std::uint64_t> repeated_keys(std::uint64_t count, std::uint64_t range) {
  std::vector<std::uint64_t> all;
  for (numbers draw(range); all.size() < count;) all.push_back(random_keys::make(draw(1 + draw(range))));
  return all;
}

/// Does a family that forgets by age miss keys of its window too, with a chance that it tells?
template <family F>
constexpr bool misses_in_window() {
  return forgetting<F> && requires(typename F::params p) { F::planned_fnr(p, 1U); };
}

/// A window beside a filter that forgets by age: the last `items` distinct keys, and the one before them. With so many distinct
/// others after it, a key is as old as one may be to be remembered.
class window_model {
 public:
  explicit window_model(std::uint64_t items) : items_(items) {}
  void insert(std::uint64_t key) {
    std::erase(keys_, key);
    keys_.push_front(key);
    if (keys_.size() > items_ + 1) keys_.pop_back();
  }
  [[nodiscard]] std::deque<std::uint64_t> const& keys() const { return keys_; }  ///< youngest first

 private:
  std::uint64_t items_;
  std::deque<std::uint64_t> keys_;
};

/// A law as a test of its own, called FAMILY.law. Laws are function templates with a requires clause: one that asks for a verb
/// that F lacks is not there for F, so no test passes by doing nothing.
class law_test : public ::testing::Test {
 public:
  explicit law_test(void (*law)()) : law_(law) {}
  void TestBody() override { law_(); }

 private:
  void (*law_)();
};

template <class F>
void register_law(char const* name, void (*law)()) {
  auto const suite = "laws_of_" + std::string(F::name);
  ::testing::RegisterTest(suite.c_str(), name, nullptr, nullptr, __FILE__, __LINE__,
                          [law]() -> ::testing::Test* { return new law_test(law); });  // NOLINT: GoogleTest deletes it
}
#define HORTUS_LAW(law) \
  if constexpr (requires { law<F>(); }) register_law<F>(#law, law<F>)

}  // namespace hortus::testing
