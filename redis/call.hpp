#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "redis/api.hpp"

namespace hortus::server {

/// Ends a command with an error reply. The text is the whole reply, with its code: "ERR not found", "WRONGTYPE ...".
struct refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The same for want of memory, which another server may have had: see call::reply_refusal().
struct no_memory : refusal {
  using refusal::refusal;
};
struct wrong_arity {};
inline constexpr char const* out_of_memory_text = "OOM not enough memory";
inline constexpr char const* wrong_type_text = "WRONGTYPE Operation against a key holding the wrong kind of value";

/// A call of a command as far as any thread may use it: the arguments, and the means to answer. Argument 0 is the command's
/// name.
class caller {
 public:
  caller(api::context* context, api::string** arguments, int count) noexcept
      : context_(context), arguments_(arguments, static_cast<std::size_t>(count)) {}

  [[nodiscard]] std::size_t size() const noexcept { return arguments_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    std::size_t length = 0;
    char const* const text = api::StringPtrLen(arguments_[i], &length);
    return {text, length};
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const noexcept;  ///< in any case of letters

  // -- answers; every call gives one, unless it throws -----------------------------------------------------------------------
  void reply(long long value) const noexcept { api::ReplyWithLongLong(context_, value); }
  void reply_ok() const noexcept { api::ReplyWithSimpleString(context_, "OK"); }
  void reply_word(char const* text) const noexcept { api::ReplyWithSimpleString(context_, text); }  ///< a simple string
  void reply_bytes(std::string_view bytes) const noexcept { api::ReplyWithStringBuffer(context_, bytes.data(), bytes.size()); }
  void reply_truth(bool value) const noexcept;  ///< a boolean in RESP3, 1 or 0 before
  void reply_null() const noexcept { api::ReplyWithNull(context_); }
  void reply_number(double value) const noexcept { api::ReplyWithDouble(context_, value); }
  void reply_error(char const* text) const noexcept { api::ReplyWithError(context_, text); }
  void begin_array(std::size_t length) const noexcept { api::ReplyWithArray(context_, static_cast<long>(length)); }
  void begin_array_of_unknown_length() const noexcept { api::ReplyWithArray(context_, api::postponed_length); }
  void end_array(std::size_t length) const noexcept { api::ReplySetArrayLength(context_, static_cast<long>(length)); }
  void begin_map(std::size_t pairs) const noexcept;  ///< before RESP3 a flat array of names and values

 protected:
  // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): `call` is the same and more
  api::context* context_;
  std::span<api::string*> arguments_;
  // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)
};

/// A call of a command on the main thread, where keys, events and replication are: see main_thread.hpp.
class call : public caller {
 public:
  using caller::caller;

  [[nodiscard]] api::context* context() const noexcept { return context_; }
  [[nodiscard]] api::string* raw(std::size_t i) const noexcept { return arguments_[i]; }
  [[nodiscard]] std::span<api::string* const> arguments() const noexcept { return arguments_; }
  [[nodiscard]] std::optional<long long> integer(std::size_t i) const noexcept;
  [[nodiscard]] std::optional<double> number(std::size_t i) const noexcept;

  [[nodiscard]] bool speaks_resp3() const noexcept;

  /// An error for a client. A master and a file get null in its place: what they say was refused before, where it was first
  /// run, so that all is in order. A replica that sends its master errors fills its log, and with propagation-error-behavior
  /// it ends. What this server alone cannot do for want of memory is an error for them, too.
  void reply_refusal(char const* text) const noexcept;

  /// Replicates the command as it came, and writes it to the append-only file.
  void replicate() const noexcept { api::ReplicateVerbatim(context_); }
  /// Only its first `count` arguments, the name among them.
  void replicate_first(std::size_t count) const {
    if (count == size()) return replicate();
    api::Replicate(context_, std::string((*this)[0]).c_str(), "v", arguments_.data() + 1, count - 1);
  }
  /// Those before `items`, and those from `from` to before `to`.
  void replicate_items(std::size_t items, std::size_t from, std::size_t to) const noexcept {
    api::Replicate(context_, (*this)[0].data(), "vv", arguments_.data() + 1, items - 1, arguments_.data() + from, to - from);
  }
  void notify(char const* event, std::size_t key = 1) const noexcept {
    api::NotifyKeyspaceEvent(context_, api::notify_module, event, arguments_[key]);
  }
};

/// Does the command come from a master or a file, which carried it out before?
[[nodiscard]] bool comes_from_elsewhere(api::context* of) noexcept;
/// How often reply_refusal() answered null, for INFO.
[[nodiscard]] unsigned long long repeated_refusals() noexcept;

/// Answers with the exception that is being handled. Pre: in a handler.
void reply_failure(api::context* context) noexcept;

/// A command's body as a function for Redis: what the body throws becomes an error reply.
int run_guarded(void (*body)(call&), api::context* context, api::string** arguments, int count) noexcept;
template <void (*Body)(call&)>
int guarded(api::context* context, api::string** arguments, int count) noexcept {
  return run_guarded(Body, context, arguments, count);
}

/// A key, opened for reading or writing, whose value is a T if it has one. T::type is its type.
template <class T>
class opened_key {
 public:
  opened_key(call const& of, std::size_t argument, int mode)
      : key_(api::OpenKey(of.context(), of.raw(argument), mode)),
        kind_(key_ == nullptr ? api::key_empty : api::KeyType(key_)) {}
  opened_key(opened_key const&) = delete;
  opened_key& operator=(opened_key const&) = delete;
  ~opened_key() {
    if (key_ != nullptr) api::CloseKey(key_);
  }

  [[nodiscard]] bool empty() const noexcept { return kind_ == api::key_empty; }
  [[nodiscard]] bool holds() const noexcept { return kind_ == api::key_module && api::ModuleTypeGetType(key_) == T::type; }
  /// Null if there is no such key. Throws the refusal WRONGTYPE if it holds something else.
  [[nodiscard]] T* value() const {
    if (empty()) return nullptr;
    if (!holds()) throw refusal(wrong_type_text);
    return static_cast<T*>(api::ModuleTypeGetValue(key_));
  }
  /// Makes this the key's value, in place of any other. Pre: opened for writing.
  T* set(T* fresh) noexcept {
    api::ModuleTypeSetValue(key_, T::type, fresh);
    kind_ = api::key_module;
    return fresh;
  }
  [[nodiscard]] api::key* raw() const noexcept { return key_; }

 private:
  api::key* key_;
  int kind_;
};

}  // namespace hortus::server
