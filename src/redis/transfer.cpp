#include <hortus/redis/transfer.hpp>

#include <algorithm>
#include <deque>
#include <utility>

#include "src/redis/key_lock.hpp"
#include "src/redis/pieces.hpp"

namespace hortus::redis {
namespace {

/// Uploads the shards of a directory, several at a time, so that all servers have work. make(i) gives shard i.
template <class Make>
void upload_shards(servers& at, directory const& to, Make make, byte_progress const& progress) {
  auto const shards = to.plan.shards;
  auto const at_once = std::min<std::uint64_t>(shards, at.places().size());
  // Neighbours are at the same server, as a rule: begin with shards that are far apart.
  auto const stride = (shards + at_once - 1) / at_once;
  std::vector<std::uint64_t> order;
  for (std::uint64_t first = 0; first < stride; ++first)
    for (auto i = first; i < shards; i += stride) order.push_back(i);

  std::deque<std::pair<std::unique_ptr<any_filter>, std::unique_ptr<upload>>> under_way;
  std::vector<std::string> done;
  try {
    std::size_t begun = 0;
    while (begun < order.size() || !under_way.empty()) {
      while (begun < order.size() && under_way.size() < at_once) {
        auto part = std::make_unique<any_filter>(make(order[begun]));
        auto sending = std::make_unique<upload>(at, *part, to.shard_key(order[begun]));
        under_way.emplace_back(std::move(part), std::move(sending));
        ++begun;
      }
      for (auto it = under_way.begin(); it != under_way.end();) {
        tell(progress, it->second->step());
        if (it->second->is_done()) {
          it->second->complete();
          done.push_back(it->second->key());
          it = under_way.erase(it);
        } else {
          ++it;
        }
      }
    }
  } catch (...) {
    for (auto& each : under_way) each.second->undo();
    for (auto const& key : done) try {
        (void)at.call({"UNLINK", key}, key);
      } catch (...) {
        break;  // the servers are gone
      }
    throw;
  }
}

void unlink_shards(servers& at, directory const& old) {
  for (std::uint64_t i = 0; i < old.plan.shards; ++i) {
    auto const key = old.shard_key(i);
    (void)accepted(at.call({"UNLINK", key}, key), at.place_of(key));
  }
}

/// The filter at the key, if there is one; null if there is nothing.
std::optional<found_filter> present(servers& at, std::string const& key) try {
  return find_filter(at, key);
} catch (error const& e) {
  if (e.code() != errc::absent) throw;
  return std::nullopt;
}

/// The filter at the key becomes the union of it and another one.
void merge_at(servers& at, any_filter const& what, std::string const& key, byte_progress const& progress) {
  auto const fresh = unfinished(key, "merge");
  send_filter(at, what, fresh, progress);
  // XX: if the key is gone meanwhile, it is not made of the other filter alone.
  auto const merged = at.call({"HORTUS.MERGE", key, "1", fresh, "XX"}, key, request::after_loss::give_up);
  (void)at.call({"UNLINK", fresh}, fresh);
  (void)accepted(merged, at.place_of(key));
}

void merge_into(servers& at, any_filter const& whole, found_filter const& there, push_options const& how) {
  auto const& about = there.about;
  auto const& shards = about.plan.shards;
  if (!there.is_sharded && how.shards != 0) throw error(errc::incompatible, "'" + about.key + "' is not in shards");
  if (!there.is_sharded) return merge_at(at, whole, about.key, how.progress);
  if (how.shards != 0 && how.shards != shards)
    throw error(errc::incompatible, "'" + about.key + "' has " + std::to_string(shards) + " shards");
  if (plan_shards(whole, 1).places != about.plan.places)
    throw error(errc::incompatible, "'" + about.key + "' has another number of blocks: filters merge if they were made alike");
  for (std::uint64_t i = 0; i < shards; ++i) merge_at(at, shard_of(whole, about.plan, i), about.shard_key(i), how.progress);
}

void push_shards(servers& at, any_filter const& whole, std::string const& key, push_options const& how,
                 std::optional<found_filter> const& old) {
  directory made{.key = key, .about = whole.about(), .plan = plan_shards(whole, how.shards)};
  if (old && old->is_sharded) made.generation = old->about.generation + 1;
  upload_shards(
      at, made, [&](std::uint64_t i) { return shard_of(whole, made.plan, i); }, how.progress);
  auto const call = [&](std::vector<std::string> words) { return accepted(at.call(std::move(words), key), at.place_of(key)); };
  if (old && !old->is_sharded) (void)call({"UNLINK", key});
  (void)call(made.to_words());
  if (old && old->is_sharded) unlink_shards(at, old->about);
}

void push_whole(servers& at, any_filter const& whole, std::string const& key, push_options const& how,
                std::optional<found_filter> const& old) {
  auto const fresh = unfinished(key, "import");
  send_filter(at, whole, fresh, how.progress);
  (void)accepted(at.call({"RENAME", fresh, key}, key, request::after_loss::give_up), at.place_of(key));
  if (old && old->is_sharded) unlink_shards(at, old->about);
}

}  // namespace

void push(servers& at, any_filter const& whole, std::string const& key, push_options const& how) {
  auto old = present(at, key);
  if (old && how.merge) return merge_into(at, whole, *old, how);
  if (old && !how.replace) throw error(errc::incompatible, "'" + key + "' is there already: --replace replaces it");
  {
    key_lock lock(at, key);
    old = present(at, key);  // somebody may have made it meanwhile
    if (!old || how.replace) {
      auto renewing = how;
      renewing.progress = lock.renewing(how.progress);
      return how.shards != 0 ? push_shards(at, whole, key, renewing, old) : push_whole(at, whole, key, renewing, old);
    }
  }
  push(at, whole, key, how);
}

void create(servers& at, std::string const& key, std::string_view family, hortus::request const& wish, any_hash const& hash,
            std::uint64_t shards, byte_progress const& progress) {
  auto const plan = plan_shards(family, wish, shards);
  key_lock lock(at, key);
  if (present(at, key)) throw error(errc::incompatible, "'" + key + "' is there already");
  directory made{.key = key, .about = empty_shard(family, wish, hash, plan, 0).about(), .plan = plan};
  made.about.items_planned = wish.items;
  upload_shards(
      at, made, [&](std::uint64_t i) { return empty_shard(family, wish, hash, plan, i); }, lock.renewing(progress));
  (void)accepted(at.call(made.to_words(), key), at.place_of(key));
}

any_filter pull(servers& at, std::string const& key, reading const& how, byte_progress const& progress) {
  auto const found = find_filter(at, key);
  if (!found.is_sharded) return fetch_filter(at, key, how, progress);
  std::optional<shard_joiner> joiner;
  for (std::uint64_t i = 0; i < found.about.plan.shards; ++i) {
    auto const part = fetch_filter(at, found.about.shard_key(i), how, progress);
    if (!joiner) joiner.emplace(part, found.about.plan);
    joiner->put(i, part);
  }
  return std::move(*joiner).finish();
}

}  // namespace hortus::redis
