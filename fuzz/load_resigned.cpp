// As load_bytes, but corrects the checksums first, so that the fuzzer's changes reach the code behind them. Sizes are
// corrected, too, so that changed numbers are in an otherwise plausible file.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../tests/io/parts.hpp"
#include "../tests/io/use_everything.hpp"
#include "../tests/near/use_near.hpp"

namespace {

using namespace hortus::testing;

template <class Filter>
void try_to_load_as(bytes_of_file const& file, void (*use)(Filter const&)) {
  try {
    auto const filter = hortus::from_bytes<Filter>(file);
    require(hortus::to_bytes(filter) == file, "what is read is what is written");
    use(filter);
  } catch (hortus::error const&) {
  }
  try {
    use(*hortus::view<Filter>(file));
  } catch (hortus::error const&) {
  }
}

void try_to_load(bytes_of_file const& file) {
  try_to_load_as<hortus::any_filter>(file, [](auto const& filter) { use_everything(filter); });
  try_to_load_as<hortus::any_near_filter>(file, [](auto const& filter) { use_near(filter); });
}

/// The recipe: 128 bytes of fixed header; one byte each for the number of scalars and of sections; the scalars; for each
/// section a 16-bit size and that number of bytes. Missing bytes are zero.
bytes_of_file from_recipe(std::span<std::byte const> recipe) {
  auto const next = [&](std::size_t bytes) {
    bytes_of_file part(bytes);
    auto const there = std::min(bytes, recipe.size());
    if (there != 0) std::memcpy(part.data(), recipe.data(), there);
    recipe = recipe.subspan(there);
    return part;
  };
  file_parts parts;
  parts.fixed = next(at::end);
  auto const scalars = std::to_integer<std::size_t>(next(1)[0]);
  auto const sections = std::to_integer<std::size_t>(next(1)[0]) % 8;
  for (std::size_t i = 0; i < scalars; ++i) parts.scalars.push_back(get<std::uint64_t>(next(8), 0));
  for (std::size_t i = 0; i < sections; ++i) parts.sections.push_back(next(get<std::uint16_t>(next(2), 0)));
  return put_together(parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  bytes_of_file file(size);
  if (size != 0) std::memcpy(file.data(), data, size);
  sign(file);
  try_to_load(file);
  try_to_load(from_recipe(std::as_bytes(std::span(data, size))));
  return 0;
}
