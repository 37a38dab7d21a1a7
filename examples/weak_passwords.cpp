// Weak passwords and words that nobody wants to read: lists that a service ships to its clients.
//
// The list is known, and is only asked: `hortus plan -n 1M -p 0.1% --need build` recommends `ribbon`. What goes to the client
// is no list of passwords: a filter cannot be read backwards, only guessed at. A false positive rejects a good password, once
// in a thousand. Names are often wrongly filtered, so what must never be rejected is given beside the list: `exact_set` is
// right for both lists, and a stranger has the chance of the filter.
//
//   example_weak_passwords [PASSWORDS]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <hortus/frozen/ribbon.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/map/exact_set.hpp>

// What people choose: a word and digits.
std::string weak(std::uint64_t i) {
  static char const* const words[] = {"password", "dragon", "monkey", "qwerty", "summer", "shadow", "master", "football"};
  return words[i % 8] + std::to_string(i / 8);
}
std::string strong(std::uint64_t i) {
  std::string text;
  for (auto random = hortus::mix64(i + 1); text.size() < 12; random = hortus::mix64(random))
    text += static_cast<char>('!' + random % 94);
  return text;
}

int main(int argc, char** argv) {
  std::uint64_t const count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  std::vector<std::string> list;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) bytes += list.emplace_back(weak(i)).size() + 1;
  auto const filter = hortus::ribbon_filter::build(list, {.fpr = 0.001});
  std::uint64_t rejected = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) rejected += filter.may_contain(strong(i)) ? 1U : 0U;
  std::printf("ribbon: %zu bytes for %zu passwords (%zu as text), %zu of them found; %llu of 100000 strong ones rejected\n",
              filter.size_bytes(), list.size(), bytes, filter.may_contain(list).count(),
              static_cast<unsigned long long>(rejected));

  // Words that a forum hides, and words that look like them but must stay. A word filter that looks for parts hides both.
  std::vector<std::string> const rude{"damn", "crap", "arse"}, harmless{"scrapbook", "parsec", "arsenal", "amsterdamned"};
  auto const hidden = hortus::exact_set_filter::build(rude, harmless, {.fpr = 0.001});
  std::printf("exact_set: %zu of %zu rude words hidden, %zu of %zu harmless ones\n", hidden.may_contain(rude).count(),
              rude.size(), hidden.may_contain(harmless).count(), harmless.size());
}
