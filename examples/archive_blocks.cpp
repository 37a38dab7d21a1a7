// Duplicate blocks of an archive: before a block is stored, its fingerprint is looked up in the index on disk. A filter in
// memory says which blocks are certainly new, and for those the index is not read.
//
// Blocks come in any number and are never removed: `hortus plan -p 0.1% --need insert` recommends `expandable`, which
// grows and keeps its rate, and then `scalable`. A false positive costs one read of the index. A filter never says "new" of a
// stored block, so that no block is stored twice; and "seen" is only a reason to look, so that no block is lost.
//
//   example_archive_blocks [BLOCKS | FOLDER]     made-up backups of a week; or the files of a folder, in blocks of 512 bytes
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/growing/expandable.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/io/store.hpp>

// The archive: fingerprint to place. It counts how often it is read; on a disk each read is a seek.
struct index_on_disk {
  std::unordered_map<std::uint64_t, std::uint64_t> places;
  std::uint64_t reads = 0;
  bool has(std::uint64_t fingerprint) { return ++reads, places.contains(fingerprint); }
};

using fingerprints = std::vector<std::uint64_t>;

// Seven backups. Each has mostly the blocks of the day before, in the same order.
std::vector<fingerprints> made_up(std::uint64_t blocks) {
  std::vector<fingerprints> days(7);
  for (std::uint64_t day = 0; day < days.size(); ++day)
    for (std::uint64_t i = 0; i < blocks / days.size(); ++i) {
      bool const changed = hortus::mix64(day * 1'000'003 + i) % 10 == 0;
      days[day].push_back(hortus::mix64(changed ? day << 40 | i : i));
    }
  return days;
}
// The files of a folder, a block every 512 bytes.
std::vector<fingerprints> of_folder(std::filesystem::path const& folder) {
  fingerprints all;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::vector<char> const bytes((std::istreambuf_iterator<char>(in)), {});
    for (std::span<char const> rest = bytes; !rest.empty(); rest = rest.subspan(std::min<std::size_t>(rest.size(), 512)))
      all.push_back(hortus::xxh3().of_bytes(std::as_bytes(rest.first(std::min<std::size_t>(rest.size(), 512)))).bits());
  }
  return {all};
}

template <class Filter>
void back_up(char const* name, Filter seen, std::vector<fingerprints> const& days) {
  index_on_disk index;
  std::uint64_t fresh = 0, duplicates = 0, stored_twice = 0, needless = 0;
  for (auto const& day : days) {
    for (auto const fingerprint : day) {
      bool const certainly_new = !seen.may_contain(fingerprint);
      if (certainly_new) (void)seen.insert(fingerprint);  // once: a family that erases keeps a copy of every insert
      bool const stored = !certainly_new && index.has(fingerprint);
      if (stored) {
        ++duplicates;
        continue;
      }
      needless += certainly_new ? 0U : 1U;
      stored_twice += index.places.emplace(fingerprint, fresh).second ? 0U : 1U;
      ++fresh;
    }
    seen = hortus::from_bytes<Filter>(hortus::to_bytes(seen));  // the next day, after a restart
  }
  std::printf(
      "%-34s %8zu bytes  %7llu new, %7llu duplicates; index reads: %7llu, needless %6llu (%.2f %%); stored twice: %llu\n", name,
      seen.size_bytes(), static_cast<unsigned long long>(fresh), static_cast<unsigned long long>(duplicates),
      static_cast<unsigned long long>(index.reads), static_cast<unsigned long long>(needless),
      100.0 * static_cast<double>(needless) / static_cast<double>(fresh), static_cast<unsigned long long>(stored_twice));
}

int main(int argc, char** argv) {
  bool const folder = argc > 1 && std::filesystem::is_directory(argv[1]);
  auto const days = folder ? of_folder(argv[1]) : made_up(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 400'000);
  std::size_t blocks = 0;
  std::unordered_set<std::uint64_t> distinct;
  for (auto const& day : days) {
    blocks += day.size();
    distinct.insert(day.begin(), day.end());
  }
  std::printf("%zu blocks; without a filter every one reads the index\n", blocks);
  back_up("expandable at 0.1 %, from 10,000", hortus::expandable_filter({.items = 10'000, .fpr = 0.001}), days);
  back_up("scalable at 0.1 %, from 10,000", hortus::scalable_filter({.items = 10'000, .fpr = 0.001}), days);
  for (double const bits : {6.0, 10.0, 14.4})
    back_up(("bloom, " + std::to_string(bits).substr(0, 4) + " bits a block, planned").c_str(),
            hortus::bloom_filter(hortus::budget{.items = distinct.size(), .bits_per_item = bits}), days);
  back_up("bloom, planned for a quarter", hortus::bloom_filter({.items = distinct.size() / 4 + 1, .fpr = 0.001}), days);
}
