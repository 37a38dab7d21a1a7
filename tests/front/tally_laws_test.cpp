// The laws, asked of the test families: whether the laws themselves are sound, whichever families there are.
#include "front/tally.hpp"
#include "laws/laws.hpp"

namespace hortus::testing {

INSTANTIATE_TYPED_TEST_SUITE_P(tally, laws, tally<std::uint64_t>);
INSTANTIATE_TYPED_TEST_SUITE_P(tally_sketch, laws, tally<std::int64_t>);

}  // namespace hortus::testing
