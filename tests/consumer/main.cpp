// Uses the library from outside, as the README describes: consumer FILE
#include <cstdio>
#include <string>

#include <hortus/hortus.hpp>

std::size_t size_elsewhere(hortus::bloom_filter const& filter);  // other.cpp

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string const file = argv[1];

  hortus::bloom_filter seen({.items = 1000, .fpr = 0.01});
  seen.insert("ada");
  hortus::save(seen, file);
  auto const again = hortus::load<hortus::bloom_filter>(file);

  bool const kept = again == seen && again.may_contain(std::string("ada")) && size_elsewhere(again) == seen.size_bytes();
  std::printf("hortus %.*s: %s\n", static_cast<int>(hortus::version.size()), hortus::version.data(), kept ? "kept" : "lost");
  return kept ? 0 : 1;
}
