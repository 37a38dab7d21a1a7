#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hortus::bench {

/// Copies of texts, contiguous and in the order of use. A text at a random address costs a cache miss before the filter is
/// read. Hits drawn at random from the members took up to ten times as long as misses in memory order, for no reason in the
/// filter. So inserts, hits and misses all read their texts in memory order, which the processor prefetches, and only
/// hashing and the filter are measured.
class packed_texts {
 public:
  explicit packed_texts(std::span<std::string_view const> texts) {
    std::size_t size = 0;
    for (auto const text : texts) size += text.size();
    bytes_.reserve(size);  // so that the views stay valid
    texts_.reserve(texts.size());
    for (auto const text : texts) {
      texts_.emplace_back(bytes_.data() + bytes_.size(), text.size());
      bytes_ += text;
    }
  }
  packed_texts(packed_texts const&) = delete;
  packed_texts& operator=(packed_texts const&) = delete;

  [[nodiscard]] std::span<std::string_view const> texts() const { return texts_; }

 private:
  std::string bytes_;
  std::vector<std::string_view> texts_;
};

}  // namespace hortus::bench
