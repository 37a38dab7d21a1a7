#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/any_family.hpp>

/// The list of families at run time: what each can do and what it would cost. Made from any/families.hpp.
namespace hortus {

/// What somebody at a command line wants: the goal, and settings of the family by name (`probes`, ...).
struct request {
  std::uint64_t items = 0;
  double fpr = 0.01;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// What a family offers for a request.
struct proposal {
  std::vector<named_value> params;
  std::uint64_t size_bytes = 0;
  double fpr = 0;            ///< the rate really obtained, after rounding; without may_contain: the chance of a wrong count
  double fnr = 0;            ///< chance that a key of the window is missed, where the family says so
  double bits_per_item = 0;  ///< 8 size_bytes / items
  double lines_touched = 0;  ///< cache lines that a lookup of a member reads
};

/// Does it tell a key of the window from a stranger? It must find the stranger at most half as often: a family that may miss
/// keys could else answer at random, in no space at all.
[[nodiscard]] bool tells_keys_apart(proposal const& offer);

struct family_info {
  std::string_view name;
  std::string_view room;
  std::string_view summary;
  false_negatives misses;
  bool never_undercounts;   ///< count() is never below the truth, or below the most that it counts to
  bool can_refuse;          ///< can be full: insert says whether a key went in
  std::uint64_t max_count;  ///< where counters stick in all its filters; 0: there is no such number
  bool grows;               ///< makes room for more keys than planned; stages() of a filter says how often it did
  bool keeps_fpr;           ///< and keeps the planned rate, however many come
  std::vector<std::string_view> verbs;
  std::vector<setting> settings;  ///< by name, for request::settings
  proposal (*plan)(request const&);
  any_family (*make)(request const&);  ///< empty; throws errc::unsupported without insert
  /// Of these keys: all at once, or made and filled. Throws errc::full if one does not fit.
  any_family (*build)(std::span<digest const>, request const&);
  any_family (*read)(field_reader&);

  [[nodiscard]] bool has(std::string_view verb) const;
};

[[nodiscard]] std::span<family_info const> catalogue();
[[nodiscard]] family_info const& family_named(std::string_view name);  ///< throws errc::unsupported, naming those there are

/// "bloom filter", "count_min sketch": what people call it.
[[nodiscard]] std::string called(std::string_view family);

/// The lowest rate that the family reaches for so many items in so many bytes. Throws errc::bad_goal if not even a rate of 99 %
/// fits, or with misses the highest that tells keys apart.
[[nodiscard]] double best_fpr_in(family_info const& family, request wish, std::uint64_t bytes);

/// The most items that the family holds at the rate wished for in so many bytes. Throws errc::bad_goal if not even one fits.
[[nodiscard]] std::uint64_t most_items_in(family_info const& family, request wish, std::uint64_t bytes);

}  // namespace hortus
