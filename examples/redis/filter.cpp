// A filter in Redis, from a program: example_redis_filter URL. tests/redis/command_test.py puts two filters there, `seen`,
// which counts, and `values`, a map.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/redis/filter.hpp>

namespace {

void use(std::string_view url) {
  hortus::redis::filter seen(url, "seen");  // at one key or in shards, from a server or a cluster: the same
  std::vector<std::string> const names{"ada", "grace"};
  auto const hits = seen.may_contain(names);
  std::cout << "ada " << hits[0] << " grace " << hits[1] << "\n";

  std::vector<std::string> numbers{"ada"};
  numbers.reserve(1000);
  for (int i = 0; i < 999; ++i) numbers.push_back(std::to_string(i));
  auto const fresh = seen.insert_if_new(numbers);
  auto const inserted = fresh.size();
  std::cout << inserted << " inserted, " << fresh.count() << " new, ";
  std::cout << seen.erase(std::vector<std::string>{"ada"}) << " erased\n";
  auto const counts = seen.count(std::vector<std::string>{"grace", "500"});
  std::cout << "grace counted " << counts[0] << ", 500 counted " << counts[1] << "\n";

  hortus::redis::filter values(url, "values");
  auto const found = values.find(std::vector<std::string>{"7"});
  if (found[0]) std::cout << "7 has the value " << *found[0] << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    use(argv[1]);
  } catch (hortus::error const& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
