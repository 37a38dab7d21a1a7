#pragma once
#include <cstdint>
#include <string>

#include "redis/call.hpp"

/// Numbers in the arguments of commands.
namespace hortus::server {

/// An integer from 0 to 2^64 - 1. Throws a refusal that names `what`.
[[nodiscard]] std::uint64_t whole_number(call const& it, std::size_t i, std::string const& what);
[[nodiscard]] std::int64_t signed_number(call const& it, std::size_t i, std::string const& what);
/// A number above 0 and below 1.
[[nodiscard]] double rate(call const& it, std::size_t i, std::string const& what);

/// An integer; from 2^63 up its digits, because integers in answers are signed.
void reply_unsigned(caller const& it, std::uint64_t value) noexcept;

}  // namespace hortus::server
