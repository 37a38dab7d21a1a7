#include "cli/redis/line_batches.hpp"

#include <array>

namespace hortus::cli {
namespace {

/// A command with so many keys takes a few milliseconds, during which the server serves nobody else.
constexpr std::size_t batch_keys = 65536;
constexpr std::size_t batches_ahead = 3;
constexpr std::size_t none = ~std::size_t{0};

}  // namespace

void kept_lines::add(record_block const& block, bool with_keys) {
  auto const keep = [&](std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  };
  kept_block it{.what = block.what,
                .first = ends_.size(),
                .lines = block.lines.size(),
                .first_key = none,
                .asked_before = asked_,
                .input = std::string(block.input),
                .first_line = block.first_line};
  for (auto const line : block.lines) keep(line);
  if (with_keys && !block.keys.empty()) {
    it.first_key = ends_.size();
    for (auto const key : block.keys) keep(key);
  }
  lines_ += block.lines.size();
  if (block.what == record_block::kind::keys) asked_ += block.lines.size();
  blocks_.push_back(std::move(it));
}

void kept_lines::for_each_block(std::function<void(record_block const&, std::size_t)> const& act) const {
  std::vector<std::string_view> lines;
  std::vector<std::string_view> keys;
  auto const text = [&](std::size_t i) {
    auto const begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  };
  for (auto const& each : blocks_) {
    lines.clear();
    keys.clear();
    for (std::size_t i = 0; i < each.lines; ++i) lines.push_back(text(each.first + i));
    if (each.first_key != none)
      for (std::size_t i = 0; i < each.lines; ++i) keys.push_back(text(each.first_key + i));
    act({.what = each.what,
         .lines = lines,
         .keys = keys,
         .numbers = {},
         .values = {},
         .input = each.input,
         .first_line = each.first_line,
         .integers = false},
        each.asked_before);
  }
}

/// Reads a batch of lines and sends their keys. False at the end.
bool line_batches::read(under_way& into) {
  std::vector<digest> keys;
  std::array<digest, line_reader::block_lines> space;
  auto kind = key_kind::bytes;
  bool any = false;
  for (record_block block; keys.size() + line_reader::block_lines <= batch_keys && in_.next(block);) {
    any = true;
    if (how_.keep_lines || block.what != record_block::kind::keys) into.lines.add(block, how_.keep_keys);
    if (block.what == record_block::kind::keys) {
      kind = block.integers ? key_kind::integers : key_kind::bytes;
      auto const count = block.with_keys([&](auto these) {
        auto key = these.begin();
        return digests_of(from_.hash(), key, these.end(), space);
      });
      keys.insert(keys.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (in_.streaming()) break;  // somebody may wait for the answers
  }
  if (!any) return false;
  into.bytes_read = in_.bytes_read();
  into.asked = from_.start(how_.what, std::move(keys), kind);
  return true;
}

void line_batches::run(show const& show_lines, std::function<void(std::uint64_t)> const& progress) {
  std::deque<under_way> ahead;
  auto const most = in_.streaming() ? 1 : batches_ahead;
  for (bool more = true; more || !ahead.empty();) {
    while (more && ahead.size() < most) {
      under_way next;
      more = read(next);
      if (more) ahead.push_back(std::move(next));
    }
    if (ahead.empty()) return;
    auto const found = from_.finish(ahead.front().asked);
    progress(ahead.front().bytes_read);
    if (!show_lines(ahead.front().lines, found)) return;
    ahead.pop_front();
  }
}

}  // namespace hortus::cli
