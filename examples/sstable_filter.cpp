// A sorted table on disk with a filter in it: a lookup of an absent key mostly reads no data block.
//
// `hortus plan -n 100k -p 1%` lists `partitioned` and `bloom` first, the smallest, and then `blocked`, 3 % larger, which reads
// one cache line instead of seven: here the time of a lookup counts.
//
//     [ data block | data block | ... | filter block | footer ]       footer: where the filter block begins and ends
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/io/try_store.hpp>

constexpr std::size_t keys_in_block = 128;

struct footer {
  std::uint64_t keys;
  std::uint64_t filter_begin;
  std::uint64_t filter_end;
};

void write_table(char const* path, std::vector<std::uint64_t> const& sorted) {
  hortus::blocked_filter filter(hortus::budget{.items = sorted.size(), .bits_per_item = 12});
  filter.insert(sorted);
  auto const block = hortus::to_bytes(filter);
  footer const end{sorted.size(), sorted.size() * 8, sorted.size() * 8 + block.size()};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<char const*>(sorted.data()), static_cast<std::streamsize>(sorted.size() * 8));
  file.write(reinterpret_cast<char const*>(block.data()), static_cast<std::streamsize>(block.size()));
  file.write(reinterpret_cast<char const*>(&end), sizeof end);
}

class table {
 public:
  explicit table(char const* path) : file_(path, std::ios::binary) {
    file_.seekg(-static_cast<std::streamoff>(sizeof end_), std::ios::end);
    file_.read(reinterpret_cast<char*>(&end_), sizeof end_);
    filter_bytes_.resize((end_.filter_end - end_.filter_begin) / 8);  // 64-bit words: a view starts on an 8-byte boundary
    file_.seekg(static_cast<std::streamoff>(end_.filter_begin));
    file_.read(reinterpret_cast<char*>(filter_bytes_.data()), static_cast<std::streamsize>(filter_bytes_.size() * 8));
  }
  /// The filter where its bytes lie; damaged ones are an answer, not an exception: then every block is read.
  [[nodiscard]] auto filter() const {
    return hortus::try_view<hortus::blocked_filter>(std::as_bytes(std::span(filter_bytes_)), {.verify = true});
  }
  bool find(std::uint64_t key) {
    std::vector<std::uint64_t> block(keys_in_block);
    std::uint64_t low = 0, high = (end_.keys - 1) / keys_in_block;
    for (;;) {  // a binary search over the blocks
      auto const middle = (low + high + 1) / 2;
      read(middle, block);
      if (block.front() <= key && key <= block.back()) return std::ranges::binary_search(block, key);
      if (low == high) return false;
      if (key < block.front())
        high = middle - 1;
      else
        low = std::min(middle + 1, high);
    }
  }
  [[nodiscard]] std::uint64_t blocks_read() const { return blocks_read_; }

 private:
  void read(std::uint64_t number, std::vector<std::uint64_t>& block) {
    auto const first = number * keys_in_block;
    block.resize(std::min<std::uint64_t>(keys_in_block, end_.keys - first));
    file_.seekg(static_cast<std::streamoff>(first * 8));
    file_.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(block.size() * 8));
    ++blocks_read_;
  }

  std::ifstream file_;
  footer end_{};
  std::vector<std::uint64_t> filter_bytes_;
  std::uint64_t blocks_read_ = 0;
};

int main() {
  std::vector<std::uint64_t> sorted;
  for (std::uint64_t i = 0; i < 100'000; ++i) sorted.push_back(10 * i);
  write_table("orders.table", sorted);

  table orders("orders.table");
  auto const filter = orders.filter();
  if (!filter) return std::fprintf(stderr, "%s\n", filter.message()), 1;
  std::printf("filter block: %zu bytes for %zu keys\n", (*filter)->size_bytes(), sorted.size());

  unsigned found = 0;
  for (std::uint64_t key = 0; key < 1'000'000; key += 101)  // one in ten is there
    if ((*filter)->may_contain(key)) found += orders.find(key) ? 1U : 0U;
  auto const with = orders.blocks_read();
  for (std::uint64_t key = 0; key < 1'000'000; key += 101) (void)orders.find(key);
  std::printf("found %u of 9901 keys; blocks read: %llu with the filter, %llu without\n", found,
              static_cast<unsigned long long>(with), static_cast<unsigned long long>(orders.blocks_read() - with));
}
