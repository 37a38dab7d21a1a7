#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <hortus/any/any_filter.hpp>

#include "redis/background.hpp"
#include "redis/memory.hpp"
#include "redis/serving.hpp"

/// The value of a key that HORTUS.CREATE made: a filter of any family.
namespace hortus::server {

/// A filter, and what it takes of Redis' memory. Work in the background keeps a reference to the filters that it reads. A value
/// and its copies share all of this until one of them is changed.
struct counted_filter {
  std::shared_ptr<any_filter> filter;
  long long bytes = 0;
  /// Of the work that reads the filter, for whichever of the values. Only values hold it, so that it tells how many there are.
  std::shared_ptr<reading_marks> marks = std::make_shared<reading_marks>();
};

/// The filter that make() returns.
template <class Make>
counted_filter counted(Make make) {
  allocation_meter const taken;
  auto filter = std::allocate_shared<any_filter>(memory_allocator<any_filter>(), make());
  return {.filter = std::move(filter), .bytes = taken.bytes()};
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
  [[nodiscard]] reading_marks& marks() noexcept { return *held_.marks; }

  [[nodiscard]] filter_value copied() const { return filter_value(held_); }
  [[nodiscard]] bool is_shared() const noexcept { return held_.marks.use_count() > 1; }

  /// act(filter) changes the filter in place. Pre: marks().settle(), and it is not shared
  template <class Act>
  decltype(auto) change(Act act) {
    struct accounting {
      filter_value& of;
      allocation_meter taken{};
      ~accounting() { of.held_.bytes += taken.bytes(), of.stamp_ = next_stamp(); }
    } const at_the_end{*this};
    return act(*held_.filter);
  }
  /// Moves the cells to where the allocator wants them, unless work reads them.
  void defragment(api::defragmentation* how) noexcept;
  /// Puts another filter in place of this one, and returns this one: freeing it may take long.
  [[nodiscard]] counted_filter replace(counted_filter fresh) noexcept {
    stamp_ = next_stamp();
    auto old = std::exchange(held_, std::move(fresh));
    old.marks.reset();
    return old;
  }

 private:
  static std::uint64_t next_stamp() noexcept;

  counted_filter held_;
  std::uint64_t stamp_ = next_stamp();
};

inline constexpr int key_to_write = api::key_read | api::key_write;

/// A key that must hold a filter. Throws a refusal if it does not.
class filter_key {
 public:
  /// To read it.
  filter_key(patient_call& it, std::size_t argument) { open(it, argument, false); }

  enum purpose { to_change, to_replace };
  /// To change or replace it. Waits until no work reads it: see background.hpp. Then check(filter) throws whatever refuses the
  /// command. Only then a filter that is to be changed in place is copied if another value shares it: a command that is refused
  /// must not take the time and the memory.
  template <class Check>
  filter_key(patient_call& it, std::size_t argument, purpose what, Check check) {
    do open(it, argument, true);
    while (value_->marks().settle(it));
    check(std::as_const(*value_).filter());
    if (what == to_change) unshare(it);
  }

  [[nodiscard]] filter_value& operator*() const noexcept { return *value_; }
  [[nodiscard]] filter_value* operator->() const noexcept { return value_; }

 private:
  void open(patient_call& it, std::size_t argument, bool writes);
  void unshare(patient_call& it);

  std::optional<opened_key<filter_value>> key_;
  filter_value* value_;
};

/// The most bytes that the call may give to a value. What a master or a file says is repeated, whatever its size.
[[nodiscard]] std::uint64_t most_object_bytes(patient_call const& it) noexcept;
/// Throws a refusal if a value would take more than `most`.
void check_object_bytes(std::uint64_t bytes, std::uint64_t most);
/// Throws a refusal if there is something at the key.
void check_absent(patient_call const& it, std::size_t argument);

/// What a command does when a filter is in its place: replicate, tell the event, answer.
using after_change = std::function<void(patient_call&, filter_value&)>;

/// A filter that work reads, and the argument that names its key.
struct source {
  source(std::size_t key, filter_value& value) : argument(key), filter(value.shared()), marks(&value.marks()) {}
  std::size_t argument;
  std::shared_ptr<any_filter const> filter;
  reading_marks* marks;  ///< valid until the work begins
};

/// What making a filter is about: `make` runs in the background if that is about many bytes. It gets the call, or the old
/// filter.
template <class From>
struct making {
  std::function<any_filter(From const&)> make;
  std::uint64_t bytes;          ///< that it reads or writes
  std::vector<source> reads{};  ///< other filters. Refused if one is at its key no more: a replica would read something else
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
void make_value(patient_call& it, making<caller> how, bool replaces, after_change then);
/// Replaces the filter at argument 1 by one that is made from it. Refused if the filter went away meanwhile.
void remake_value(patient_call& it, filter_value& old, making<any_filter> how, after_change then);

/// Registers the type. Returns false if Redis refuses it.
bool add_filter_type(api::context* to);

}  // namespace hortus::server
