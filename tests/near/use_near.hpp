#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <hortus/any/any_near.hpp>

#include "../io/use_everything.hpp"

namespace hortus::testing {

/// Calls every verb of a filter that asks how near a key is. It came from a file that nobody vouches for; what it answers does
/// not matter, but what always holds must hold.
inline void use_near(any_near_filter const& filter) {
  require(filter.fpr() >= 0 && filter.fpr() <= 1, "a rate is a rate");
  require(filter.threshold() >= 1 && filter.threshold() <= filter.arrays(), "some scores mean near, and some do not");
  require(filter.planned_fnr(1) <= 1, "a rate is a rate");
  auto copy = filter;
  copy.merge(filter);
  require(copy == filter, "a filter merged with itself is the same");
  std::vector<std::byte> const bytes(8);
  std::vector<double> const numbers{1, 2, 3};
  for (near_key const& key :
       {near_key(bit_string{bytes, 64}), near_key(std::string_view("some text")), near_key(std::span<double const>(numbers))})
    try {
      copy.insert(key);
      require(copy.score(key) == copy.arrays(), "a member has the largest score");
    } catch (error const&) {  // a key of another metric or dimension, or a hash that is locked
    }
  copy.clear();
  require(copy.size_bytes() == filter.size_bytes(), "an empty filter is as large");
}

}  // namespace hortus::testing
