#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <hortus/any/any_filter.hpp>

#include "redis/background.hpp"
#include "redis/memory.hpp"

/// The value of a key that HORTUS.CREATE made: a filter of any family.
namespace hortus::server {

/// A filter, and what it takes of Redis' memory. Work in the background keeps a reference to the filters that it reads.
struct counted_filter {
  std::shared_ptr<any_filter> filter;
  long long bytes = 0;
};

/// The filter that make() returns.
template <class Make>
counted_filter counted(Make make) {
  allocation_meter const taken;
  auto filter = std::allocate_shared<any_filter>(memory_allocator<any_filter>(), make());
  return {std::move(filter), taken.bytes()};
}

class filter_value {
 public:
  static api::type* type;

  explicit filter_value(counted_filter held) noexcept : held_(std::move(held)) {}

  [[nodiscard]] any_filter const& filter() const noexcept { return *held_.filter; }
  [[nodiscard]] std::shared_ptr<any_filter const> shared() const noexcept { return held_.filter; }
  [[nodiscard]] long long bytes() const noexcept { return held_.bytes; }
  /// Changes with every change of the filter, and is never the same again, also not after a restart.
  [[nodiscard]] std::uint64_t stamp() const noexcept { return stamp_; }
  [[nodiscard]] reading_marks& marks() noexcept { return marks_; }

  /// act(filter) changes the filter in place. Pre: marks().settle()
  template <class Act>
  decltype(auto) change(Act act) {
    struct accounting {
      filter_value& of;
      allocation_meter taken{};
      ~accounting() { of.held_.bytes += taken.bytes(), of.stamp_ = next_stamp(); }
    } const at_the_end{*this};
    return act(*held_.filter);
  }
  /// Puts another filter in place of this one, and returns this one: freeing it may take long.
  [[nodiscard]] counted_filter replace(counted_filter fresh) noexcept {
    stamp_ = next_stamp();
    return std::exchange(held_, std::move(fresh));
  }

 private:
  static std::uint64_t next_stamp() noexcept;

  counted_filter held_;
  std::uint64_t stamp_ = next_stamp();
  reading_marks marks_;
};

/// A key that must hold a filter. Throws a refusal if it does not.
class filter_key {
 public:
  static constexpr auto to_read = api::key_read;
  static constexpr auto to_change = api::key_read | api::key_write;
  /// To change it, waits until no work reads it: see background.hpp.
  filter_key(patient_call& it, std::size_t argument, int mode = to_read);

  [[nodiscard]] filter_value& operator*() const noexcept { return *value_; }
  [[nodiscard]] filter_value* operator->() const noexcept { return value_; }

 private:
  std::unique_ptr<opened_key<filter_value>> key_;
  filter_value* value_;
};

/// Throws a refusal if a command may not make a value of that size.
void check_object_bytes(patient_call const& it, std::uint64_t bytes);
/// Throws a refusal if the server became a replica while the client was blocked.
void check_can_write(patient_call const& it);
/// Throws a refusal if there is something at the key.
void check_absent(patient_call const& it, std::size_t argument);

/// What a command does when a filter is in its place: replicate, tell the event, answer.
using after_change = std::function<void(patient_call&, filter_value&)>;

/// What making a filter is about: `make` runs in the background if that is about many bytes. It gets the call, or the old
/// filter.
template <class From>
struct making {
  std::function<any_filter(From const&)> make;
  std::uint64_t bytes;                  ///< that it reads or writes
  std::vector<reading_marks*> reads{};  ///< of other values that it reads
};
/// A copy that act(filter) changes.
template <class Act>
auto changed_copy(Act act) {
  return [act](any_filter const& old) {
    auto changed = old;
    act(changed);
    return changed;
  };
}
/// Makes a value for argument 1. With `replaces` another value there goes away, else it is refused.
void make_value(patient_call& it, making<call> how, bool replaces, after_change then);
/// Replaces the filter at argument 1 by one that is made from it. Refused if the filter went away meanwhile.
void remake_value(patient_call& it, filter_value& old, making<any_filter> how, after_change then);

/// Registers the type. Returns false if Redis refuses it.
bool add_filter_type(api::context* to);

}  // namespace hortus::server
