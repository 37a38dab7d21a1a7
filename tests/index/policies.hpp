#pragma once
#include <gtest/gtest.h>

#include <string>

#include <hortus/index/double_hashing.hpp>
#include <hortus/index/enhanced_double_hashing.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/index/seeded_probes.hpp>
#include <hortus/index/sliced_probes.hpp>
#include <hortus/index/triple_hashing.hpp>

/// Every index policy, for tests of all of them.
namespace index_test {

using policies = testing::Types<hortus::multiply_chain, hortus::seeded_probes, hortus::sliced_probes, hortus::double_hashing,
                                hortus::enhanced_double_hashing, hortus::triple_hashing>;

struct policy_names {
  template <class Index>
  static std::string GetName(int) {
    return std::string(Index::name);
  }
};

template <class Act>
void for_each_policy(Act act) {
  act.template operator()<hortus::multiply_chain>();
  act.template operator()<hortus::seeded_probes>();
  act.template operator()<hortus::sliced_probes>();
  act.template operator()<hortus::double_hashing>();
  act.template operator()<hortus::enhanced_double_hashing>();
  act.template operator()<hortus::triple_hashing>();
}

}  // namespace index_test
