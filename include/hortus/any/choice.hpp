#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hortus/any/card.hpp>

/// Which families can do what is wanted, best first, and why the others cannot. The command and the Redis module say it to
/// people, each in the words of its own options.
namespace hortus {

struct choice_goal {
  verb_set needed{};
  std::uint64_t items = 0;
  bool any_number = false;  ///< the number of keys is not known: it must grow and keep its rate; `items` is only for the sizes
  double fpr = 0.01;
  std::optional<std::uint64_t> bytes{};  ///< the most that it may take
  bool space_given = false;              ///< the best rate in `bytes` is wanted, and `fpr` does not count
  std::vector<std::pair<std::string, std::string>> settings{};  ///< that a family must have

  /// Is only the number of distinct keys asked for? Then families that tell nothing else come first.
  [[nodiscard]] bool only_how_many() const noexcept {
    return (needed.has(verb::estimate) || needed.has(verb::compare)) && !needed.has(verb::may_contain) &&
           !needed.has(verb::insert_if_new) && !needed.has(verb::erase) && !needed.has(verb::count) && !needed.has(verb::top) &&
           !needed.has(verb::find);
  }
};

/// Why a family cannot do it.
enum class unfit {
  lacks_verbs,     ///< `missing` says which
  tells_keys,      ///< it tells the most frequent keys, and verb::top was not needed
  tells_value,     ///< it tells the value of a key, and verb::find was not needed
  tells_how_many,  ///< it tells only how many keys there are, and verb::estimate was not needed
  rate_grows,      ///< it takes any number of keys, but its rate grows with them
  needs_number,    ///< it is planned for a number of keys
  too_large,       ///< `offer` needs more than the bytes allowed
  too_near,        ///< `offer` does not tell members from others: see tells_keys_apart()
  no_plan,         ///< no shape meets the goal: `error` says why
};

struct unfit_family {
  card const* family;
  unfit why;
  verb_set missing{};
  proposal offer{};
  std::string error{};
};
struct fit_family {
  card const* family;
  proposal offer;
};

struct family_choice {
  std::vector<fit_family> fit;  ///< best first
  std::vector<unfit_family> unfit;
};

/// All families. If the rate is given, the smallest filter is best; if the space is given, the lowest rate; among equals the
/// fewest cache lines. One that can be full counts as a fifth larger. Unless verb::build is needed, those that are built of all
/// keys at once come after those that take keys one by one.
[[nodiscard]] family_choice choose_family(choice_goal const& goal);

}  // namespace hortus
