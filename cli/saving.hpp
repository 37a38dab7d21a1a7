#pragma once
#include <span>
#include <string>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/any_near.hpp>

#include "cli/options.hpp"
#include "cli/shared_options.hpp"

namespace hortus::cli {

/// Where a command writes the filter it makes, and what it tells about it.
struct save_options {
  std::string path;  ///< "-" is standard output
  bool force = false;
  bool json = false;
  bool verbose = false;

  enum class output_is { required, optional };
  void add_options(subcommand const& command, std::string const& help, output_is how = output_is::required);
  /// Throws errc::io if it is already clear that the file cannot be written or must not be replaced.
  void check(std::span<std::string const> inputs = {}, key_file const& key = {}) const;
  /// Is the output one of these files? Then the command changes it, and takes its lock.
  [[nodiscard]] bool is_one_of(std::span<std::string const> files) const;
  void save(any_filter const& filter) const { save(image_of(filter)); }
  void save(any_near_filter const& filter) const { save(image_of(filter)); }
  /// With --json the file is described on standard output, with --verbose a line about it is printed on standard error.
  void report(any_filter const& filter) const;
  void report(any_near_filter const& filter) const;

 private:
  void save(image const& what) const;
};

/// "seen.hortus: a bloom filter of 1.2 MiB, about 1 M keys, 1 % false positives", on standard error.
void tell_summary(std::string const& path, any_filter const& filter);

}  // namespace hortus::cli
