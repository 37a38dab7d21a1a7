#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

/// Files of bytes for the tests of line readers.
namespace hortus::cli {

inline void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0) throw std::runtime_error("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

/// A file that lasts as long as the test.
struct scratch_file {
  explicit scratch_file(std::string_view bytes) : path(testing::TempDir() + "hortus_lines_XXXXXX") {
    int const descriptor = ::mkstemp(path.data());
    if (descriptor < 0) throw std::runtime_error("no scratch file");
    write_all(descriptor, bytes);
    ::close(descriptor);
  }
  scratch_file(scratch_file const&) = delete;
  scratch_file& operator=(scratch_file const&) = delete;
  ~scratch_file() { ::unlink(path.c_str()); }
  std::string path;
};

}  // namespace hortus::cli
