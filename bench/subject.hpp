#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// What is measured, without its type. The loops over keys, which are timed, are compiled for each family and kind of key
/// (subject_of.hpp). When they run, how often and against which limit is compiled once (measure.cpp). A virtual call is made
/// once for each thread's part of the keys, and not in the loops.
namespace hortus::bench {

/// The keys of one measurement. `members` are inserted; lookups are timed with `hits` (members in random order) and `misses`.
template <class Key>
struct key_sets {
  std::span<Key const> members;
  std::span<Key const> hits;
  std::span<Key const> misses;
};

/// A filter of a family, and its verbs on numbered keys.
class subject {
 public:
  enum class set { hits, misses };
  /// What the family has, of the verbs that are timed.
  struct verbs {
    bool insert, insert_if_new, look_up, count, erase;
    [[nodiscard]] bool ask() const noexcept { return look_up || count; }
  };

  subject() = default;
  virtual ~subject() = default;
  subject(subject const&) = delete;
  subject& operator=(subject const&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual verbs has() const = 0;
  [[nodiscard]] virtual double fpr() const = 0;  ///< the one that was wished for
  [[nodiscard]] virtual std::size_t members() const = 0;
  [[nodiscard]] virtual std::size_t size_of(set which) const = 0;

  virtual void build() const = 0;              ///< of all members, and drops what it built
  virtual void fill(std::size_t members) = 0;  ///< makes the filter anew, with the first members; or with all, if it is built
  [[nodiscard]] virtual std::uint64_t refused()
      const = 0;  ///< number of keys that did not fit, of fill() and the last insert_batch()

  // Of the filter that fill() made. `from` is the number of a member, or of a key of the set.
  virtual void insert_singly(std::size_t from, std::size_t count) = 0;
  virtual void insert_batch(std::size_t from, std::size_t count) = 0;
  virtual void insert_new_batch(std::size_t from, std::size_t count) = 0;
  virtual void erase_singly(std::size_t from, std::size_t count) = 0;
  virtual void erase_batch(std::size_t from, std::size_t count) = 0;
  /// A lookup, or a count if the family has no lookup.
  virtual void ask_singly(set which, std::size_t from, std::size_t count) const = 0;
  virtual void ask_batch(set which, std::size_t from, std::size_t count) const = 0;
  virtual void count_singly(set which, std::size_t from, std::size_t count) const = 0;
  virtual void count_batch(set which, std::size_t from, std::size_t count) const = 0;

  [[nodiscard]] virtual std::size_t found_misses() const = 0;
  /// The share of absent keys that are found. Of a family that tells the most frequent keys: how much too high a count can be,
  /// as a share of the stream, which is what its rate is about. Of one that tells only how many keys there are: how wrong it
  /// is.
  [[nodiscard]] virtual double error(double found, double asked) const = 0;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  [[nodiscard]] virtual double load() const = 0;      ///< share of slots or bits in use; negative if the family has none
  [[nodiscard]] virtual bool huge_pages() const = 0;  ///< the system granted them for most of the filter
};

/// The same, with its keys.
template <class Key>
class subject_with : public subject {
 public:
  explicit subject_with(key_sets<Key> keys) noexcept : keys_(keys) {}

  void set_misses(std::span<Key const> misses) noexcept { keys_.misses = misses; }
  [[nodiscard]] std::size_t members() const final { return keys_.members.size(); }
  [[nodiscard]] std::size_t size_of(set which) const final { return all(which).size(); }

 protected:
  [[nodiscard]] std::span<Key const> all(set which) const noexcept { return which == set::hits ? keys_.hits : keys_.misses; }
  key_sets<Key> keys_;
};

}  // namespace hortus::bench
