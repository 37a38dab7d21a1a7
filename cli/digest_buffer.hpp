#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include <hortus/digest.hpp>

namespace hortus::cli {

/// The digests of a stream whose length nobody knows, kept until it ends: in memory up to a limit, then in a temporary file
/// that is gone with the process. 8 bytes a key, however long the keys are.
class digest_buffer {
 public:
  explicit digest_buffer(std::uint64_t memory_bytes) : limit_(memory_bytes / sizeof(digest)) {}

  void add(std::span<digest const> xs);
  [[nodiscard]] std::uint64_t size() const noexcept { return spilled_ + held_.size(); }

  /// act(block) for all of them, in order.
  template <class Act>
  void for_each_block(Act act) {
    rewind();
    std::vector<digest> block(std::size_t{1} << 16);
    while (auto const got = read_spilled(block)) act(std::span<digest const>(block).first(got));
    act(std::span<digest const>(held_));
  }
  /// All of them, in order and with repetitions: where some are in the file, mapped from there. Nothing may be added after.
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
