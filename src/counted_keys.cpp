#include <hortus/cells/counted_keys.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace hortus {
namespace {

constexpr key_kind kinds[] = {key_kind::bytes, key_kind::integers, key_kind::digests};

/// What a file records about a key.
constexpr std::uint64_t about(counted_keys::key_part const& key) noexcept {
  return key.length << 2 | (key.kind == key_kind::bytes ? 0 : key.kind == key_kind::integers ? 1 : 2);
}

/// The header word before a key's bytes: the number of bytes kept, and above those bits what a file records.
constexpr unsigned size_bits = 21;
constexpr std::uint64_t kept_in(std::uint64_t word) noexcept { return word & ((std::uint64_t{1} << size_bits) - 1); }

constexpr std::uint64_t words_for(std::uint64_t key_bytes) noexcept { return 1 + key_bytes / 8 + (key_bytes % 8 != 0 ? 1 : 0); }

/// A quarter more than is used. Keys are moved again only after that many more words, so each word is moved about five times
/// at most.
constexpr std::uint64_t with_spare(std::uint64_t words) noexcept { return words + words / 4 + 16; }

constexpr std::uint64_t roomy(std::uint64_t counters) noexcept { return counters + counters / 3 + 8; }

/// The largest distance of a counter from its home in the index. With random digests and 0.7 of the index in use, the
/// probability of a larger one is e^-232.
constexpr std::uint64_t farthest = 4096;

}  // namespace

counted_keys::key_part counted_keys::key_of(counter const& c) const noexcept {
  auto const* const at = words() + c.key;
  return {{reinterpret_cast<std::byte const*>(at + 1), kept_in(*at)}, *at >> (size_bits + 2), kinds[*at >> size_bits & 3]};
}

/// Returns the distance from its home.
std::uint64_t counted_keys::enter(std::uint64_t digest, std::uint64_t number) noexcept {
  auto const tag = tag_of(digest);
  auto at = home(tag);
  std::uint64_t far = 0;
  for (; index()[at] != 0; at = next(at)) ++far;
  index()[at] = tag << 32 | (number + 1);
  return far;
}

std::uint64_t counted_keys::place_of(std::uint64_t digest, std::uint64_t number) const noexcept {
  auto const tag = tag_of(digest);
  auto at = home(tag);
  while (index()[at] != (tag << 32 | (number + 1))) at = next(at);
  return at;
}

/// Entries that were displaced past this place move up, so that no search stops before it reaches them.
void counted_keys::leave(std::uint64_t digest, std::uint64_t number) noexcept {
  auto free = place_of(digest, number);
  for (auto at = next(free); index()[at] != 0; at = next(at)) {
    auto const wanted = home(index()[at] >> 32);
    bool const stays = free <= at ? free < wanted && wanted <= at : free < wanted || wanted <= at;
    if (stays) continue;
    index()[free] = index()[at];
    free = at;
  }
  index()[free] = 0;
}

std::uint64_t counted_keys::put_key(key_part const& key) noexcept {
  auto const size = words_for(key.bytes.size());
  auto at = hole_;
  if (size == hole_words_)
    hole_words_ = 0;
  else
    at = std::exchange(end_, end_ + size);
  live_ += size;
  words()[at] = about(key) << size_bits | key.bytes.size();
  if (!key.bytes.empty()) std::memcpy(words() + at + 1, key.bytes.data(), key.bytes.size());
  return at;
}

void counted_keys::drop_key(counter const& c) noexcept {
  hole_ = c.key;
  hole_words_ = words_for(kept_in(words()[c.key]));
  live_ -= hole_words_;
}

/// Moves all keys, without gaps, into a block with room for `more` words.
void counted_keys::move_keys(std::uint64_t more) {
  memory moved(8 * with_spare(live_ + more));
  auto* const to = reinterpret_cast<std::uint64_t*>(moved.data());
  end_ = 0;
  for (auto& c : std::span(row(), used_)) {
    auto const size = words_for(kept_in(words()[c.key]));
    std::memcpy(to + end_, words() + c.key, 8 * size);
    c.key = std::exchange(end_, end_ + size);
  }
  keys_ = std::move(moved);
  hole_words_ = 0;
}

/// Moves all counters into an array of `places`, and builds an index for that number.
void counted_keys::move_row(std::uint64_t places) {
  memory row(places * sizeof(counter));
  memory index(8 * (places * 10 / 7 + 1));
  if (used_ != 0) std::memcpy(row.data(), row_.data(), used_ * sizeof(counter));
  row_ = std::move(row);
  index_ = std::move(index);
  homes_ = index_.size() / 8;
  for (std::uint64_t i = 0; i < used_; ++i) enter(this->row()[i].digest, i);
}

/// When one part has to grow, the other gives back what it no longer needs. Otherwise many short keys followed by few long
/// ones would take twice the room.
void counted_keys::reserve(std::uint64_t key_bytes) {
  auto const more = words_for(key_bytes);
  auto const places = row_.size() / sizeof(counter);
  bool const keys_full = 8 * (end_ + more) > keys_.size();
  bool const row_full = used_ == places;
  if (keys_full || (row_full && keys_.size() > 8 * with_spare(live_ + more))) move_keys(more);
  if (row_full || (keys_full && places > roomy(used_))) move_row(roomy(used_));
}

void counted_keys::insert(entry const& e) noexcept {
  row()[used_] = {e.digest, e.count, e.error, put_key(e.key)};
  enter(e.digest, used_++);
}

void counted_keys::replace(counter* c, entry const& e) noexcept {
  auto const number = static_cast<std::uint64_t>(c - row());
  leave(c->digest, number);
  drop_key(*c);
  *c = {e.digest, e.count, e.error, put_key(e.key)};
  enter(e.digest, number);
}

void counted_keys::erase(counter* c) noexcept {
  auto const number = static_cast<std::uint64_t>(c - row());
  leave(c->digest, number);
  drop_key(*c);
  if (--used_ == number) return;
  *c = row()[used_];
  index()[place_of(c->digest, used_)] = tag_of(c->digest) << 32 | (number + 1);
}

counted_keys::counter* counted_keys::with_count(std::uint64_t count, std::uint64_t from) noexcept {
  for (auto at = from; at < used_; ++at)
    if (row()[at].count == count) return &row()[at];
  return nullptr;
}

std::uint64_t counted_keys::least_count() const noexcept { return std::ranges::min_element(all(), {}, &counter::count)->count; }

bool counted_keys::operator==(counted_keys const& other) const noexcept {
  return std::ranges::equal(all(), other.all(), [&](counter const& a, counter const& b) {
    auto const mine = key_of(a);
    auto const its = other.key_of(b);
    return a.digest == b.digest && a.count == b.count && a.error == b.error && about(mine) == about(its) &&
           std::ranges::equal(mine.bytes, its.bytes);
  });
}

memory counted_keys::counters_in_order() const {
  memory made(used_ * sizeof(counter));
  auto* to = reinterpret_cast<counter*>(made.data());
  for (auto const& c : all()) *to++ = {c.digest, c.count, c.error, about(key_of(c))};
  return made;
}

memory counted_keys::keys_in_order() const {
  std::uint64_t bytes = 0;
  for (auto const& c : all()) bytes += key_of(c).bytes.size();
  memory made(bytes);
  auto* to = made.data();
  for (auto const& c : all()) to = std::ranges::copy(key_of(c).bytes, to).out;
  return made;
}

bool counted_keys::restore(memory const& counters, memory const& keys, std::uint64_t key_bytes) {
  clear();
  auto const size = counters.size() / sizeof(counter);
  if (counters.size() % sizeof(counter) != 0) return false;
  auto const counter_at = [&](std::size_t i) {
    counter c;
    std::memcpy(&c, counters.data() + i * sizeof c, sizeof c);
    return c;
  };
  auto const kept = [&](counter const& c) { return std::min(c.key >> 2, key_bytes); };
  std::uint64_t bytes = 0;  // first how much there is: nothing is allocated that the file does not hold
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < size; ++i) {
    auto const some = kept(counter_at(i));
    if (some > keys.size() - bytes) return false;
    bytes += some;
    needed += words_for(some);
  }
  if (bytes != keys.size()) return false;
  if (size == 0) return true;
  keys_ = memory(8 * with_spare(needed));
  move_row(roomy(size));
  auto rest = keys.bytes();
  for (std::size_t i = 0; i < size; ++i) {
    auto const c = counter_at(i);
    auto const length = c.key >> 2;
    auto const kind = c.key & 3;
    bool const known = kind == 0 || (kind == 1 && length == 8) || (kind == 2 && length == 0);
    if (c.count == 0 || !known || length > max_length || find(hortus::digest(c.digest)) != nullptr) return false;
    row()[used_] = {c.digest, c.count, c.error, put_key({rest.first(kept(c)), length, kinds[kind]})};
    if (enter(c.digest, used_++) > farthest) return false;
    rest = rest.subspan(kept(c));
  }
  return true;
}

}  // namespace hortus
