#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <hortus/frozen/golomb_blocks.hpp>

/// How blocks of Golomb codes are made: in parts from words, or from two sets of blocks.
namespace hortus {

/// The blocks of a set that is built in parts, of equal numbers of blocks: see parts.hpp.
class golomb_parts {
 public:
  /// Pre: `parts` divides shape.lines.
  golomb_parts(plan::golomb_set_shape shape, std::size_t parts)
      : shape_(shape), parts_(parts, golomb_writer(golomb_code(shape.divisor))) {}

  /// The words of one part, in ascending order. Different parts may be built at the same time.
  void build(std::uint64_t part, std::span<std::uint64_t const> words) {
    golomb_writer made(golomb_code(shape_.divisor));
    std::vector<std::uint64_t> values;
    auto const blocks = shape_.blocks() / parts_.size();
    auto block = part * blocks;
    auto const last = block + blocks;
    auto const write_up_to = [&](std::uint64_t end) {
      for (; block < end; ++block) made.block(values), values.clear();
    };
    for (auto const word : words) {
      auto const at = golomb_blocks::place_of(word, shape_);
      write_up_to(at.line * shape_.line_blocks + at.number);
      if (values.empty() || values.back() != at.value) values.push_back(at.value);
    }
    write_up_to(last);
    parts_[part] = std::move(made);
  }

  [[nodiscard]] golomb_blocks finish() const { return {shape_, parts_}; }

 private:
  plan::golomb_set_shape shape_;
  std::vector<golomb_writer> parts_;
};

/// put_together(values of a, values of b, output) for each block: std::set_union, say. Pre: both have the same codes. Throws
/// errc::corrupt if values are not in order, which is possible in a file that was not verified.
[[nodiscard]] inline golomb_blocks combined(golomb_blocks const& a, golomb_blocks const& b, auto put_together) {
  auto const shape = a.shape();
  auto const decode = [&](golomb_blocks const& from, std::uint64_t block, std::vector<std::uint64_t>& to) {
    to.clear();
    if (from.scan(block, [&](std::uint64_t value) {
          bool const wrong = value >= shape.block_range || (!to.empty() && value <= to.back());
          to.push_back(value);
          return wrong;
        }))
      throw error(errc::corrupt, "the codes of a golomb_set do not fit together");
  };
  golomb_writer made(a.code());
  std::vector<std::uint64_t> of_a, of_b, both;
  for (std::uint64_t block = 0; block < shape.blocks(); ++block) {
    decode(a, block, of_a);
    decode(b, block, of_b);
    both.clear();
    put_together(of_a, of_b, std::back_inserter(both));
    made.block(both);
  }
  return {shape, std::span<golomb_writer const>(&made, 1)};
}

}  // namespace hortus
