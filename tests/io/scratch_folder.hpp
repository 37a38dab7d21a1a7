#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace hortus::testing {

/// A folder of the test's own, gone when the test is over.
class scratch_folder {
 public:
  scratch_folder() {
    auto name = (std::filesystem::temp_directory_path() / "hortus_io_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }

  /// The names in it, hidden ones too, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(path_)) all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::byte> contents(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

inline void write_contents(std::filesystem::path const& file, std::vector<std::byte> const& bytes) {
  std::filesystem::remove(file);  // file systems write to the disk at once what is truncated and written again
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace hortus::testing
