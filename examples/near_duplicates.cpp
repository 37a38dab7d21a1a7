// Near duplicates. Three kinds of keys: texts with small changes, 64-bit hashes of images that differ in a few bits, and
// vectors that point nearly the same way. A filter keeps none of them, and tells whether a new one is near one that it was
// given.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <hortus/near/distance_sensitive.hpp>

int main() {
  // Texts: the distance is 1 - (pieces of 4 bytes that both have) / (pieces that either has).
  hortus::near_texts articles({.items = 1000, .fpr = 0.001, .near = 0.2, .far = 0.8, .fnr = 0.001});
  articles.insert("The committee met on Tuesday and agreed to postpone the vote until the report is out.");
  articles.insert("Heavy rain is expected in the north, with strong winds along the coast by the evening.");
  std::printf("texts: %u of %u means near\n", articles.threshold(), articles.arrays());
  for (std::string const text : {
           "The committee met on Tuesday and agreed to postpone the vote until the report is out.",
           "The committee met on Tuesday, and agreed to postpone the vote until the report is out!",
           "The committee met on Friday and rejected the report.",
           "A new species of beetle was found in a garden.",
       })
    std::printf("%5u  %-4s  %s\n", articles.score(text), articles.is_near(text) ? "near" : "", text.c_str());

  // Perceptual hashes of images: the distance is the share of the 64 bits that differ.
  hortus::near_bits images({.items = 1000, .near = 3 / 64.0, .far = 0.4, .slice_ratio = 8});
  std::uint64_t const image = 0x8f373714acfcf4d0;
  images.insert(image);
  std::printf("images: %u of %u means near\n", images.threshold(), images.arrays());
  for (std::uint64_t const changed : {0x0ULL, 0x1ULL, 0x8100000000010000ULL, 0xffff0000ffff0000ULL})
    std::printf("%5u  %-4s  %2d bits differ\n", images.score(image ^ changed), images.is_near(image ^ changed) ? "near" : "",
                __builtin_popcountll(changed));

  // Vectors: the distance is the angle between them, as a share of a half turn. 0.05 is 9 degrees.
  hortus::near_vectors tastes({.items = 1000, .near = 0.05, .far = 0.4});
  tastes.insert(std::vector<double>{5, 1, 0, 3});
  std::printf("vectors: %u of %u means near\n", tastes.threshold(), tastes.arrays());
  for (std::vector<double> const& v : std::vector<std::vector<double>>{{10, 2, 0, 6}, {5, 1, 0.3, 3.2}, {0, 4, 5, 0}})
    std::printf("%5u  %-4s  %g %g %g %g\n", tastes.score(v), tastes.is_near(v) ? "near" : "", v[0], v[1], v[2], v[3]);

  // What cannot be is refused, with what could.
  try {
    hortus::near_bits const too_much({.items = 1'000'000, .near = 0.3, .far = 0.4});
  } catch (hortus::error const& e) {
    std::printf("%s\n", e.what());
  }
}
