// Blocked addresses and stolen cards: the check comes before every request, so it must be fast and small.
//
// An IPv4 address is one of 2^32. For many addresses a plain bit array would do; `hortus plan -n 100k -p 1e-4 --universe
// 4294967296` compares both. Networks are blocked by their prefix, so an address is looked up once for each length of prefix
// that occurs. Card numbers are chosen by attackers: the filter has a secret key, so that nobody can find numbers that it
// wrongly reports.
//
//   example_blocked_addresses [ADDRESSES]
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/frozen/ribbon.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/hash/siphash.hpp>

// A network: the first `length` bits of an address, and how many.
std::uint64_t network(std::uint32_t address, unsigned length) {
  return std::uint64_t{length} << 32 | (length == 0 ? 0 : address >> (32 - length) << (32 - length));
}
constexpr std::array<unsigned, 4> lengths{16, 22, 24, 32};

int main(int argc, char** argv) {
  std::uint64_t const listed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  std::vector<std::uint64_t> list;
  std::unordered_set<std::uint64_t> exact;
  for (std::uint64_t i = 0; i < listed; ++i) {  // most are single addresses, some are networks
    auto const length = i % 100 == 0 ? lengths[i / 100 % 3] : 32;
    list.push_back(network(static_cast<std::uint32_t>(hortus::mix64(i)), length));
    exact.insert(list.back());
  }
  auto const blocked = hortus::ribbon_filter::build(list, {.fpr = 1e-4});
  std::uint64_t stopped = 0, wrongly = 0, missed = 0;
  constexpr std::uint64_t requests = 200'000;
  for (std::uint64_t i = 0; i < requests; ++i) {
    auto const address = static_cast<std::uint32_t>(hortus::mix64(i % 10 == 0 ? i / 10 : ~i));
    std::array<std::uint64_t, lengths.size()> networks{};
    for (std::size_t j = 0; j < lengths.size(); ++j) networks[j] = network(address, lengths[j]);
    bool is_listed = false;
    for (auto const each : networks) is_listed = is_listed || exact.contains(each);
    bool const stop = blocked.may_contain(networks).count() != 0;  // a batch of four
    stopped += stop ? 1U : 0U;
    wrongly += stop && !is_listed ? 1U : 0U;
    missed += is_listed && !stop ? 1U : 0U;
  }
  std::printf("ribbon: %zu bytes for %llu addresses and networks; a bit for every address: %llu bytes\n", blocked.size_bytes(),
              static_cast<unsigned long long>(exact.size()), 1ULL << 29);
  std::printf("%llu requests: %llu stopped, %llu of them wrongly, %llu missed\n", static_cast<unsigned long long>(requests),
              static_cast<unsigned long long>(stopped), static_cast<unsigned long long>(wrongly),
              static_cast<unsigned long long>(missed));

  // Cards that were reported stolen. In production the key comes from a file that only this service can read.
  std::array<std::byte, hortus::secret_key::size> secret{};
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(hortus::mix64(i));
  hortus::of_keys<hortus::blocked, hortus::siphash> stolen({.items = 50'000, .fpr = 1e-3},
                                                           hortus::siphash(hortus::secret_key(secret)));
  auto const card = [](std::uint64_t i) {
    return std::to_string(4'000'000'000'000'000 + hortus::mix64(i) % 1'000'000'000'000);
  };
  for (std::uint64_t i = 0; i < 50'000; ++i) stolen.insert(card(i));
  std::uint64_t asked = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) asked += stolen.may_contain(card(1'000'000 + i)) ? 1U : 0U;
  std::printf("blocked, with a secret key: %zu bytes for 50000 cards; of 100000 payments %llu are checked by hand\n",
              stolen.size_bytes(), static_cast<unsigned long long>(asked));
}
