#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/redis/filter.hpp>

#include "cli/text/records.hpp"

namespace hortus::cli {

/// Lines that were read, kept until the servers have answered.
class kept_lines {
 public:
  void add(record_block const& block, bool with_keys);
  [[nodiscard]] std::size_t size() const noexcept { return lines_; }
  /// act(block, number of its first line among the keys of the batch) for each block; one without keys has none.
  void for_each_block(std::function<void(record_block const&, std::size_t)> const& act) const;

 private:
  struct kept_block {
    record_block::kind what;
    std::size_t first;  // in texts_
    std::size_t lines;
    std::size_t first_key;     // in keys_; npos: none were kept
    std::size_t asked_before;  // keys of the blocks before
    std::string input;
    std::uint64_t first_line;
  };
  /// Texts are kept as offsets, because the string that holds them moves when it grows.
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<kept_block> blocks_;
  std::size_t lines_ = 0;
  std::size_t asked_ = 0;
};

/// Reads lines, asks servers about their keys in batches, a few of which are under way at a time, and gives lines and answers
/// in order. From a pipe or a terminal, lines are answered as they come.
class line_batches {
 public:
  struct options {
    verb what = verb::may_contain;
    bool keep_lines = true;  ///< else `show` gets blocks without lines, which is faster
    bool keep_keys = false;  ///< for JSON
  };
  using show = std::function<bool(kept_lines const& lines, redis::answers const& found)>;

  line_batches(redis::filter& from, record_reader& in, options how) : from_(from), in_(in), how_(how) {}

  /// Calls show(lines, answers) for each batch until it returns false. `progress` is called with the bytes that were read.
  void run(show const& show_lines, std::function<void(std::uint64_t)> const& progress);

 private:
  struct under_way {
    kept_lines lines;
    redis::batch asked;
    std::uint64_t bytes_read = 0;
  };
  [[nodiscard]] bool read(under_way& into);

  redis::filter& from_;
  record_reader& in_;
  options how_;
};

}  // namespace hortus::cli
