// Arbitrary bytes, read as a copy and as a view. They must be refused with hortus::error, or make a filter that writes exactly
// these bytes again. Copy and view must agree. (Any other exception ends the program.)
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "../tests/io/use_everything.hpp"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::vector<std::byte> bytes(size);  // 8-byte aligned, as a view requires
  if (size != 0) std::memcpy(bytes.data(), data, size);
  auto const copied = refusal([&] {
    auto const filter = hortus::from_bytes(bytes);
    require(hortus::to_bytes(filter) == bytes, "what is read is what is written");
    hortus::testing::use_everything(filter);
  });
  auto const viewed = refusal([&] {
    auto const seen = hortus::view(bytes, {.key = {}, .verify = true});
    require(hortus::to_bytes(*seen) == bytes, "what is seen is what is written");
  });
  require(copied == viewed, "a view and a copy agree");
  (void)refusal([&] { hortus::testing::use_everything(*hortus::view(bytes)); });  // unverified, but any payload must be safe
  return 0;
}
