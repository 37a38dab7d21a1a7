#pragma once
#include <stdexcept>
#include <string>

namespace hortus {

/// The kind of an error. Values are append-only: programs compare them.
enum class errc {
  bad_goal,      ///< no filter can meet the goal (fpr 0, more than 2^42 bits, ...)
  bad_params,    ///< params that no filter can have (no bits, no probes, ...)
  corrupt,       ///< bytes that no release of hortus wrote, or that were damaged later
  incompatible,  ///< two filters that cannot be combined
  unsupported,   ///< a verb the family lacks, a format version of the future
  wrong_key,     ///< the filter was made with a secret key, and no key or a different one was given
  io,            ///< the operating system refused: open, read, write, map, rename
  full,          ///< keys do not fit, or a filter cannot grow any more
  no_memory,     ///< in a result: out of memory, where other functions throw std::bad_alloc
  absent,        ///< at(): the key is certainly not in the map
  too_large,     ///< a message that unpacks to more bytes than its length justifies or the caller allows
};

/// The one exception that hortus throws: from constructors, merge, load, and a filter that cannot grow any more. A lookup
/// throws it only through any_filter, if the family lacks the verb. what() is one sentence that says what was wrong and what
/// would be right. It has no full stop, so that it can follow a file name and a colon.
class error : public std::runtime_error {
 public:
  error(errc code, std::string const& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace hortus
