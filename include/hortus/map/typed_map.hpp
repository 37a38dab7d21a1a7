#pragma once
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <hortus/bitmask.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// How a value of V becomes a number of at most 64 bits, and back. A map takes as many bits per key as the largest number has,
/// so small numbers should be frequent. For other types a program specialises it, or names a codec of its own.
template <class V>
struct value_codec;

template <class Codec, class V>
concept codec_of = requires(V const& value, std::uint64_t number) {
  { Codec::encode(value) } -> std::same_as<std::uint64_t>;
  { Codec::decode(number) } -> std::same_as<V>;
};

/// Unsigned integers are themselves. Signed ones alternate, 0, -1, 1, -2, ..., so that small negative ones stay small.
template <std::integral V>
struct value_codec<V> {
  static constexpr std::uint64_t encode(V value) noexcept {
    if constexpr (std::is_signed_v<V>) {
      auto const wide = static_cast<std::int64_t>(value);
      return static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63);
    } else {
      return value;
    }
  }
  static constexpr V decode(std::uint64_t number) noexcept {
    if constexpr (std::is_signed_v<V>)
      return static_cast<V>(static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1))));
    else
      return static_cast<V>(number);
  }
};

template <class V>
requires std::is_enum_v<V>
struct value_codec<V> {
  using number_type = std::underlying_type_t<V>;
  static constexpr std::uint64_t encode(V value) noexcept {
    return value_codec<number_type>::encode(static_cast<number_type>(value));
  }
  static constexpr V decode(std::uint64_t number) noexcept { return static_cast<V>(value_codec<number_type>::decode(number)); }
};

/// Structs of at most 8 bytes without padding, whose bytes would be anything; and floating-point numbers. The first member has
/// the low bits.
template <class V>
requires(std::is_trivially_copyable_v<V> && sizeof(V) <= 8 && !std::is_enum_v<V> && !std::integral<V> &&
         (std::has_unique_object_representations_v<V> || std::floating_point<V>)) struct value_codec<V> {
  static std::uint64_t encode(V const& value) noexcept {
    std::uint64_t number = 0;
    std::memcpy(&number, &value, sizeof value);
    return number;
  }
  static V decode(std::uint64_t number) noexcept {
    std::array<std::byte, sizeof(V)> bytes;
    std::memcpy(bytes.data(), &number, bytes.size());
    return std::bit_cast<V>(bytes);
  }
};
static_assert(std::endian::native == std::endian::little, "bytes of a struct become the low bits of a number");

/// A map whose values have the type V: typed_map<bloomier_map, country>. It has the verbs of Map, and files are those of Map:
/// the program that reads one has to know V.
template <class Map, class V, codec_of<V> Codec = value_codec<V>>
class typed_map {
 public:
  explicit typed_map(Map map) noexcept(std::is_nothrow_move_constructible_v<Map>) : map_(std::move(map)) {}

  using goal = typename Map::family_type::goal;

  /// keys[i] has values[i]. A hash may follow, as in Map::build.
  template <key_range Keys>
  [[nodiscard]] static typed_map build(Keys const& keys, std::span<V const> values, goal const& wish, auto&&... hash) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(values.size());
    for (auto const& value : values) numbers.push_back(Codec::encode(value));
    return typed_map(Map::build(keys, numbers, wish, std::forward<decltype(hash)>(hash)...));
  }

  template <digestible Key>
  [[nodiscard]] std::optional<V> find(Key const& key) const {
    auto const number = map_.find(key);
    return number ? std::optional<V>(Codec::decode(*number)) : std::nullopt;
  }
  /// Throws errc::absent if there is none.
  template <digestible Key>
  [[nodiscard]] V at(Key const& key) const {
    return Codec::decode(map_.at(key));
  }
  /// For a batch: act(i, value) for each key that has one.
  template <sized_key_range Keys>
  void find(Keys const& keys, std::invocable<std::size_t, V> auto act) const {
    auto const found = map_.find(keys);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found.hits[i]) act(i, Codec::decode(found.values[i]));
  }
  template <digestible Key>
  auto put(Key const& key, V const& value) requires(requires(Map& m) { m.put(key, 0U); }) {
    return map_.put(key, Codec::encode(value));
  }
  template <digestible Key>
  bool assign(Key const& key, V const& value) requires(requires(Map& m) { m.assign(key, 0U); }) {
    return map_.assign(key, Codec::encode(value));
  }

  [[nodiscard]] Map const& map() const noexcept { return map_; }
  bool operator==(typed_map const&) const = default;

 private:
  Map map_;
};

}  // namespace hortus
