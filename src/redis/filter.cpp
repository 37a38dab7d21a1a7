#include <hortus/redis/filter.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

namespace hortus::redis {
namespace {

struct command {
  char const* name;
  bool changes;
  bool has_numbers;
};

command command_of(verb what) {
  switch (what) {
    case verb::insert:
    case verb::insert_if_new:
      return {"HORTUS.MADD", true, false};
    case verb::erase:
      return {"HORTUS.MDEL", true, false};
    case verb::may_contain:
      return {"HORTUS.MEXISTS", false, false};
    case verb::count:
      return {"HORTUS.MCOUNT", false, true};
    case verb::find:
      return {"HORTUS.MGET", false, true};
    default:
      throw error(errc::unsupported, "a filter in Redis has no " + std::string(name_of(what)));
  }
}

std::string_view format_of(key_kind kind) {
  return kind == key_kind::bytes ? "TEXT_DIGESTS" : kind == key_kind::integers ? "INTEGER_DIGESTS" : "DIGESTS";
}

/// Is the state after two such changes that after one?
bool may_repeat(verb what, card const& family) {
  return !command_of(what).changes || (what != verb::erase && !family.has(verb::count) && !family.forgets);
}

bool is_gone(reply const& answer) { return answer.is_error("ERR there is no filter at this key"); }

bool bit(std::string_view bits, std::size_t i) { return (static_cast<unsigned char>(bits[i / 8]) >> i % 8 & 1) != 0; }

std::string_view exactly(reply const& text, std::size_t bytes) {
  if (text.as_text().size() != bytes) throw error(errc::corrupt, "the server answers about another number of keys");
  return text.text;
}

}  // namespace

filter::filter(std::shared_ptr<servers> at, std::string key, std::optional<secret_key> const& secret)
    : at_(std::move(at)), about_{.key = std::move(key)} {
  look_again();
  auto const& about = about_.about;
  hash_ = hash_from<any_hash>(about.hash_id, about.seed, about.key_check, secret);
}

void filter::look_again() {
  auto found = find_filter(*at_, about_.key);
  if (!about_.about.family.empty()) {
    auto const& old = about_.about;
    auto const& now = found.about.about;
    if (old.family != now.family || old.hash_id != now.hash_id || old.seed != now.seed || old.key_check != now.key_check)
      throw error(errc::incompatible, "'" + about_.key + "' was replaced by a filter with another family or hash");
  }
  about_ = std::move(found.about);
  finder_.reset();
  shard_keys_.clear();
  if (!found.is_sharded) return;
  finder_.emplace(about_.about.family, about_.plan);
  for (std::uint64_t i = 0; i < about_.plan.shards; ++i) shard_keys_.push_back(about_.shard_key(i));
}

std::string filter::key_of(std::uint64_t shard) const { return finder_ ? shard_keys_[shard] : about_.key; }

std::uint64_t filter::insert_calls() const {
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < (finder_ ? about_.plan.shards : 1); ++i) {
    auto const key = key_of(i);
    auto const fields = accepted(at_->call({"HORTUS.INFO", key, "HASH"}, key), at_->place_of(key));
    if (auto const* const calls = fields.find("items_inserted"); calls != nullptr && calls->what == reply::kind::integer)
      all += static_cast<std::uint64_t>(std::max<std::int64_t>(calls->integer, 0));
  }
  return all;
}

void filter::check(verb what, key_kind kind) const {
  auto const& its = family();
  if (what == verb::insert_if_new ? !its.has(verb::insert) : !its.has(what)) lacks(its.name, what);
  if (what == verb::insert_if_new && !its.has(what)) lacks(its.name, what);
  if (its.has(verb::top))
    throw error(errc::unsupported, one(its.name) + " keeps its keys, and digests do not tell them: HORTUS.ADD takes them");
  auto const kinds = about_.about.kinds;
  if (kind == key_kind::digests || kinds == key_kind::none || (kinds & kind) != key_kind::none) return;
  throw error(errc::incompatible, "'" + about_.key + "' was filled with " +
                                      (kinds == key_kind::integers ? "integers"
                                       : kinds == key_kind::bytes  ? "text"
                                                                   : "digests") +
                                      ", not with " + (kind == key_kind::integers ? "integers" : "text") +
                                      ", which hash differently: no key would be found");
}

batch filter::start(verb what, std::vector<digest> keys, key_kind kind) {
  check(what, kind);
  batch it;
  it.what_ = what;
  it.kind_ = kind;
  it.keys_ = std::move(keys);
  std::vector<std::uint32_t> all(it.keys_.size());
  std::iota(all.begin(), all.end(), 0U);
  send(it, all);
  return it;
}

/// Sends the keys at these positions, to the shards that they have now.
void filter::send(batch& it, std::vector<std::uint32_t> const& positions) {
  auto const shards = finder_ ? about_.plan.shards : 1;
  std::vector<std::uint32_t> shard_of(positions.size());
  std::vector<digest> some(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) some[i] = it.keys_[positions[i]];
  if (finder_) finder_->shards_of(some, shard_of.data());
  std::vector<std::size_t> ends(shards + 1);  // where the keys of a shard begin; after the loop, where they end
  for (auto const each : shard_of) ++ends[each + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  it.positions_.resize(positions.size());
  std::vector<std::string> payloads(shards);
  for (std::uint64_t shard = 0; shard < shards; ++shard)
    payloads[shard].resize((ends[shard + 1] - ends[shard]) * sizeof(digest));
  auto next = ends;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto const shard = shard_of[i];
    auto const at = next[shard]++;
    it.positions_[at] = positions[i];
    std::memcpy(payloads[shard].data() + (at - ends[shard]) * sizeof(digest), &some[i], sizeof(digest));
  }
  it.parts_.clear();
  it.generation_ = about_.generation;
  auto const how = command_of(it.what_);
  auto const policy = may_repeat(it.what_, family()) ? request::after_loss::repeat : request::after_loss::give_up;
  for (std::uint64_t shard = 0; shard < shards; ++shard) {
    if (payloads[shard].empty()) continue;
    auto const key = key_of(shard);
    std::vector<std::string> words{how.name, key, std::string(format_of(it.kind_)), std::move(payloads[shard])};
    auto& part = it.parts_.emplace_back(
        batch::part{key, ends[shard], ends[shard + 1], std::make_unique<request>(std::move(words), key, policy)});
    at_->start(*part.asked);
    if (!how.changes || replicas_ == 0) continue;
    // The server answers before we would take it for dead.
    auto const milliseconds = std::to_string(std::max<std::int64_t>(at_->how().answer.count() / 2, 1));
    part.waited = std::make_unique<request>(std::vector<std::string>{"WAIT", std::to_string(replicas_), milliseconds}, key);
    at_->start(*part.waited);
  }
}

void filter::take(batch const& it, batch::part const& of, reply const& answer, answers& into) const {
  auto const how = command_of(it.what_);
  auto const keys = of.end - of.begin;
  auto const* bits = &answer;
  reply const* numbers = nullptr;
  if (how.changes || it.what_ == verb::find) {
    auto const& fields = answer.as_array(2);
    bits = it.what_ == verb::find ? &fields[0] : &fields[1];
    if (it.what_ == verb::find)
      numbers = &fields[1];
    else
      into.changed += static_cast<std::uint64_t>(std::max<std::int64_t>(fields[0].as_integer(), 0));
    if (how.changes && fields.size() > 2) throw error(errc::full, "'" + of.key + "': not all keys went in: " + fields[2].text);
  } else if (it.what_ == verb::count) {
    numbers = &answer;
    bits = nullptr;
  }
  if (bits != nullptr) {
    auto const packed = exactly(*bits, (keys + 7) / 8);
    auto* const words = into.yes.data();
    for (std::size_t i = 0; i < keys; ++i) {
      auto const position = it.positions_[of.begin + i];
      words[position / 64] |= std::uint64_t{bit(packed, i)} << position % 64;
    }
  }
  if (numbers != nullptr) {
    auto const packed = exactly(*numbers, keys * sizeof(std::int64_t));
    for (std::size_t i = 0; i < keys; ++i)
      std::memcpy(&into.numbers[it.positions_[of.begin + i]], packed.data() + i * sizeof(std::int64_t), sizeof(std::int64_t));
  }
}

answers filter::finish(batch& it) {
  answers all(it.keys_.size(), command_of(it.what_).has_numbers);
  servers::waiting patient(at_->how());
  for (;;) {
    std::vector<std::uint32_t> left;  // positions of keys whose shard was gone
    for (auto const& part : it.parts_) {
      auto const answer = at_->finish(*part.asked);
      if (finder_ && is_gone(answer)) {
        left.insert(left.end(), it.positions_.begin() + static_cast<std::ptrdiff_t>(part.begin),
                    it.positions_.begin() + static_cast<std::ptrdiff_t>(part.end));
        continue;
      }
      take(it, part, accepted(answer, at_->place_of(part.key)), all);
      if (!part.waited) continue;
      auto const have = accepted(at_->finish(*part.waited), at_->place_of(part.key)).as_integer();
      if (have < std::int64_t{replicas_})
        throw error(errc::io, "only " + std::to_string(have) + " of " + std::to_string(replicas_) +
                                  " replicas have the last keys of '" + part.key + "'");
    }
    it.parts_.clear();
    if (left.empty()) return all;
    // The filter gets another number of shards, or was replaced: its hash tells the new keys, as soon as they are filled.
    if (about_.generation == it.generation_) look_again();
    if (about_.generation == it.generation_) patient.wait("a shard of '" + about_.key + "' is missing, and no other was named");
    send(it, left);
  }
}

answers filter::ask_all(verb what, std::span<digest const> keys, key_kind kind) {
  answers all(keys.size(), command_of(what).has_numbers);
  check(what, kind);
  std::deque<batch> ahead;
  std::size_t started = 0;
  std::size_t done = 0;
  while (done < keys.size() || !ahead.empty()) {
    while (started < keys.size() && ahead.size() < batches_ahead) {
      auto const some = keys.subspan(started, std::min(batch_keys, keys.size() - started));
      ahead.push_back(start(what, {some.begin(), some.end()}, kind));
      started += some.size();
    }
    auto const size = ahead.front().keys_.size();
    auto const part = finish(ahead.front());
    ahead.pop_front();
    std::copy_n(part.yes.words().begin(), part.yes.words().size(), all.yes.data() + done / 64);  // batches are whole words
    std::copy(part.numbers.begin(), part.numbers.end(),
              all.numbers.begin() + static_cast<std::ptrdiff_t>(part.numbers.empty() ? 0 : done));
    all.changed += part.changed;
    done += size;
  }
  return all;
}

}  // namespace hortus::redis
