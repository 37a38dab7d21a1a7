#pragma once
#include <functional>
#include <string>

#include <hortus/sets/key_source.hpp>

#include "cli/shared_options.hpp"

namespace hortus::cli {

/// The lines of a file as one side of a reconciliation. A pipe can be read only once, so it is copied to a temporary file, and
/// so is standard input, which another program may have read from.
class file_keys final : public sets::key_source {
 public:
  /// "-" is standard input. Throws errc::io if it cannot be read, before any key is.
  file_keys(std::string path, key_input format);

  /// Warns about an input that probably was not meant as it is read, the first time.
  void for_each_block(block_action const& act) const override;

 private:
  std::string name_;  // for messages
  key_input input_;
  open_file copy_;
  mutable bool warned_ = false;
};

}  // namespace hortus::cli
