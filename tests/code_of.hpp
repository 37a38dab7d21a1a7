#pragma once
#include <string>

#include <gtest/gtest.h>
#include <hortus/error.hpp>

namespace hortus::testing {

/// What act() throws, which must have a text; fails the test if it throws nothing.
template <class Act>
errc code_of(Act act) {
  try {
    act();
  } catch (error const& e) {
    EXPECT_NE(std::string(e.what()), "");
    return e.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return errc::io;
}

}  // namespace hortus::testing
