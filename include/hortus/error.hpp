#pragma once
#include <stdexcept>
#include <string>

namespace hortus {

/// What kind of thing went wrong. Values are append-only: programs compare them.
enum class errc {
  bad_goal,      ///< no filter can do what was asked (fpr 0, more bits than 2^42, ...)
  bad_params,    ///< a shape that is no filter (no bits, no probes, ...)
  corrupt,       ///< bytes that no release of hortus wrote, or that were damaged since
  incompatible,  ///< two filters that cannot be combined
  unsupported,   ///< a verb the family lacks, a format version of the future
  wrong_key,     ///< the filter was made with a secret key: none, or another one, was given
  io,            ///< the operating system refused: open, read, write, map, rename
  full,          ///< keys that do not fit, or a filter that cannot grow any more
  no_memory,     ///< of result: there was no memory for it, where others throw std::bad_alloc
};

/// The one exception hortus throws: from constructors, merge and load, never from a hot path. what() says what was wrong and
/// what would be right, in one sentence without a full stop, so that it can follow a file's name and a colon.
class error : public std::runtime_error {
 public:
  error(errc code, std::string const& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace hortus
