// The decoder of messages. Arbitrary bytes as the code of an array: refused, or an array that is coded and decoded again. As an
// array: coded and decoded. As a message, with its length and checksum corrected: refused with hortus::error, or a filter that
// works, also packed again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <hortus/any/any_message.hpp>
#include <hortus/message/piece_code.hpp>

#include "../tests/io/parts.hpp"
#include "../tests/io/use_everything.hpp"

namespace {

using namespace hortus::testing;
using bytes = std::vector<std::byte>;

void code_and_decode(bytes const& array) {
  bytes again(array.size());
  hortus::message::decode_array(hortus::message::encode_array(array), again);
  require(again == array, "an array comes back");
}

void decode(std::span<std::byte const> code, std::size_t size) {
  bytes array(size);
  try {
    hortus::message::decode_array(code, array);
  } catch (hortus::error const&) {
    return;
  }
  code_and_decode(array);
}

void unpack(bytes const& message) {
  try {
    auto const filter = hortus::unpack(message, {.key = {}, .most_bytes = 1 << 24});
    require(hortus::to_bytes(hortus::unpack(hortus::pack(filter))) == hortus::to_bytes(filter), "a filter comes back");
    use_everything(filter);
  } catch (hortus::error const&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  bytes input(size);
  if (size != 0) std::memcpy(input.data(), data, size);
  unpack(input);
  if (size >= 48) {
    auto message = input;
    put(std::span(message), 16, std::uint64_t{size});
    put(std::span(message), size - 8, xxh3_of(std::span(message).first(size - 8)));
    unpack(message);
  }
  if (size < 3) return 0;
  decode(std::span(input).subspan(3), get<std::uint16_t>(input, 0) * (data[2] % 4 == 0 ? std::size_t{16} : 1));
  code_and_decode(input);
  bytes long_array;  // what is longer has other codes
  for (unsigned times = 1 + data[0] % 64U; times != 0; --times) long_array.insert(long_array.end(), input.begin(), input.end());
  code_and_decode(long_array);
  return 0;
}
