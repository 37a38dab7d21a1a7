#include "redis/filter.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "redis/settings.hpp"

namespace hortus::server {

api::type* filter_value::type = nullptr;

std::uint64_t filter_value::next_stamp() noexcept {
  // Begins with the time, so that numbers from before a restart do not come again: fewer than 2^20 changes are made in a
  // millisecond.
  static std::atomic<std::uint64_t> last = static_cast<std::uint64_t>(api::Milliseconds()) << 20;
  return ++last & ~(std::uint64_t{1} << 63);  // a signed number in replies
}

void filter_value::defragment(api::defragmentation* how) noexcept {
  if (held_.marks->is_read()) return;
  auto const* const cells = held_.filter->family().cells();
  if (cells == nullptr) return;
  // The family shows its cells for reports only. The filter is ours, and only the address of its cells changes.
  const_cast<memory*>(cells)->relocate(
      [how](void* block, std::size_t bytes, std::size_t alignment) { return moved_block(block, bytes, alignment, how); });
}

namespace {

/// If the key has a value of BF.*, CF.*, CMS.* or TOPK.*, of this module or another, a sentence about it; else nothing.
std::string about_redisbloom(call const& it, std::size_t argument) {
  struct kind {
    std::string_view type;
    char const* what;
  };
  static constexpr kind kinds[] = {{"MBbloom--", "a Bloom filter of BF.*"},
                                   {"bloomfltr", "a Bloom filter of BF.*"},
                                   {"MBbloomCF", "a cuckoo filter of CF.*"},
                                   {"CMSk-TYPE", "a sketch of CMS.*"},
                                   {"TopK-TYPE", "a list of TOPK.*"}};
  struct freeing {
    void operator()(api::call_reply* reply) const noexcept { api::FreeCallReply(reply); }
  };
  std::unique_ptr<api::call_reply, freeing> const answer(api::Call(it.context(), "TYPE", "s", it.raw(argument)));
  std::size_t length = 0;
  char const* const type = answer == nullptr ? nullptr : api::CallReplyStringPtr(answer.get(), &length);
  for (auto const& each : kinds)
    if (type != nullptr && std::string_view(type, length) == each.type)
      return std::string(". It has ") + each.what +
             ", which hashes items in another way: HORTUS.CREATE makes a filter, and the same items are added to it again";
  return {};
}

}  // namespace

void filter_key::open(patient_call& it, std::size_t argument, bool writes) {
  check_serves(it, argument, writes);
  key_.emplace(it, argument, writes ? key_to_write : api::key_read);
  if (!key_->empty() && !key_->holds()) throw refusal(wrong_type_text + about_redisbloom(it, argument));
  value_ = key_->value();
  if (value_ == nullptr) throw refusal("ERR there is no filter at this key: HORTUS.CREATE and HORTUS.IMPORT make one");
}

void filter_key::unshare(patient_call& it) {
  if (!value_->is_shared()) return;
  if (value_->filter().size_bytes() < large_bytes || !it.can_block()) {
    (void)value_->replace(counted([&] { return value_->filter(); }));
    return;
  }
  remake_value(it, *value_, {[](any_filter const& shared) { return shared; }, value_->filter().size_bytes()},
               [](patient_call& now, filter_value&) { now.run(); });
  throw goes_on();
}

std::uint64_t most_object_bytes(patient_call const& it) noexcept {
  if (it.is_repeated()) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(current_settings().max_object_bytes);
}

void check_object_bytes(std::uint64_t bytes, std::uint64_t most) {
  if (bytes <= most) return;
  throw refusal("ERR the filter would take " + std::to_string(bytes) + " bytes, and the setting max-object-bytes allows " +
                std::to_string(most));
}

void check_absent(patient_call const& it, std::size_t argument) {
  if (!opened_key<filter_value>(it, argument, api::key_read).empty())
    throw refusal("ERR the key is there already: DEL it first, or use another name" + about_redisbloom(it, argument));
}

namespace {

/// Throws a refusal unless all that was read is still at its keys, on a server that may write argument 1.
void check_unchanged(patient_call const& it, std::span<source const> reads) {
  check_serves(it, 1, true);
  for (auto const& each : reads) {
    if (each.argument != 1) check_serves(it, each.argument, false);
    opened_key<filter_value> const key(it, each.argument, api::key_read);
    if (!key.holds() || key.value()->shared() != each.filter)
      throw refusal("ERR a filter was deleted or replaced before the command was done");
  }
}

std::vector<reading_marks*> marks_of(std::span<source const> reads) {
  std::vector<reading_marks*> marks;
  for (auto const& each : reads) marks.push_back(each.marks);
  return marks;
}

}  // namespace

void make_value(patient_call& it, making<caller> how, bool replaces, after_change then) {
  auto const marks = marks_of(how.reads);
  auto const made = std::make_shared<counted_filter>();
  auto compute = [made, make = std::move(how.make)](caller const& of) { *made = counted([&] { return make(of); }); };
  auto finish = [made, replaces, reads = std::move(how.reads), then = std::move(then)](patient_call& now) {
    check_unchanged(now, reads);
    if (!replaces) check_absent(now, 1);
    opened_key<filter_value> key(now, 1, key_to_write);
    auto* const value = new_value<filter_value>(std::exchange(*made, {}));
    if (key.holds()) *made = key.value()->replace({});  // Redis would free it here; so the other thread does
    then(now, *key.set(value));
  };
  do_work(it, how.bytes, marks, {std::move(compute), std::move(finish)});
}

void remake_value(patient_call& it, filter_value& old, making<any_filter> how, after_change then) {
  how.reads.emplace_back(1, old);
  auto const marks = marks_of(how.reads);
  auto const made = std::make_shared<counted_filter>();
  auto compute = [made, before = old.shared(), make = std::move(how.make)](caller const&) {
    *made = counted([&] { return make(*before); });
  };
  auto finish = [made, reads = std::move(how.reads), then = std::move(then)](patient_call& now) {
    check_unchanged(now, reads);
    opened_key<filter_value> key(now, 1, key_to_write);
    *made = key.value()->replace(std::move(*made));
    then(now, *key.value());
  };
  do_work(it, how.bytes, marks, {std::move(compute), std::move(finish)});
}

}  // namespace hortus::server
