#include <hortus/redis/transfer.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "src/redis/key_lock.hpp"

namespace hortus::redis {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;  // the most that HORTUS.IMPORT takes
constexpr std::size_t pieces_ahead = 3;
/// What is not complete expires, so that a process that was killed leaves nothing behind.
constexpr char const* upload_expires_after = "3600000";

/// A key for a value that is not complete.
std::string unfinished(std::string const& key, std::string_view what) {
  return beside(key, std::string(what) + "-" + process_token());
}

class upload {
 public:
  upload(servers& at, any_filter const& what, std::string key)
      : at_(at), file_(image_of(what)), key_(std::move(key)), bytes_(stored_size(file_)) {}
  upload(upload const&) = delete;
  upload& operator=(upload const&) = delete;

  [[nodiscard]] bool is_done() const noexcept { return sent_ == bytes_ && under_way_.empty(); }
  /// Sends a piece if there is one, and waits for an answer if enough are under way. Returns the bytes that arrived. After a
  /// lost connection it begins again: it is not known which pieces arrived.
  std::uint64_t step() try { return next(); } catch (unknown_outcome const& e) {
    under_way_.clear();
    sent_ = 0;
    patient_.wait(e.what());
    return 0;
  }
  void complete() { (void)must({"PERSIST", key_}); }
  void undo() noexcept {
    try {
      under_way_.clear();
      (void)at_.call({"UNLINK", key_}, key_);
    } catch (...) {
      return;  // then it expires
    }
  }
  [[nodiscard]] std::string const& key() const noexcept { return key_; }

 private:
  struct sending {
    std::unique_ptr<request> it;
    std::uint64_t bytes;
  };

  std::uint64_t next() {
    if (sent_ == 0) {
      (void)must({"UNLINK", key_});
      send_piece();
      auto const first = take_answer();  // an import that cannot begin is told here
      if (sent_ < bytes_) (void)must({"PEXPIRE", key_, upload_expires_after});
      return first;
    }
    if (sent_ < bytes_) send_piece();
    return sent_ == bytes_ || under_way_.size() >= pieces_ahead ? take_answer() : 0;
  }
  reply must(std::vector<std::string> words) { return accepted(at_.call(std::move(words), key_), at_.place_of(key_)); }
  void send_piece() {
    auto const size = std::min(piece_bytes, bytes_ - sent_);
    std::string piece;
    piece.reserve(size);
    write_piece(file_, sent_, size, [&](std::span<std::byte const> some) {
      piece.append(reinterpret_cast<char const*>(some.data()), some.size());
    });
    std::vector<std::string> words{"HORTUS.IMPORT", key_, "FROM", std::to_string(sent_), std::move(piece)};
    // A piece that came twice is refused: after a lost connection the import begins again.
    under_way_.push_back({std::make_unique<request>(std::move(words), key_, request::after_loss::give_up), size});
    at_.start(*under_way_.back().it);
    sent_ += size;
  }
  std::uint64_t take_answer() {
    if (under_way_.empty()) return 0;
    auto const first = std::move(under_way_.front());
    under_way_.pop_front();
    (void)accepted(at_.finish(*first.it), at_.place_of(key_));
    return first.bytes;
  }

  servers& at_;
  image file_;
  std::string key_;
  std::uint64_t bytes_;
  std::uint64_t sent_ = 0;
  std::deque<sending> under_way_;
  servers::waiting patient_{at_.how()};
};

void tell(byte_progress const& progress, std::uint64_t bytes) {
  if (progress && bytes != 0) progress(bytes);
}

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

/// The file of a filter, which comes in pieces. A few of them are asked for before they are needed.
class download {
 public:
  download(servers& at, std::string key, byte_progress const& progress) : at_(at), key_(std::move(key)), progress_(progress) {
    begin();
  }

  /// Throws changed_meanwhile.
  [[nodiscard]] any_filter filter(reading const& how) && {
    auto sections = copy_sections(
        head_, [this](std::uint64_t offset, std::span<std::byte> into) { read(offset, into); }, section_sizes::unproven);
    return assemble<any_filter>(std::move(head_), std::move(sections), how.verified());
  }

  struct changed_meanwhile {};

 private:
  /// The first piece has the header, and the size of the others.
  void begin() {
    ask(0);
    take_piece();
    auto const start = std::as_bytes(std::span(piece_)).first(std::min<std::size_t>(piece_.size(), max_header_bytes));
    head_ = read_header(start, unknown_size);
    piece_bytes_ = asked_ = piece_.size();
    if (head_.file_bytes < asked_) throw error(errc::corrupt, "the server sends more than a filter");
    ask_ahead();
  }
  void ask(std::uint64_t offset) {
    under_way_.push_back(
        std::make_unique<request>(std::vector<std::string>{"HORTUS.EXPORT", key_, "FROM", std::to_string(offset)}, key_));
    at_.start(*under_way_.back());
  }
  void ask_ahead() {
    for (; under_way_.size() < pieces_ahead && asked_ < head_.file_bytes; asked_ += piece_bytes_) ask(asked_);
  }
  void take_piece() {
    if (under_way_.empty()) throw error(errc::corrupt, "the server sends less than a filter");
    auto answer = accepted(at_.finish(*under_way_.front()), at_.place_of(key_));
    under_way_.pop_front();
    (void)answer.as_array(3);
    (void)answer.parts[2].as_text();
    if (std::exchange(stamp_, answer.parts[1].as_integer()) != answer.parts[1].as_integer() && !piece_.empty())
      throw changed_meanwhile();
    began_ += piece_.size();
    piece_ = std::move(answer.parts[2].text);
    if (piece_.empty()) throw error(errc::corrupt, "the server sends no piece of a filter");
    if (progress_) progress_(piece_.size());
  }
  /// Offsets ascend.
  void read(std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
      if (offset - began_ >= piece_.size()) {
        take_piece();
        ask_ahead();
        continue;
      }
      auto const at = static_cast<std::size_t>(offset - began_);
      auto const some = std::min(into.size(), piece_.size() - at);
      std::memcpy(into.data(), piece_.data() + at, some);
      into = into.subspan(some);
      offset += some;
    }
  }

  servers& at_;
  std::string key_;
  byte_progress const& progress_;
  header head_;
  std::deque<std::unique_ptr<request>> under_way_;
  std::string piece_;  // the bytes from began_ on
  std::uint64_t began_ = 0;
  std::uint64_t asked_ = 0;  // pieces before this offset
  std::uint64_t piece_bytes_ = 0;
  std::int64_t stamp_ = 0;
};

}  // namespace

void send_filter(servers& at, any_filter const& what, std::string const& key, byte_progress const& progress) {
  upload it(at, what, key);
  try {
    while (!it.is_done()) tell(progress, it.step());
    it.complete();
  } catch (...) {
    it.undo();
    throw;
  }
}

/// COPY gives a copy that shares the memory until one of them is changed.
any_filter fetch_filter(servers& at, std::string const& key, reading const& how, byte_progress const& progress) {
  auto const copy = unfinished(key, "export");
  bool const copied = [&] {
    auto const answer = at.call({"COPY", key, copy, "REPLACE"}, key);
    return answer.what == reply::kind::integer && answer.integer == 1;
  }();
  auto const read = [&](std::string const& from) -> std::optional<any_filter> {
    try {
      return download(at, from, progress).filter(how);
    } catch (download::changed_meanwhile) {
      return std::nullopt;
    }
  };
  if (copied) {
    (void)at.call({"PEXPIRE", copy, upload_expires_after}, copy);
    struct cleanup {
      servers& at;
      std::string const& key;
      ~cleanup() {
        try {
          (void)at.call({"UNLINK", key}, key);
        } catch (...) {
          return;  // it expires
        }
      }
    } const after{at, copy};
    if (auto made = read(copy)) return std::move(*made);
    throw error(errc::io, "'" + copy + "' was changed by another client");
  }
  // This user may not copy. Then the filter itself is read, if it does not change for so long.
  for (servers::waiting patient(at.how());;) {
    if (auto made = read(key)) return std::move(*made);
    patient.wait("'" + key + "' changes while it is read, and this user may not COPY it");
  }
}

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
