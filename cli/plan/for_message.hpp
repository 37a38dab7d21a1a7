#pragma once
#include <string>

#include "cli/plan/solver.hpp"

namespace hortus::cli {

/// Prints the bloom filter with the lowest rate whose message, packed, has at most that many bytes, and the command that
/// builds it; if `message_bytes` is empty, the one with the shortest message at the rate asked for. --memory limits its size.
/// Throws errc::bad_goal if there is none, or if options contradict it.
void plan_for_message(std::string const& message_bytes, bloom_options const& known, bool json);

}  // namespace hortus::cli
