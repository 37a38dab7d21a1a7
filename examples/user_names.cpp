// Is this user name taken? Many threads ask while others register names, and the database is asked only where the filter says
// yes.
//
// Names are registered all the time: `hortus plan -n 1M -p 0.1% --need insert` lists `partitioned` and `bloom` first, which may
// also be shared by threads. When names are given back, too, `hortus plan -n 1M -p 0.1% --need remove` recommends `quotient`.
//
//   example_user_names [NAMES]
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/concurrent.hpp>
#include <hortus/fingerprint/quotient.hpp>

std::string taken(std::uint64_t i) { return "user" + std::to_string(i); }
std::string free_name(std::uint64_t i) { return "new_user" + std::to_string(i); }

int main(int argc, char** argv) {
  std::uint64_t const names = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;

  // Four threads register names, and each asks at once for what it registered: an insert is seen by all that follows it.
  hortus::concurrent users(hortus::bloom_filter({.items = names, .fpr = 0.001}));
  std::atomic<std::uint64_t> lost = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (auto i = t; i < names; i += 4) {
        users.insert(taken(i));
        if (!users.may_contain(taken(i))) ++lost;
      }
    });
  for (auto& thread : threads) thread.join();

  std::uint64_t database_reads = 0;
  constexpr std::uint64_t asked = 100'000;
  for (std::uint64_t i = 0; i < asked; ++i) database_reads += users.may_contain(free_name(i)) ? 1U : 0U;
  auto const done = std::move(users).take();
  std::printf("bloom:  %zu bytes for %llu names; %llu lost; %.2f database reads for 1000 free names, instead of 1000\n",
              done.size_bytes(), static_cast<unsigned long long>(names), static_cast<unsigned long long>(lost.load()),
              1000.0 * static_cast<double>(database_reads) / asked);

  // Accounts are closed, and their names are free again.
  hortus::quotient_filter accounts({.items = names, .fpr = 0.001});
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < names; ++i) refused += accounts.insert(taken(i)) ? 0U : 1U;
  for (std::uint64_t i = 0; i < names; i += 2) accounts.erase(taken(i));
  std::uint64_t missing = 0, still = 0;
  for (std::uint64_t i = 0; i < names; ++i) {
    bool const may_be = accounts.may_contain(taken(i));
    (i % 2 == 0 ? still : missing) += (i % 2 == 0) == may_be ? 1U : 0U;
  }
  std::printf(
      "quotient: %zu bytes; %llu refused; half of the accounts closed: %llu others lost, %.2f of 1000 closed names still look "
      "taken\n",
      accounts.size_bytes(), static_cast<unsigned long long>(refused), static_cast<unsigned long long>(missing),
      2000.0 * static_cast<double>(still) / static_cast<double>(names));
}
