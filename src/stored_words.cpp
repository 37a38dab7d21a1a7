#include <hortus/io/stored_words.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <type_traits>
#include <utility>

#include <hortus/cells/distinct_words.hpp>
#include <hortus/error.hpp>
#include <hortus/io/temporary_file.hpp>

namespace hortus {
namespace {

/// Writes or reads all bytes: act is ::pwrite or ::pread.
void all_bytes(char const* doing, auto act, int file, auto* words, std::uint64_t count, std::uint64_t first) {
  auto* at =
      reinterpret_cast<std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(words)>>, char const, char>*>(words);
  auto bytes = count * sizeof(std::uint64_t);
  auto offset = static_cast<off_t>(first * sizeof(std::uint64_t));
  while (bytes != 0) {
    auto const done = act(file, at, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) temporary_file_failed(doing, done < 0 ? errno : EIO);
    at += done;
    offset += done;
    bytes -= static_cast<std::uint64_t>(done);
  }
}

}  // namespace

stored_words::stored_words(std::uint64_t memory_bytes)
    // Half of the memory: a vector that grows has up to twice the room it needs.
    : most_held_(std::max<std::uint64_t>(memory_bytes / 2 / sizeof(std::uint64_t), partitions)), counts_(1U << log2_counts) {}

stored_words::~stored_words() {
  if (file_ >= 0) ::close(file_);
}

void stored_words::add(std::span<digest const> xs) {
  for (auto const x : xs) all_[x.bits() >> (64 - log2_partitions)].held.push_back(x.bits());
  held_ += xs.size();
  added_ += xs.size();
  if (held_ > most_held_) write_all_held();
}

void stored_words::write_all_held() {
  if (file_ < 0) file_ = open_temporary_file();
  for (auto& its : all_) {
    if (its.held.empty()) continue;
    its.in_file.push_back({file_words_, its.held.size()});
    all_bytes("write", ::pwrite, file_, std::as_const(its.held).data(), its.held.size(), file_words_);
    file_words_ += its.held.size();
    its.held.clear();
  }
  held_ = 0;
}

void stored_words::sort(part_loop const& for_each) {
  if (in_file()) {
    write_all_held();
    for (auto& its : all_) std::vector<std::uint64_t>().swap(its.held);
  }
  for_each(partitions, [&](std::uint64_t index) { sort_partition(index); });
  distinct_ = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

/// What was in the file is written back to the same places; duplicates leave some unused.
void stored_words::sort_partition(std::size_t index) {
  auto& its = all_[index];
  std::vector<std::uint64_t> from_file;
  auto& words = in_file() ? from_file : its.held;
  if (in_file()) {
    for (auto const& each : its.in_file) words.resize(words.size() + each.words);
    transfer(its.in_file, 0, std::span(words),
             [&](auto* some, auto count, auto first) { all_bytes("read", ::pread, file_, some, count, first); });
  }
  words.resize(sort_distinct(words));
  for (auto const word : words) ++counts_[word >> (64 - log2_counts)];  // no other partition has these counts
  if (in_file())
    transfer(its.in_file, 0, std::span(std::as_const(words)),
             [&](auto* some, auto count, auto first) { all_bytes("write", ::pwrite, file_, some, count, first); });
}

/// Calls one(words, count, place in the file) for each stretch of the partition that holds some of its words from `from` on.
template <class Word, class Transfer>
void stored_words::transfer(std::vector<stretch> const& places, std::uint64_t from, std::span<Word> words, Transfer one) const {
  for (auto const& each : places) {
    auto const skipped = std::min(from, each.words);
    auto const count = std::min<std::uint64_t>(each.words - skipped, words.size());
    if (count != 0) one(words.data(), count, each.first + skipped);
    from -= skipped;
    words = words.subspan(count);
  }
}

std::vector<std::uint64_t> stored_words::sizes(word_parts parts) const {
  if (parts.log2 > log2_counts) throw error(errc::unsupported, "a filter built from a file has at most 2^16 parts");
  std::vector<std::uint64_t> sizes(parts.count());
  for (std::size_t i = 0; i < counts_.size(); ++i) sizes[i >> (log2_counts - parts.log2)] += counts_[i];
  return sizes;
}

void stored_words::read(partition const& its, std::uint64_t from, std::uint64_t count, std::vector<std::uint64_t>& out) const {
  auto const at = out.size();
  if (!in_file()) {
    auto const first = its.held.begin() + static_cast<std::ptrdiff_t>(from);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(count));
    return;
  }
  out.resize(at + count);
  transfer(its.in_file, from, std::span(out).subspan(at),
           [&](auto* some, auto number, auto first) { all_bytes("read", ::pread, file_, some, number, first); });
}

/// A part is several partitions, or a stretch of one.
std::vector<std::uint64_t> stored_words::words(word_parts parts, std::uint64_t part) const {
  auto const count_of = [&](std::uint64_t begin, std::uint64_t end) {  // of counts_
    return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(begin),
                           counts_.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
  };
  constexpr std::uint64_t counts_per_partition = std::uint64_t{1} << (log2_counts - log2_partitions);
  auto const counts_per_part = std::uint64_t{1} << (log2_counts - parts.log2);
  auto const begin = part * counts_per_part, end = begin + counts_per_part;
  std::vector<std::uint64_t> out;
  out.reserve(count_of(begin, end));
  for (auto index = begin / counts_per_partition; index * counts_per_partition < end; ++index) {
    auto const first = index * counts_per_partition;
    auto const from = std::max(begin, first), to = std::min(end, first + counts_per_partition);
    read(all_[index], count_of(first, from), count_of(from, to), out);
  }
  return out;
}

}  // namespace hortus
