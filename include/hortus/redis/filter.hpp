#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/redis/directory.hpp>
#include <hortus/redis/servers.hpp>

namespace hortus::redis {

/// The answers to a batch: key i has bit i, and number i where the verb gives numbers.
struct answers {
  explicit answers(std::size_t keys, bool with_numbers) : yes(keys), numbers(with_numbers ? keys : 0) {}
  bitmask yes;                        ///< may be a member; was new; was erased; has a value
  std::vector<std::int64_t> numbers;  ///< counts; values, as they are stored
  std::uint64_t changed = 0;          ///< so many keys were inserted or erased
};

/// Keys on their way to servers: see filter::start().
class batch {
 public:
  batch() = default;
  batch(batch&&) noexcept = default;
  batch& operator=(batch&&) noexcept = default;

 private:
  friend class filter;
  /// The keys that went to one shard: those at positions_[begin_] .. positions_[end_ - 1].
  struct part {
    std::string key;
    std::size_t begin, end;
    std::unique_ptr<request> asked;
    std::unique_ptr<request> waited = nullptr;  // for replicas
  };
  verb what_ = verb::may_contain;
  key_kind kind_ = key_kind::bytes;
  std::vector<digest> keys_;
  std::vector<std::uint32_t> positions_;  // of keys, shard by shard
  std::vector<part> parts_;
  std::uint64_t generation_ = 0;  // of the shards that it was sent to
};

/// A filter in Redis, at one key or in shards, with the verbs of a filter here. Keys are hashed here: the server gets digests,
/// eight bytes a key, and answers with a bit. A secret key stays here.
///
///     hortus::redis::filter seen("redis://127.0.0.1:7000", "seen");
///     seen.insert(names);
///     auto hits = seen.may_contain(names);
///
/// Verbs take batches only, because an answer from a server takes as long as that for thousands of keys. Of one thread.
class filter {
 public:
  /// Throws errc::absent if there is no filter at the key, errc::wrong_key if it was made with a secret key and `secret` is
  /// none or another, errc::io if the server is not reached.
  filter(std::shared_ptr<servers> at, std::string key, std::optional<secret_key> const& secret = std::nullopt);
  filter(std::string_view url, std::string key, std::optional<secret_key> const& secret = std::nullopt)
      : filter(std::make_shared<servers>(address::parse(url)), std::move(key), secret) {}

  [[nodiscard]] directory const& about() const noexcept { return about_; }
  [[nodiscard]] bool is_sharded() const noexcept { return finder_.has_value(); }
  [[nodiscard]] any_hash const& hash() const noexcept { return hash_; }
  [[nodiscard]] card const& family() const { return card_of(about_.about.family); }
  [[nodiscard]] servers& at() const noexcept { return *at_; }

  /// As the servers count them now. Does not look at the cells.
  [[nodiscard]] std::uint64_t insert_calls() const;

  /// Inserts count only when so many replicas have them: those of every batch. Fewer: throws errc::io.
  void wait_for_replicas(unsigned replicas) noexcept { replicas_ = replicas; }

  // The verbs, as those of of_keys.
  template <key_range Keys>
  std::uint64_t insert(Keys const& keys) {
    return ask(verb::insert, keys).changed;
  }
  template <key_range Keys>
  bitmask insert_if_new(Keys const& keys) {
    return ask(verb::insert_if_new, keys).yes;
  }
  template <key_range Keys>
  [[nodiscard]] bitmask may_contain(Keys const& keys) {
    return ask(verb::may_contain, keys).yes;
  }
  template <key_range Keys>
  std::uint64_t erase(Keys const& keys) {
    return ask(verb::erase, keys).changed;
  }
  template <key_range Keys>
  [[nodiscard]] std::vector<std::int64_t> count(Keys const& keys) {
    return ask(verb::count, keys).numbers;
  }
  template <key_range Keys>
  [[nodiscard]] found_values find(Keys const& keys) {
    auto found = ask(verb::find, keys);
    return {{found.numbers.begin(), found.numbers.end()}, std::move(found.yes)};
  }

  /// The same in two steps, so that keys are read and hashed while servers work. Batches are finished in the order in which
  /// they were started. Digests are those of hash() for keys of one kind; at most 2^32 - 1 of them.
  [[nodiscard]] batch start(verb what, std::vector<digest> keys, key_kind kind);
  [[nodiscard]] answers finish(batch& it);

 private:
  static constexpr std::size_t batch_keys = 65536;
  static constexpr std::size_t batches_ahead = 3;

  template <key_range Keys>
  answers ask(verb what, Keys const& keys) {
    auto const digests = all_digests(hash_, keys);
    return ask_all(what, digests, kind_of<std::ranges::range_value_t<Keys const>>);
  }
  [[nodiscard]] answers ask_all(verb what, std::span<digest const> keys, key_kind kind);
  void check(verb what, key_kind kind) const;
  void send(batch& it, std::vector<std::uint32_t> const& positions);
  void take(batch const& it, batch::part const& of, reply const& answer, answers& into) const;
  [[nodiscard]] std::string key_of(std::uint64_t shard) const;
  void look_again();

  std::shared_ptr<servers> at_;
  directory about_;
  std::optional<shard_finder> finder_;
  std::vector<std::string> shard_keys_;
  any_hash hash_;
  unsigned replicas_ = 0;
};

}  // namespace hortus::redis
