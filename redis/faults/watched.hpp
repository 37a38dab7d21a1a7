#pragma once
#include <string_view>

namespace hortus::server::api {

/// Ends the process if the calling thread is not the one that loaded the module, after naming the thread and the function.
void demand_main_thread(char const* function) noexcept;

/// A function of the server that knows which threads may call it (api.def). Only builds for tests have it; in others it is a
/// plain pointer.
template <class Function>
class watched {
 public:
  watched(char const* name, std::string_view thread) noexcept : name_(name), only_main_(thread == "main") {}
  watched& operator=(Function* function) noexcept {
    function_ = function;
    return *this;
  }
  operator Function*() const noexcept {  // NOLINT(google-explicit-constructor): it stands for the function
    if (only_main_) demand_main_thread(name_);
    return function_;
  }

 private:
  Function* function_ = nullptr;
  char const* name_;
  bool only_main_;
};

}  // namespace hortus::server::api
