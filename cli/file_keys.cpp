#include "cli/file_keys.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/io/temporary_file.hpp>

#include "cli/text/progress.hpp"

namespace hortus::cli {
namespace {

/// The bytes as they are: both passes decompress them.
open_file copied(line_input const& from) {
  open_file copy(open_temporary_file(), true);
  input_bytes in(from, decompress::no);
  std::vector<char> buffer(std::size_t{256} << 10);
  while (auto const got = in.read(buffer)) {
    for (std::size_t out = 0; out < got;) {
      auto const some = ::write(copy.descriptor(), buffer.data() + out, got - out);
      if (some < 0 && errno != EINTR) temporary_file_failed("write", errno);
      if (some > 0) out += static_cast<std::size_t>(some);
    }
  }
  return copy;
}

}  // namespace

file_keys::file_keys(std::string path, key_input format) : name_(std::move(path)), input_(std::move(format)) {
  if (name_ != "-" && ::access(name_.c_str(), R_OK) != 0)  // the readers of keys would advise -e, which is not for lists
    throw error(errc::io, "cannot read " + shown_name({.path = name_}) + ": " + std::generic_category().message(errno));
  input_.paths = {name_};
  auto const inputs = line_inputs(input_.paths, input_.format().unpack);
  if (inputs.front().regular && name_ != "-") return;
  copy_ = copied(inputs.front());
  input_.paths = {fmt::format("/dev/fd/{}", copy_.descriptor())};  // opened anew for each pass
}

void file_keys::for_each_block(block_action const& act) const try {
  auto in = std::exchange(warned_, true) ? input_.quiet_reader() : input_.reader();
  progress shown("reading", in.total_bytes(), progress_unit::bytes, input_.progress_mode());
  for (record_block block; in.next(block); shown.update(in.bytes_read()))
    if (block.what == record_block::kind::keys) act(block.keys);
} catch (error const& e) {
  if (copy_.descriptor() < 0) throw;
  auto what = std::string(e.what());  // names the copy
  auto const quoted = "'" + input_.paths.front() + "'";
  if (auto const at = what.find(quoted); at != std::string::npos) what.replace(at, quoted.size(), shown_name({.path = name_}));
  throw error(e.code(), what);
}

}  // namespace hortus::cli
