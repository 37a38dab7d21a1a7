#include "bench/peak_memory.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hortus::bench {
namespace {

/// A value of /proc/self/status in bytes: "VmHWM:     1234 kB".
std::optional<std::uint64_t> status(std::string const& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kib = 0;
    if (line.starts_with(name) && std::sscanf(line.c_str() + name.size(), ": %llu kB", &kib) == 1)
      return std::uint64_t{kib} * 1024;
  }
  return std::nullopt;
}

/// Sets the peak of the resident size to its present value. False if the system cannot.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

peak_memory::peak_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  if (reset_peak()) before_ = status("VmRSS");
}

std::optional<std::uint64_t> peak_memory::growth() const {
  auto const peak = before_ ? status("VmHWM") : std::nullopt;
  if (!peak || *peak < *before_ + least_bytes) return std::nullopt;
  return *peak - *before_;
}

}  // namespace hortus::bench
