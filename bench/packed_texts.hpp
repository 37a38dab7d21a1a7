#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hortus::bench {

/// Copies of texts, one behind the other in the order in which they will be used. A text that lies anywhere in memory costs a
/// cache miss of its own before the filter is asked: hits drawn at random from the members took up to ten times as long as
/// misses that lay in order, and none of that was the filter. So inserts, hits and misses all read their texts in order, which
/// the processor prefetches, and what is left is hashing and the filter.
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
