// Malicious addresses: a browser asks a local filter about every page, and the server only where the filter says yes.
//
// All addresses are known to the one who publishes the list, and a rate of 1 in 10,000 is low enough: `hortus plan -n 650k
// -p 0.01% --need build` recommends `ribbon`. The protocol that browsers use has 4-byte prefixes of hashes for keys. Then the
// prefixes of two addresses are equal with a probability of n / 2^32, which no filter makes smaller.
//
//   example_safe_browsing [ADDRESSES]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/frozen/golomb_set.hpp>
#include <hortus/frozen/ribbon.hpp>
#include <hortus/hash/xxh3.hpp>

constexpr std::uint64_t views = 200'000, one_is_malicious_in = 10'000;

std::string malicious(std::uint64_t i) {
  return "http://phish" + std::to_string(i % 9973) + ".example/login/" + std::to_string(i);
}
std::string harmless(std::uint64_t i) {
  return "https://www" + std::to_string(i % 4999) + ".example.org/page/" + std::to_string(i);
}

// The first 4 bytes of a hash, as the protocol has them.
std::uint32_t prefix(std::string const& address) {
  return static_cast<std::uint32_t>(hortus::xxh3().of_bytes(std::as_bytes(std::span(address))).bits() >> 32);
}

// may_be_listed(address): the local answer. The server knows the whole list, and is asked where that is yes.
template <class MayBeListed>
void browse(char const* name, std::size_t bytes, std::unordered_set<std::string> const& server, MayBeListed may_be_listed) {
  std::uint64_t asked = 0, warned = 0, missed = 0;
  for (std::uint64_t i = 0; i < views; ++i) {
    bool const bad = i % one_is_malicious_in == 7;
    auto const address = bad ? malicious(i) : harmless(i);
    bool const may_be = may_be_listed(address);
    asked += may_be ? 1U : 0U;
    bool const warn = may_be && server.contains(address);
    warned += warn ? 1U : 0U;
    missed += bad && !warn ? 1U : 0U;
  }
  std::printf("%-42s %8zu bytes  %5.2f bits each  %4.0f needless questions  %llu warnings  %llu missed\n", name, bytes,
              8.0 * static_cast<double>(bytes) / static_cast<double>(server.size()), static_cast<double>(asked - warned),
              static_cast<unsigned long long>(warned), static_cast<unsigned long long>(missed));
}

int main(int argc, char** argv) {
  std::uint64_t const listed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  std::vector<std::string> list;
  std::vector<std::uint64_t> prefixes;
  for (std::uint64_t i = 0; i < listed; ++i) {
    list.push_back(malicious(i));
    prefixes.push_back(prefix(list.back()));
  }
  std::unordered_set<std::string> const server(list.begin(), list.end());
  std::printf("%llu listed addresses, %llu page views\n", static_cast<unsigned long long>(listed),
              static_cast<unsigned long long>(views));

  browse("no filter: every page is asked", 0, server, [](std::string const&) { return true; });

  // An old browser: 25 bits and 20 probes for a 4-byte prefix. The rate of the filter is 7 in a million; that of prefixes is
  // not.
  hortus::bloom_filter old(hortus::bloom<>({.bits = 25 * listed, .probes = 20}));
  old.insert(prefixes);
  browse("bloom of 4-byte prefixes, 25 bits", old.size_bytes(), server,
         [&](std::string const& address) { return old.may_contain(std::uint64_t{prefix(address)}); });

  // A sorted list of the prefixes, coded by their gaps, is smaller at the same rate. It can be merged with tomorrow's.
  double const of_prefixes = static_cast<double>(listed) / 0x1p32;
  auto const coded = hortus::golomb_set_filter::build(list, {.fpr = of_prefixes});
  browse("golomb_set at the rate of prefixes", coded.size_bytes(), server,
         [&](std::string const& address) { return coded.may_contain(address); });

  // The planner's choice.
  auto const ribbon = hortus::ribbon_filter::build(list, {.fpr = 1e-4});
  browse("ribbon at 1 in 10,000", ribbon.size_bytes(), server,
         [&](std::string const& address) { return ribbon.may_contain(address); });
}
