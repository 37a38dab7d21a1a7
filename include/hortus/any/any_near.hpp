#pragma once
#include <string_view>
#include <vector>

#include <hortus/any/card.hpp>
#include <hortus/hash/any_hash.hpp>
#include <hortus/near/any_metric.hpp>
#include <hortus/near/distance_sensitive.hpp>

/// The families that ask how near a key is, at run time. Their keys are strings of bits, texts or vectors, and no digest stands
/// for a key. So they are not in any/families.def, whose families all take digests: this is a list of their own, of one so far.
namespace hortus {

using any_near_family = distance_sensitive<any_metric>;

/// A filter whose metric and hash are known only at run time, for example of a file: from_bytes<any_near_filter>(bytes).
using any_near_filter = near_filter<any_near_family, any_hash>;

/// Is this the name of one of these families?
[[nodiscard]] constexpr bool is_near_family(std::string_view name) noexcept { return name == any_near_family::name; }

/// What is known of the family without making a filter. `verbs` has those that other families have too. Its setting `metric` is
/// a name, and has no default value here: it is hamming.
[[nodiscard]] card const& near_card();
/// All its verbs, by name.
[[nodiscard]] std::vector<std::string_view> near_verbs();

/// The goal that a request asks for. Throws errc::bad_goal for a setting or metric that does not exist, or that does not go
/// with the metric.
[[nodiscard]] any_near_family::goal near_goal_of(request const& wish);

/// make_near_filter({.items = 1000, .settings = {{"metric", "jaccard"}, {"far", "0.8"}}})
[[nodiscard]] any_near_filter make_near_filter(request const& wish, any_hash hash = {});

}  // namespace hortus
