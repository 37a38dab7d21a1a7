#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/message/lane_kernels.hpp>

/// What the coder and the decoder of a piece have in common.
namespace hortus::message {

using kernels::byte_classes;
using kernels::byte_model;
using kernels::class_model;
using kernels::class_sizes;
using kernels::coder_lanes;
using kernels::lane_states;
using kernels::state_low;
using kernels::word_padding;

/// A step codes a byte in each lane.
constexpr std::size_t steps_in(std::size_t bytes) { return (bytes + coder_lanes - 1) / coder_lanes; }

/// States have 31 bits.
inline constexpr std::size_t states_bytes = coder_lanes * 31 / 8;

/// Frequencies of bytes that add up to byte_model::total; 0 for bytes that do not occur.
using byte_frequencies = std::array<std::uint16_t, 256>;
/// Frequencies of a byte of each class; with the sizes of the classes they add up to class_model::total. None is 0.
using class_frequencies = std::array<std::uint16_t, byte_classes>;

/// The model codes the bytes of that context with these frequencies.
inline void set_context(byte_model& model, std::size_t context, byte_frequencies const& f) {
  std::uint32_t slot = 0;
  for (std::uint32_t x = 0; x < 256; ++x) {
    if (f[x] == 0) continue;
    model.coded[context * 256 + x] = f[x] | slot << 16;
    model.reciprocal[context * 256 + x] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0xffffffff, 0x100000000 / f[x]));
    for (std::uint32_t i = 0; i < f[x]; ++i)
      model.slots[context * byte_model::total + slot + i] = x | i << 8 | (f[x] - 1U) << 20;
    slot += f[x];
  }
}

/// What fills up the last step: a byte that is as frequent as any, so that it costs little.
inline std::uint8_t filling(byte_frequencies const& f) {
  return static_cast<std::uint8_t>(std::ranges::max_element(f) - f.begin());
}
inline std::uint8_t filling(class_model const& model) { return model.frequency[0] >= model.frequency[8] ? 0x00 : 0xff; }

}  // namespace hortus::message
