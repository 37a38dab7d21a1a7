#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hortus/part_source.hpp>

namespace hortus {

/// The words of any number of keys, or the entries of a map, for building a filter of them: in memory up to a limit, then in a
/// temporary file without a name, which disappears with the process.
///
///     add()  ...  add()      deals them to 256 partitions by their first bits; full memory is written to the file
///     sort()                 sorts each partition, and drops duplicates
///     build_from(...)        reads those of each part
///
/// Takes 8 bytes per key, 16 in a map. sort() and of_part() hold one partition per thread in memory, 1/256 of all keys. Keys
/// chosen to share the first bits of their digests make one partition as large as all of them.
template <class Record>
class stored_records : public part_source<Record> {
 public:
  /// Keeps up to memory_bytes in memory. The folder of the file is that of TMPDIR, or else the system's.
  explicit stored_records(std::uint64_t memory_bytes);
  ~stored_records() override;
  stored_records(stored_records const&) = delete;
  stored_records& operator=(stored_records const&) = delete;

  /// Throws errc::io if the file cannot be written. Pre: sort() was not called yet.
  void add(std::span<Record const> some);
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }  ///< with duplicates
  [[nodiscard]] bool in_file() const noexcept { return file_ >= 0; }

  /// Prepares for reading. Throws conflicting_values if two entries have one word. `for_each` is called with the 256
  /// partitions.
  void sort(part_loop const& for_each = one_part_after_the_other);

  /// Pre: sort() was called.
  [[nodiscard]] std::uint64_t size() const noexcept override { return distinct_; }
  /// At most 2^16 parts.
  [[nodiscard]] std::vector<std::uint64_t> sizes(word_parts parts) const override;
  [[nodiscard]] std::vector<Record> of_part(word_parts parts, std::uint64_t part) const override;

 private:
  static constexpr unsigned log2_partitions = 8;
  static constexpr unsigned log2_counts = 16;  // words are counted by their first 16 bits
  static constexpr std::size_t partitions = std::size_t{1} << log2_partitions;

  struct stretch {
    std::uint64_t first;  // record of the file
    std::uint64_t count;
  };
  struct partition {
    std::vector<Record> held;
    std::vector<stretch> in_file;
  };

  void write_all_held();
  void sort_partition(std::size_t index);
  /// `count` records of a partition from `from` on, to the end of `out`. Pre: it was sorted.
  void read(partition const& its, std::uint64_t from, std::uint64_t count, std::vector<Record>& out) const;
  void transfer(std::vector<stretch> const& places, std::uint64_t from, auto records, auto one) const;

  std::uint64_t most_held_;
  std::uint64_t held_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t distinct_ = 0;
  int file_ = -1;
  std::uint64_t file_records_ = 0;
  std::array<partition, partitions> all_;
  std::vector<std::uint64_t> counts_;
};

using stored_words = stored_records<std::uint64_t>;
using stored_entries = stored_records<map_entry>;

}  // namespace hortus
