#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/near/metric.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus {

/// Jaccard distance of sets: 1 - |A and B| / |A or B|. The set of a text is that of its q-grams, all pieces of `gram`
/// successive bytes; a shorter text is its only piece. A hash is the least hash of an element, under a hash function that is
/// drawn. It is the same for two sets if the element with the least hash of the union is in both.
///
/// Source   A. Broder, "On the resemblance and containment of documents", 1997.
struct jaccard {
  static constexpr std::string_view name = "jaccard";
  static constexpr std::uint64_t number = 2;
  [[nodiscard]] static std::string_view dimension_unit() noexcept { return ""; }
  static constexpr std::uint64_t max_dimension = 0;  ///< texts have none
  static constexpr unsigned max_gram = 64;
  static constexpr setting_note gram_note{"bytes of a piece of text; jaccard compares the sets of all pieces", "1 to 64", "5"};

  unsigned gram = 4;  ///< bytes of a piece

  class key {
   public:
    explicit key(std::vector<digest> elements) noexcept : elements_(std::move(elements)) {}
    [[nodiscard]] static std::uint64_t dimension() noexcept { return 0; }
    [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept {
      std::array<std::uint64_t, 4> least;  // four, because one would wait for the comparison before it
      least.fill(std::numeric_limits<std::uint64_t>::max());
      in_mixed_blocks(as_words(elements_), draw, [&](std::span<std::uint64_t const> words, std::size_t) {
        std::size_t i = 0;
        for (; i + 4 <= words.size(); i += 4)
          for (std::size_t j = 0; j < 4; ++j) least[j] = std::min(least[j], words[i + j]);
        for (; i < words.size(); ++i) least[0] = std::min(least[0], words[i]);
      });
      return std::ranges::min(least);
    }

   private:
    std::vector<digest> elements_;
  };

  [[nodiscard]] key prepared(std::string_view text, auto const& hash) const {
    auto const bytes = std::as_bytes(std::span(text.data(), text.size()));
    if (bytes.size() <= gram) return key({hash.of_bytes(bytes)});
    std::vector<digest> pieces(bytes.size() - gram + 1);
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = hash.of_bytes(bytes.subspan(i, gram));
    return key(std::move(pieces));
  }
  /// Any other set, as digests of its elements. They must be well mixed; digest::of_hash() mixes weak hashes.
  [[nodiscard]] key prepared(std::span<digest const> elements, auto const&) const {
    return key(std::vector<digest>(elements.begin(), elements.end()));
  }

  [[nodiscard]] static std::uint64_t most_dimension() noexcept { return max_dimension; }
  [[nodiscard]] static std::uint64_t id() noexcept { return number; }
  [[nodiscard]] bool valid() const noexcept { return gram >= 1 && gram <= max_gram; }
  static void settings(auto& self, auto& io) { io("gram", self.gram, gram_note); }
  static void fields(auto& self, auto& io) {
    io.constant(number, "metric");
    io(self.gram);
  }
  bool operator==(jaccard const&) const = default;
};
static_assert(metric<jaccard> && key_of_metric<jaccard, std::string_view>);

}  // namespace hortus
