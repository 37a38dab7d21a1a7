#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>

/// Space-Saving in `room` bytes, for counters and for the bytes of their keys. Keys may have any length; of a long one only
/// the first `key_bytes` are kept. So at least `room / counter_bytes(key_bytes)` counters fit for any keys, and more if keys
/// are shorter. docs/maths.md has the proof that with m counters a count is too high by at most 1/m of the stream.
namespace hortus::plan {

struct space_saving_shape {
  std::uint64_t room = 0;       ///< bytes
  std::uint64_t key_bytes = 0;  ///< the most that is kept of a key
  bool operator==(space_saving_shape const&) const = default;
};

inline constexpr std::uint64_t least_key_bytes = 8;  ///< an integer fits
inline constexpr std::uint64_t most_key_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t most_room = std::uint64_t{1} << 38;  ///< fewer than 2^32 counters

/// The space of a counter with `kept` bytes of its key. 64 bytes are for 32 in the array and 8 in the index, both with spare
/// room to grow. Then come the bytes in whole words with a header word for their length, and a quarter more for the gaps that
/// moved keys leave.
[[nodiscard]] constexpr std::uint64_t counter_bytes(std::uint64_t kept) noexcept { return 64 + 10 * (1 + (kept + 7) / 8); }

/// The number of counters that fit for any keys.
[[nodiscard]] constexpr std::uint64_t counters_in(space_saving_shape s) noexcept { return s.room / counter_bytes(s.key_bytes); }

[[nodiscard]] constexpr bool is_valid(space_saving_shape s) noexcept {
  return s.key_bytes >= least_key_bytes && s.key_bytes <= most_key_bytes && s.room <= most_room && counters_in(s) >= 1;
}

inline space_saving_shape checked(space_saving_shape s) {
  if (!is_valid(s))
    throw error(errc::bad_params,
                "a space_saving sketch keeps 8 to 1048576 bytes of a key and has room for at least one such "
                "counter and at most 2^38 bytes");
  return s;
}

/// The least room in which no count is too high by more than `error` of the stream.
[[nodiscard]] inline space_saving_shape space_saving(std::uint64_t items, double error, std::uint64_t key_bytes) {
  checked_fpr(error);
  if (items > max_bits)  // any number would work; a larger one is surely a mistake
    throw hortus::error(errc::bad_goal, std::to_string(items) + " items: the most is 2^42");
  if (key_bytes < least_key_bytes || key_bytes > most_key_bytes)
    throw hortus::error(errc::bad_goal, "key_bytes is " + std::to_string(key_bytes) + ": it must lie between 8 and 1048576");
  auto const counters = std::ceil(1 / error * (1 - 1e-12));  // 1 / 0.001 becomes 1000, whatever the rounding of the last bit
  auto const room = counters * static_cast<double>(counter_bytes(key_bytes));
  if (!(room <= static_cast<double>(most_room)))
    throw hortus::error(errc::bad_goal, "a space_saving sketch for that goal needs " + text(room) +
                                            " bytes: the most is 2^38 (2.749e+11); ask for a higher fpr or fewer key_bytes");
  return {static_cast<std::uint64_t>(counters) * counter_bytes(key_bytes), key_bytes};
}

/// The largest error of a count, as a share of the stream.
[[nodiscard]] inline double space_saving_error(space_saving_shape s) {
  return 1 / static_cast<double>(counters_in(checked(s)));
}

}  // namespace hortus::plan
