// A lock that is kept while the file is replaced.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <hortus/any/any_filter.hpp>
#include <hortus/io/locked_file.hpp>

#include "io/scratch_folder.hpp"

namespace hortus::testing {
namespace {

any_filter sample() { return make_filter("bloom", {.items = 1000, .fpr = 1e-9, .settings = {}}); }

[[noreturn]] void give_up() { throw std::runtime_error("held elsewhere"); }

bool is_free(std::filesystem::path const& path) try {
  file_lock const lock(path, give_up);
  return true;
} catch (std::runtime_error const&) {
  return false;
}

TEST(locked_file, is_locked_before_and_after_it_was_replaced) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  auto filter = sample();
  save(filter, path);
  {
    locked_file file(path, give_up);
    EXPECT_FALSE(is_free(path));
    for (int i = 0; i < 3; ++i) {
      (void)filter.insert(i);
      file.replace(image_of(filter));
      EXPECT_FALSE(is_free(path)) << i;
      EXPECT_TRUE(load(path).may_contain(i));
    }
  }
  EXPECT_TRUE(is_free(path));
}

/// Several cycles of load, several replaces; none gets between the replaces of another, so no key is lost.
TEST(locked_file, of_keys_saved_piece_by_piece_by_several_none_is_lost) {
  constexpr int threads = 4;
  constexpr int rounds = 10;
  constexpr int pieces = 3;
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  auto const work = [&](int who) {
    for (int round = 0; round < rounds; ++round) {
      locked_file file(path, [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
      auto filter = load(path);
      for (int piece = 0; piece < pieces; ++piece) {
        (void)filter.insert((who * rounds + round) * pieces + piece);
        file.replace(image_of(filter));
      }
    }
  };
  std::vector<std::thread> all;
  all.reserve(threads);
  for (int who = 0; who < threads; ++who) all.emplace_back(work, who);
  for (auto& one : all) one.join();
  auto const filter = load(path);
  int missing = 0;
  for (int key = 0; key < threads * rounds * pieces; ++key) missing += filter.may_contain(key) ? 0 : 1;
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(filter.about().items_inserted, std::uint64_t{threads * rounds * pieces});
}

TEST(locked_file, stays_locked_and_as_it_was_when_it_cannot_be_replaced) {
  scratch_folder const folder;
  auto const path = folder / "filter";
  save(sample(), path);
  locked_file file(path, give_up);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THROW(file.replace(image_of(sample())), error);
  std::filesystem::remove(path);
  file.replace(image_of(sample()));
  EXPECT_FALSE(is_free(path));
}

}  // namespace
}  // namespace hortus::testing
