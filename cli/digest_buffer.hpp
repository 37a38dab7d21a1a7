#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include <hortus/digest.hpp>

namespace hortus::cli {

/// Buffers the digests of a stream of unknown length: in memory up to a limit, then in a temporary file that disappears
/// with the process. Takes 8 bytes per key, however long the keys are.
class digest_buffer {
 public:
  explicit digest_buffer(std::uint64_t memory_bytes) : limit_(memory_bytes / sizeof(digest)) {}

  void add(std::span<digest const> xs);
  [[nodiscard]] std::uint64_t size() const noexcept { return spilled_ + held_.size(); }

  /// act(block) for all digests, in order.
  template <class Act>
  void for_each_block(Act act) {
    rewind();
    std::vector<digest> block(std::size_t{1} << 16);
    while (auto const got = read_spilled(block)) act(std::span<digest const>(block).first(got));
    act(std::span<digest const>(held_));
  }
  /// All digests, in order and with duplicates; mapped if some are in the file. Nothing may be added afterwards.
  [[nodiscard]] std::span<digest const> all();

 private:
  struct close_file {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  struct unmap {
    std::size_t bytes;
    void operator()(digest const* first) const noexcept;
  };
  void spill();
  void rewind();
  std::size_t read_spilled(std::span<digest> into);

  std::uint64_t limit_;
  std::vector<digest> held_;
  std::unique_ptr<std::FILE, close_file> file_;
  std::uint64_t spilled_ = 0;
  std::unique_ptr<digest const, unmap> mapped_;
};

}  // namespace hortus::cli
