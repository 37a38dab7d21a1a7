// Posts already shown: each user has a filter of the last thousand posts, and none of those is shown again.
//
// Old posts may come back, so the filter forgets: `hortus plan -n 1000 -p 1% --need advance` recommends `age_partitioned`. A
// false positive withholds a post that was never shown; a missed one shows a post twice, which `age_partitioned` never does.
// `stable` misses some, and a filter that never forgets fills up.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include <hortus/aging/age_partitioned.hpp>
#include <hortus/aging/stable.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/hash/mix64.hpp>

constexpr std::uint64_t window = 1'000, offered = 200'000;

// The feed of a user: a post that is new, or one from the past, the recent ones more often.
std::uint64_t post(std::uint64_t i) {
  auto const random = hortus::mix64(i);
  if (random % 3 != 0) return i;
  auto const back = hortus::mix64(random) % (1 + hortus::mix64(random + 1) % 5'000);
  return i > back ? i - back : i;
}

// What was shown lately, exactly.
class last_posts {
 public:
  [[nodiscard]] bool contains(std::uint64_t post) const { return times_.contains(post); }
  void insert(std::uint64_t post) {
    posts_.push_back(post);
    ++times_[post];
    if (posts_.size() <= window) return;
    if (--times_[posts_.front()] == 0) times_.erase(posts_.front());
    posts_.pop_front();
  }

 private:
  std::deque<std::uint64_t> posts_;
  std::unordered_map<std::uint64_t, unsigned> times_;
};

template <class Filter>
void serve(char const* name, Filter shown) {
  last_posts lately;
  std::unordered_set<std::uint64_t> ever;
  std::uint64_t repeats = 0, shown_twice = 0, fresh = 0, withheld = 0, late = 0, late_withheld = 0;
  for (std::uint64_t i = 0; i < offered; ++i) {
    auto const it = post(i);
    bool const skip = shown.may_contain(it);
    if (lately.contains(it)) {
      ++repeats;
      shown_twice += skip ? 0U : 1U;
    } else if (!ever.contains(it)) {  // older ones may be shown again or not
      ++fresh;
      withheld += skip ? 1U : 0U;
      late += i >= offered / 2 ? 1U : 0U;
      late_withheld += skip && i >= offered / 2 ? 1U : 0U;
    }
    if (skip) continue;
    (void)shown.insert_if_new(it);
    lately.insert(it);
    ever.insert(it);
  }
  auto const share = [](std::uint64_t part, std::uint64_t all) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  std::printf(
      "%-16s %5zu bytes a user; shown twice: %3llu of %5llu repeats; new, but withheld: %6.2f %%, in the second half %6.2f "
      "%%\n",
      name, shown.size_bytes(), static_cast<unsigned long long>(shown_twice), static_cast<unsigned long long>(repeats),
      share(withheld, fresh), share(late_withheld, late));
}

int main() {
  serve("age_partitioned", hortus::age_partitioned_filter({.items = window, .fpr = 0.01}));
  serve("stable", hortus::stable_filter({.items = window, .fpr = 0.01}));
  serve("bloom", hortus::bloom_filter({.items = window, .fpr = 0.01}));
  std::printf("as a list: %llu bytes a user, 8 for a post\n", 8 * static_cast<unsigned long long>(window));
}
