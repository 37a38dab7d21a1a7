// Arbitrary bytes, read as a copy and as a view. They must be refused with hortus::error, or make a filter that writes exactly
// these bytes again. Copy and view must agree. (Any other exception ends the program.)
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "../tests/io/use_everything.hpp"
#include "../tests/near/use_near.hpp"

namespace {

using hortus::testing::require;

template <class Read>
std::optional<hortus::errc> refusal(Read read) {
  try {
    read();
    return std::nullopt;
  } catch (hortus::error const& e) {
    return e.code();
  }
}

template <class Filter>
void read_as(std::vector<std::byte> const& bytes, void (*use)(Filter const&)) {
  auto const copied = refusal([&] {
    auto const filter = hortus::from_bytes<Filter>(bytes);
    require(hortus::to_bytes(filter) == bytes, "what is read is what is written");
    use(filter);
  });
  auto const viewed = refusal([&] {
    auto const seen = hortus::view<Filter>(bytes, {.key = {}, .verify = true});
    require(hortus::to_bytes(*seen) == bytes, "what is seen is what is written");
  });
  require(copied == viewed, "a view and a copy agree");
  (void)refusal([&] { use(*hortus::view<Filter>(bytes)); });  // unverified, but any payload must be safe
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::vector<std::byte> bytes(size);  // 8-byte aligned, as a view requires
  if (size != 0) std::memcpy(bytes.data(), data, size);
  read_as<hortus::any_filter>(bytes, [](auto const& filter) { hortus::testing::use_everything(filter); });
  read_as<hortus::any_near_filter>(bytes, [](auto const& filter) { hortus::testing::use_near(filter); });
  return 0;
}
