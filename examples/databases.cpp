// The snippets of docs/databases.md, in a program that is compiled and run.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/concurrent.hpp>
#include <hortus/io/try_store.hpp>
#include <hortus/sketch/count_min.hpp>

namespace {

std::size_t bytes_out = 0;  // what filters hold now

void* take_counted(std::size_t bytes, std::size_t alignment) noexcept {
  void* block = nullptr;
  if (::posix_memalign(&block, std::max(alignment, sizeof(void*)), bytes) != 0) return nullptr;
  bytes_out += bytes;
  return std::fill_n(static_cast<char*>(block), bytes, 0), block;
}
void give_back(void* block, std::size_t bytes, std::size_t) noexcept {
  bytes_out -= bytes;
  std::free(block);
}

std::vector<std::uint64_t> column_of_hashes(std::uint64_t from, std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (auto& hash : hashes) hash = hortus::mix64(++from);
  return hashes;
}

}  // namespace

int main() {
  auto const hashes = column_of_hashes(0, 1000);
  auto const probes = column_of_hashes(500, 1000);
  hortus::set_memory_source({take_counted, give_back});

  hortus::blocked_filter filter(hortus::budget{.items = hashes.size(), .bits_per_item = 10});
  filter.insert(hortus::as_digests(hashes));  // no copy, no second hash
  std::printf("%zu bytes of cells, %zu bytes in all\n", filter.size_bytes(), bytes_out);

  std::array<std::uint64_t, hortus::mask_words(1000)> mask;
  filter.may_contain(hortus::as_digests(probes), mask);  // bit i % 64 of word i / 64
  std::array<std::uint32_t, 1000> rows;
  std::size_t const selected = filter.select(hortus::as_digests(probes), rows);
  std::printf("%zu rows of 1000 selected\n", selected);

  auto const block = hortus::to_bytes(filter);
  if (auto const read = hortus::try_view<hortus::blocked_filter>(block))
    std::printf("a view of %zu bytes finds %zu rows\n", block.size(), (*read)->select(hortus::as_digests(probes), rows));
  else
    std::printf("%s\n", read.message());
  auto const cut = hortus::try_from_bytes<hortus::blocked_filter>(std::span(block).first(100));
  if (cut.code() == hortus::errc::corrupt) std::printf("cut off: %s\n", cut.message());

  hortus::count_min_sketch sales({.items = 1000, .fpr = 0.01});
  sales.insert("apples", 12);  // as twelve inserts
  std::printf("apples: %llu\n", static_cast<unsigned long long>(sales.count("apples")));

  hortus::concurrent shared(std::move(filter));
  shared.insert(hortus::as_digests(probes));             // in any thread, while others
  shared.may_contain(hortus::as_digests(probes), mask);  // look up
}
