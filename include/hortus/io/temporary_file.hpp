#pragma once

namespace hortus {

/// Opens a file without a name, for reading and writing, and returns its descriptor. It disappears with the process. Its folder
/// is that of TMPDIR, or else the system's. std::tmpfile() would do, but ignores TMPDIR. Throws errc::io.
[[nodiscard]] int open_temporary_file();

/// Throws errc::io: what could not be done ("write"), the folder, the reason (an errno), and what would help.
[[noreturn]] void temporary_file_failed(char const* doing, int reason);

}  // namespace hortus
