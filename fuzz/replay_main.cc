// Replaces libFuzzer in ordinary builds: passes the empty input and then every file of the named folders, in the order of their
// names, to the function under test, which aborts on failure.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Copies the input to a heap block of exactly its size, so that AddressSanitizer detects a read one byte past the end.
void feed(std::string const& input) {
  std::vector<std::uint8_t> const bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t fed = 1;
  feed("");
  for (int i = 1; i < argc; ++i) {
    for (auto const& file : files_in(argv[i])) {
      // Printed beforehand and unbuffered, so that after an abort the last line names the file.
      std::fprintf(stderr, "%s\n", file.c_str());
      feed(contents_of(file));
      ++fed;
    }
  }
  std::printf("%zu inputs\n", fed);
}
