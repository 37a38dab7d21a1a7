#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hortus/maths/divisors.hpp>
#include <hortus/redis/transfer.hpp>

#include "src/redis/key_lock.hpp"

/// Another number of shards, in these steps:
/// 1. From every old shard the new ones are made, under keys of the next generation. Clients use the old ones.
/// 2. The old shards get other names. Clients do not find them, look at the directory, and wait.
/// 3. What was changed since it was copied is copied again.
/// 4. The directory names the new generation. Clients go on.
/// 5. The old shards are deleted.
/// So a key that was acknowledged is in the new shards, and no client asks shards of two generations about one key.
namespace hortus::redis {
namespace {

/// "1, 2, 3, 6, 60 or 204": multiples and divisors of the present number, the nearest ten.
std::string numbers_for(shard_plan plan) {
  auto ways = plan::divisors(plan.places);
  std::erase_if(ways, [&](std::uint64_t n) {
    return n == plan.shards || n > max_shards || (n % plan.shards != 0 && plan.shards % n != 0);
  });
  auto const above = std::ranges::upper_bound(ways, plan.shards) - ways.begin();
  auto const first = std::max<std::ptrdiff_t>(above - 5, 0);
  auto const last = std::min<std::ptrdiff_t>(above + 5, std::ssize(ways));
  std::string text;
  for (auto i = first; i < last; ++i)
    text += (i == first ? "" : i + 1 == last ? " or " : ", ") + std::to_string(ways[static_cast<std::size_t>(i)]);
  return text.empty() ? "no other number of" : text;
}

class resharding {
 public:
  resharding(servers& at, directory old, std::uint64_t shards, byte_progress progress)
      : at_(at), old_(std::move(old)), made_(old_), progress_(std::move(progress)), stamps_(old_.plan.shards) {
    made_.plan.shards = shards;
    ++made_.generation;
  }

  void run() {
    thaw();
    if (made_.plan.shards == old_.plan.shards) return;
    for (std::uint64_t i = 0; i < old_.plan.shards; ++i) stamps_[i] = stamp_of(usual(i));
    for (std::uint64_t group = 0; group < groups(); ++group) copy(group, &resharding::usual);
    try {
      freeze();
      for (std::uint64_t group = 0; group < groups(); ++group)
        if (is_changed(group)) copy(group, &resharding::frozen);
      (void)call(made_.to_words(), made_.key);
    } catch (...) {
      try {
        thaw();
      } catch (error const& e) {
        throw error(errc::io,
                    std::string(e.what()) + "; the filter '" + old_.key + "' cannot be used before the command is repeated");
      }
      throw;
    }
    for (std::uint64_t i = 0; i < old_.plan.shards; ++i) (void)call({"UNLINK", frozen(i)}, frozen(i));
  }

 private:
  using name = std::string (resharding::*)(std::uint64_t) const;

  /// Old and new shards with equal numbers modulo the smaller number of shards have the same places.
  [[nodiscard]] std::uint64_t groups() const noexcept { return std::min(old_.plan.shards, made_.plan.shards); }
  [[nodiscard]] std::string usual(std::uint64_t i) const { return old_.shard_key(i); }
  [[nodiscard]] std::string frozen(std::uint64_t i) const { return old_.shard_key(i) + ".frozen"; }

  reply call(std::vector<std::string> words, std::string const& key) {
    return accepted(at_.call(std::move(words), key), at_.place_of(key));
  }
  bool exists(std::string const& key) { return call({"EXISTS", key}, key).as_integer() == 1; }
  /// Each change of a filter gives it another stamp, and renaming it does not.
  std::int64_t stamp_of(std::string const& key) {
    auto const fields = call({"HORTUS.INFO", key, "HASH"}, key);
    auto const* const stamp = fields.find("stamp");
    return stamp == nullptr ? 0 : stamp->as_integer();
  }
  bool is_changed(std::uint64_t group) {
    for (auto i = group; i < old_.plan.shards; i += groups())
      if (stamp_of(frozen(i)) != stamps_[i]) return true;
    return false;
  }

  void freeze() {
    for (std::uint64_t i = 0; i < old_.plan.shards; ++i) rename(usual(i), frozen(i));
  }
  /// Also after an earlier attempt that was interrupted.
  void thaw() {
    for (std::uint64_t i = 0; i < old_.plan.shards; ++i)
      if (!exists(usual(i)) && exists(frozen(i))) rename(frozen(i), usual(i));
  }
  void rename(std::string const& from, std::string const& to) {
    try {
      (void)accepted(at_.call({"RENAME", from, to}, from, request::after_loss::give_up), at_.place_of(from));
    } catch (unknown_outcome const&) {
      if (!exists(to) || exists(from)) throw;
    }
  }

  /// Makes the new shards of a group from the old ones.
  void copy(std::uint64_t group, name from) {
    auto const before = old_.plan.shards;
    auto const after = made_.plan.shards;
    if (after > before) {
      auto const part = fetch_filter(at_, (this->*from)(group), {}, progress_);
      shard_plan const cut{old_.plan.places / before, after / before};
      for (std::uint64_t j = 0; j < cut.shards; ++j)
        send_filter(at_, shard_of(part, cut, j), made_.shard_key(group + j * before), progress_);
    } else {
      shard_plan const cut{old_.plan.places / after, before / after};
      std::optional<shard_joiner> joiner;
      for (std::uint64_t j = 0; j < cut.shards; ++j) {
        auto const part = fetch_filter(at_, (this->*from)(group + j * after), {}, progress_);
        if (!joiner) joiner.emplace(part, cut);
        joiner->put(j, part);
      }
      send_filter(at_, std::move(*joiner).finish(), made_.shard_key(group), progress_);
    }
  }

  servers& at_;
  directory old_;
  directory made_;
  byte_progress progress_;
  std::vector<std::int64_t> stamps_;
};

}  // namespace

void reshard(servers& at, std::string const& key, std::uint64_t shards, byte_progress const& progress) {
  key_lock lock(at, key);
  auto const found = find_filter(at, key);
  if (!found.is_sharded)
    throw error(errc::unsupported, "'" + key + "' is not in shards: hortus redis push --shards makes them");
  auto const plan = found.about.plan;
  bool const fits = shards != 0 && shards <= max_shards && plan.places % shards == 0 &&
                    (shards % plan.shards == 0 || plan.shards % shards == 0);
  if (!fits)
    throw error(errc::bad_params, "'" + key + "' has " + std::to_string(plan.shards) + " shards of " +
                                      std::to_string(plan.places / plan.shards) + " blocks: they can be joined or cut to " +
                                      numbers_for(plan) + " shards, not to " + std::to_string(shards));
  resharding(at, found.about, shards, lock.renewing(progress)).run();
}

}  // namespace hortus::redis
