#pragma once
#include <cstdint>
#include <span>

#include <hortus/any/any_filter.hpp>

/// A filter that is too large for one machine, as several that are not. A shard is a filter of its own, in a file of its own:
/// shard i of n has the places p of the whole filter with p mod n == i, and every key has one place. So a key is looked up in
/// one shard, with the answer of the whole filter; the shards of filters that were made alike merge one by one; and the shards
/// together are the whole filter again, byte by byte. Each half of a shard's places is a shard of twice as many.
///
/// For families whose keys have one place: card::has_shards. The other functions throw errc::unsupported, naming those.
namespace hortus {

/// How a filter is cut.
struct shard_plan {
  std::uint64_t places = 0;  ///< of the whole filter
  std::uint64_t shards = 1;
  bool operator==(shard_plan const&) const = default;
};

inline constexpr std::uint64_t max_shards = 4096;

/// The plan for this filter. Throws errc::bad_params if `shards` does not divide its places, naming numbers that do.
[[nodiscard]] shard_plan plan_shards(any_filter const& whole, std::uint64_t shards);

/// The plan for a filter that is not made yet, with so many blocks more than planned that `shards` divides them.
[[nodiscard]] shard_plan plan_shards(std::string_view family, request const& wish, std::uint64_t shards);
/// Shard i of that filter without keys. Takes the memory of one shard.
[[nodiscard]] any_filter empty_shard(std::string_view family, request const& wish, any_hash hash, shard_plan plan,
                                     std::uint64_t i);

/// Tells the shards of keys, without the filter.
class shard_finder {
 public:
  shard_finder(std::string_view family, shard_plan plan);
  /// to[i] becomes the shard of xs[i].
  void shards_of(std::span<digest const> xs, std::uint32_t* to) const;

 private:
  any_family small_;  // any filter of the family
  shard_plan plan_;
};

/// Shard i of a filter. Its planned items and insert calls are a share of the whole filter's; those of all shards add up.
[[nodiscard]] any_filter shard_of(any_filter const& whole, shard_plan plan, std::uint64_t i);

/// Joins shards, which come in any order.
class shard_joiner {
 public:
  /// `part` is one of them, whichever.
  shard_joiner(any_filter const& part, shard_plan plan);

  /// Throws errc::incompatible if it is no shard of the same filter.
  void put(std::uint64_t i, any_filter const& part);
  /// The whole filter. Pre: all shards were put
  [[nodiscard]] any_filter finish() &&;

 private:
  shard_plan plan_;
  any_family whole_;
  any_hash hash_;
  envelope about_;  // of all shards so far
};

}  // namespace hortus
