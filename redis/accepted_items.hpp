#pragma once
#include <cstddef>

#include "redis/call.hpp"

namespace hortus::server {

/// Replicates a command on items without the items that were refused. A replica may have other settings and more memory. It
/// would add what the master did not. The items between two that were refused are replicated as one command; if none was
/// refused, that is the command as it came.
class accepted_items {
 public:
  accepted_items(call const& it, std::size_t first) noexcept : it_(it), first_(first), from_(first) {}

  void changed() noexcept { run_changed_ = any_changed_ = true; }
  void refused(std::size_t argument) noexcept {
    replicate_run(argument);
    from_ = argument + 1;
  }
  /// After the last item. Returns whether any changed the value.
  bool end() noexcept {
    if (from_ == first_ && run_changed_)
      it_.replicate();
    else
      replicate_run(it_.size());
    return any_changed_;
  }

 private:
  void replicate_run(std::size_t end) noexcept {
    if (run_changed_) it_.replicate_items(first_, from_, end);
    run_changed_ = false;
  }

  call const& it_;
  std::size_t first_;  // the argument that is the first item
  std::size_t from_;   // the first item after the last that was refused
  bool run_changed_ = false;
  bool any_changed_ = false;
};

}  // namespace hortus::server
