#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hortus/plan/alternatives.hpp>

#include "cli/plan/candidates.hpp"

/// What is to be said about the best family: that its rate is useless, that another one is faster, that no filter is needed.
namespace hortus::cli {

/// Another family than the best: faster, or smaller under a condition.
struct other_family {
  candidate const* family;
  std::string text;
};

/// What would do where --memory is too small: the smallest family at the rate, and the keys that it holds in that memory.
struct enough {
  double fpr = 0;
  candidate smallest;
  std::optional<std::uint64_t> items_in_memory{};
  std::string text;
};

/// A structure that is no filter.
struct no_filter {
  plan::alternative what;
  std::string text;
};

struct remarks {
  std::string note;  ///< the rate is useless, or the number of keys is not known; else empty
  std::optional<enough> instead;
  std::optional<other_family> faster;    ///< reads far fewer cache lines for little more space
  std::optional<other_family> if_known;  ///< the best of those that are built from all keys at once
  std::vector<no_filter> alternatives;
};

/// The remarks point into `compared`.
[[nodiscard]] remarks remarks_on(plan_question const& asked, comparison const& compared);

/// How alternatives are called in JSON: "bit_array".
[[nodiscard]] std::string_view name_of(plan::alternative_kind kind);

}  // namespace hortus::cli
