// A certificate revocation list for browsers. All certificates are known to the one who publishes the list: 990,000 are valid
// and 10,000 are revoked. The answer is right for each of them, and the list is far smaller than the serial numbers, or than a
// filter that errs seldom enough.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <hortus/frozen/ribbon.hpp>
#include <hortus/io/store.hpp>
#include <hortus/map/exact_set.hpp>
#include <hortus/plan/exact_set.hpp>

// Issuer and serial number. A real one would have the hash of the issuer's key.
std::string certificate(std::uint64_t number) {
  return "issuer " + std::to_string(number % 40) + ", serial " + std::to_string(number * 2'654'435'761U);
}

int main() {
  std::vector<std::string> revoked, valid;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) (i % 100 == 7 ? revoked : valid).push_back(certificate(i));

  // The publisher, once a day.
  auto const list = hortus::exact_set_filter::build(revoked, valid);
  auto const bytes = hortus::to_bytes(list);

  // The browser. It verifies the checksums once, and asks the bytes where they are.
  auto const received = hortus::view<hortus::exact_set_filter>(bytes, {.key = {}, .verify = true});
  std::printf("%zu of %zu revoked certificates are reported\n", received->may_contain(revoked).count(), revoked.size());
  std::printf("%zu of %zu valid certificates are reported\n", received->may_contain(valid).count(), valid.size());

  // What else would do: the numbers, 16 bytes each; and a filter that reports less than one of the valid certificates.
  auto const filter = hortus::ribbon_filter::build(revoked, {.fpr = 0.5 / static_cast<double>(valid.size())});
  std::printf("bytes: %zu as a list, %zu as a filter, %zu as an exact set (at least %.0f)\n", 16 * revoked.size(),
              hortus::to_bytes(filter).size(), bytes.size(), hortus::plan::exact_set_bound(revoked.size(), valid.size()) / 8);
}
