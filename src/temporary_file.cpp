#include <hortus/io/temporary_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include <hortus/error.hpp>

namespace hortus {
namespace {

std::string temporary_folder() {
  auto const* const wish = std::getenv("TMPDIR");
  return wish != nullptr && *wish != '\0' ? wish : P_tmpdir;
}

}  // namespace

int open_temporary_file() {
  auto name = temporary_folder() + "/hortus.XXXXXX";
  int const file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) temporary_file_failed("create", errno);
  ::unlink(name.c_str());
  return file;
}

void temporary_file_failed(char const* doing, int reason) {
  throw error(errc::io, std::string("cannot ") + doing + " a temporary file for the keys in '" + temporary_folder() +
                            "': " + std::generic_category().message(reason) +
                            "; TMPDIR names another folder, and with more memory none is needed");
}

}  // namespace hortus
