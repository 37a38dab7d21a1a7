#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// The distinct texts that the values of a map stand for: value i is text i.
///
///     ends    after each text, the bytes of all texts so far, 8 bytes each
///     bytes   the texts, one after the other
class label_table {
 public:
  label_table() = default;  ///< values are numbers
  explicit label_table(std::span<std::string_view const> texts) : texts_(texts.size()), ends_(texts.size() * 8) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      bytes += texts[i].size();
      std::memcpy(ends_.data() + i * 8, &bytes, sizeof bytes);
    }
    bytes_ = memory(bytes);
    auto* to = bytes_.data();
    for (auto const text : texts) {
      if (text.empty()) continue;
      std::memcpy(to, text.data(), text.size());
      to += text.size();
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return texts_; }
  [[nodiscard]] bool empty() const noexcept { return texts_ == 0; }
  /// Can a key have this value? Not if there are texts, but none for it.
  [[nodiscard]] bool allow(std::uint64_t value) const noexcept { return texts_ == 0 || value < texts_; }
  /// The answers to `keys` lookups, without values that no key can have: bit i of hits says whether values[i] was found.
  void drop_unknown(std::size_t keys, std::uint64_t* values, std::uint64_t* hits) const noexcept {
    if (empty()) return;
    for (std::size_t i = 0; i < keys; ++i)
      if (!allow(values[i])) hits[i / 64] &= ~(std::uint64_t{1} << (i % 64)), values[i] = 0;
  }
  /// The text of a value; the empty text for a value that has none.
  [[nodiscard]] std::string_view operator[](std::uint64_t i) const noexcept {
    if (i >= texts_) return {};
    auto const first = i == 0 ? 0 : end(i - 1);
    return {reinterpret_cast<char const*>(bytes_.data()) + first, end(i) - first};
  }
  void clear() noexcept { *this = label_table(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return ends_.size() + bytes_.size(); }
  bool operator==(label_table const&) const = default;

  static void fields(auto& self, auto& io) { io(self.texts_, self.ends_, self.bytes_); }
  [[nodiscard]] bool valid() const noexcept {
    if (texts_ > ends_.size() || ends_.size() != texts_ * 8) return false;
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < texts_; ++i) {
      if (end(i) < before) return false;
      before = end(i);
    }
    return before == bytes_.size();
  }

 private:
  [[nodiscard]] std::uint64_t end(std::uint64_t i) const noexcept {
    std::uint64_t at = 0;
    std::memcpy(&at, ends_.data() + i * 8, sizeof at);
    return at;
  }

  std::uint64_t texts_ = 0;
  memory ends_;
  memory bytes_;
};

}  // namespace hortus
