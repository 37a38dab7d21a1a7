#include <hortus/io/stored_records.hpp>

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
void all_bytes(char const* doing, auto act, int file, auto* records, std::uint64_t count, std::uint64_t first) {
  auto* at = reinterpret_cast<std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(records)>>, char const, char>*>(
      records);
  auto bytes = count * sizeof *records;
  auto offset = static_cast<off_t>(first * sizeof *records);
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

template <class Record>
stored_records<Record>::stored_records(std::uint64_t memory_bytes)
    // Half of the memory: a vector that grows has up to twice the room it needs.
    : most_held_(std::max<std::uint64_t>(memory_bytes / 2 / sizeof(Record), partitions)), counts_(1U << log2_counts) {}

template <class Record>
stored_records<Record>::~stored_records() {
  if (file_ >= 0) ::close(file_);
}

template <class Record>
void stored_records<Record>::add(std::span<Record const> some) {
  for (auto const& each : some) all_[word_of(each) >> (64 - log2_partitions)].held.push_back(each);
  held_ += some.size();
  added_ += some.size();
  if (held_ > most_held_) write_all_held();
}

template <class Record>
void stored_records<Record>::write_all_held() {
  if (file_ < 0) file_ = open_temporary_file();
  for (auto& its : all_) {
    if (its.held.empty()) continue;
    its.in_file.push_back({file_records_, its.held.size()});
    all_bytes("write", ::pwrite, file_, std::as_const(its.held).data(), its.held.size(), file_records_);
    file_records_ += its.held.size();
    its.held.clear();
  }
  held_ = 0;
}

template <class Record>
void stored_records<Record>::sort(part_loop const& for_each) {
  if (in_file()) {
    write_all_held();
    for (auto& its : all_) std::vector<Record>().swap(its.held);
  }
  for_each(partitions, [&](std::uint64_t index) { sort_partition(index); });
  distinct_ = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

/// What was in the file is written back to the same places; duplicates leave some unused.
template <class Record>
void stored_records<Record>::sort_partition(std::size_t index) {
  auto& its = all_[index];
  std::vector<Record> from_file;
  auto& records = in_file() ? from_file : its.held;
  if (in_file()) {
    for (auto const& each : its.in_file) records.resize(records.size() + each.count);
    transfer(its.in_file, 0, std::span(records),
             [&](auto* some, auto count, auto first) { all_bytes("read", ::pread, file_, some, count, first); });
  }
  records.resize(sort_distinct(std::span(records)));
  for (auto const& each : records) ++counts_[word_of(each) >> (64 - log2_counts)];  // no other partition has these counts
  if (in_file())
    transfer(its.in_file, 0, std::span(std::as_const(records)),
             [&](auto* some, auto count, auto first) { all_bytes("write", ::pwrite, file_, some, count, first); });
}

/// Calls one(records, count, place in the file) for each stretch of the partition that holds some of its records from `from`
/// on.
template <class Record>
void stored_records<Record>::transfer(std::vector<stretch> const& places, std::uint64_t from, auto records, auto one) const {
  for (auto const& each : places) {
    auto const skipped = std::min(from, each.count);
    auto const count = std::min<std::uint64_t>(each.count - skipped, records.size());
    if (count != 0) one(records.data(), count, each.first + skipped);
    from -= skipped;
    records = records.subspan(count);
  }
}

template <class Record>
std::vector<std::uint64_t> stored_records<Record>::sizes(word_parts parts) const {
  if (parts.log2 > log2_counts) throw error(errc::unsupported, "a filter built from a file has at most 2^16 parts");
  std::vector<std::uint64_t> sizes(parts.count());
  for (std::size_t i = 0; i < counts_.size(); ++i) sizes[i >> (log2_counts - parts.log2)] += counts_[i];
  return sizes;
}

template <class Record>
void stored_records<Record>::read(partition const& its, std::uint64_t from, std::uint64_t count,
                                  std::vector<Record>& out) const {
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
template <class Record>
std::vector<Record> stored_records<Record>::of_part(word_parts parts, std::uint64_t part) const {
  auto const count_of = [&](std::uint64_t begin, std::uint64_t end) {  // of counts_
    return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(begin),
                           counts_.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
  };
  constexpr std::uint64_t counts_per_partition = std::uint64_t{1} << (log2_counts - log2_partitions);
  auto const counts_per_part = std::uint64_t{1} << (log2_counts - parts.log2);
  auto const begin = part * counts_per_part, end = begin + counts_per_part;
  std::vector<Record> out;
  out.reserve(count_of(begin, end));
  for (auto index = begin / counts_per_partition; index * counts_per_partition < end; ++index) {
    auto const first = index * counts_per_partition;
    auto const from = std::max(begin, first), to = std::min(end, first + counts_per_partition);
    read(all_[index], count_of(first, from), count_of(from, to), out);
  }
  return out;
}

template class stored_records<std::uint64_t>;
template class stored_records<map_entry>;

}  // namespace hortus
