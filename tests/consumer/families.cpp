// Prints the families that the library has at run time and the family of a file, or why the file cannot be read: families FILE
#include <cstdio>

#include <hortus/any/any_filter.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (auto const& family : hortus::catalogue())
    std::printf("%.*s\n", static_cast<int>(family.name.size()), family.name.data());
  auto const filter = hortus::try_load(argv[1]);
  if (filter) {
    auto const kind = filter->family().kind();
    std::printf("a file of %.*s\n", static_cast<int>(kind.size()), kind.data());
  } else {
    std::printf("%s\n", filter.message());
  }
}
