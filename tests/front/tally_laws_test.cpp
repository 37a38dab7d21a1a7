// The laws, asked of the test families: whether the laws themselves are sound, whichever families there are.
#include "front/tally.hpp"
#include "laws/laws.hpp"

namespace hortus::testing {
namespace {

[[maybe_unused]] bool const registered = register_laws<tally<std::uint64_t>>() && register_laws<tally<std::int64_t>>();

}  // namespace
}  // namespace hortus::testing
