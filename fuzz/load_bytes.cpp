// Any bytes at all: read as a copy and as a view, they are refused with hortus::error or make a filter that writes these very
// bytes again; both ways agree. (Anything else thrown ends the program.)
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
  std::vector<std::byte> bytes(size);  // on an 8-byte boundary, as a view needs it
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
  (void)refusal([&] { hortus::testing::use_everything(*hortus::view(bytes)); });  // unverified: any payload, and safe to use
  return 0;
}
