#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/cells/label_table.hpp>
#include <hortus/cells/map_entry.hpp>
#include <hortus/concepts.hpp>
#include <hortus/map/map_goal.hpp>
#include <hortus/map/print_map.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/dynamic_bloomier_map.hpp>

namespace hortus {

/// Dynamic Bloomier map: a table of signatures with values, and a second one of whole digests, for the few keys whose signature
/// another key has.
///
///     put(x, 7)    signature of x is not there:  signatures  | .. s(x) 7 .. |
///     put(y, 3)    s(y) = s(x) is there:         collisions  | .. y 3 ..    |
///     find(z)      s(z) is not there: nothing. Else z's entry among the collisions, if it has one, else the value at s(z)
///
/// Promise  find(x) is right for every key that was put and not erased. An absent key gets a value with probability
///          plan::dynamic_bloomier_fpr(), at present exactly fpr(): the signatures divided by 2^p. put returns false and
///          changes nothing if there is no room. Not misled by other keys: erase, assign and put of one key change no other.
/// Price    1/.95 (r + value_bits + 2.25) bits per key with remainders of r bits, at a rate of .95/2^r to 1.9/2^r, and
///          collisions: at 1 % one key in 200 takes 60 bits more. With 8 bits of value 18.5 bits per key at 1 %.
/// Lacks    a defence against misuse. put of a key that is there, and erase or assign of a key that is not, cannot always be
///          told from proper calls. Where they cannot, put leaves the old value to be found again after an erase, and erase or
///          assign changes another key with the same signature. checked_map refuses all of them. merge, growth: the keys
///          behind equal signatures are not known.
/// Source   C. W. Mortensen, R. Pagh, M. Patrascu, "On dynamic range reporting in one dimension", STOC 2005.
///
/// When the key that owns a signature is erased, the first of the collisions with that signature takes its place. So an absent
/// signature means an absent key, without a look at the collisions, which are as few after any number of changes as after
/// the first inserts. Without that rule they would become twice as many.
class dynamic_bloomier {
 public:
  static constexpr std::string_view name = "dynamic_bloomier_map";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary =
      "values that can be put, changed and erased, without the keys; right for its keys";
  static constexpr auto misses = false_negatives::by_misuse;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::find | verb::put | verb::assign | verb::erase;
  static constexpr verb_set kernels = {};

  struct goal {
    std::uint64_t items = 0;
    double fpr = 0.01;        ///< probability that an absent key gets a value
    unsigned value_bits = 0;  ///< of an empty map: 0 for no values; built of values: 0 for as many as the largest one needs
    std::uint64_t capacity = 0;
    static void fields(auto& self, auto& io) {
      io("value_bits", self.value_bits, value_bits_note);
      io("capacity", self.capacity,
         setting_note{"keys to have room for; by default those that it is built of, or planned for", "more than 0", "1000000"});
    }
  };
  struct params {
    std::uint64_t slots = 0;
    unsigned signature_bits = 0;
    std::uint64_t collision_slots = 0;
    unsigned value_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("slots", self.slots);
      io("signature_bits", self.signature_bits);
      io("collision_slots", self.collision_slots);
      io("value_bits", self.value_bits);
    }
  };

  static params plan(goal g) {
    auto const shape = plan::dynamic_bloomier_map({std::max(g.items, g.capacity), g.fpr}, g.value_bits);
    return {shape.signatures.slots, shape.signatures.fingerprint_bits, shape.collisions.slots, shape.value_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::dynamic_bloomier_fpr(layout(p), items); }
  static std::uint64_t planned_bytes(params p) { return static_cast<std::uint64_t>(layout(p).bytes()); }
  /// Of the block of signatures; of the next one, too, for one key in five; and of the collisions.
  static double lines_touched(params p) {
    return 1.2 * (1 + (8 * (layout(p).signatures.remainder_bits() + p.value_bits) + 16) / 64.0) +
           (p.collision_slots != 0 ? 1 : 0);
  }

  static constexpr unsigned max_value_bits() noexcept { return 64; }
  /// Puts all keys, into a map for as many as there are, or as goal.capacity says. Without values they are 0.
  static dynamic_bloomier build(std::span<digest const> keys, goal g) {
    return build(keys, std::vector<std::uint64_t>(keys.size()), g);
  }
  static dynamic_bloomier build(std::span<digest const> keys, std::span<std::uint64_t const> values, goal g) {
    return build_of(distinct_entries(keys, values), g);
  }

  dynamic_bloomier() : dynamic_bloomier(params{1, 1, 0, 0}) {}  ///< the smallest valid one
  explicit dynamic_bloomier(params p)
      : signatures_(plan::checked(layout(p)).signatures, p.value_bits), collisions_(layout(p).collisions, p.value_bits) {}

  /// Puts a key that is absent. False, and nothing changes, if there is no room, or the key is known to be there. Throws
  /// errc::bad_params, and changes nothing, if the value has more than value_bits.
  [[nodiscard]] bool put(digest x, std::uint64_t value) {
    check_value(value, signatures_.value_bits(), labels_);
    auto const at = signatures_.find(x);
    if (!at.found()) return signatures_.insert(at, value);
    auto const whole = collisions_.find(x);
    return !whole.found() && collisions_.insert(whole, value);
  }
  /// Changes the value of a key that is there. False: it is certainly absent, and nothing changed.
  bool assign(digest x, std::uint64_t value) {
    check_value(value, signatures_.value_bits(), labels_);
    auto const at = signatures_.find(x);
    if (!at.found()) return false;
    auto const whole = collisions_.find(x);
    whole.found() ? collisions_.set_value(whole, value) : signatures_.set_value(at, value);
    return true;
  }
  /// Erases a key that is there. False: it is certainly absent, and nothing changed.
  bool erase(digest x) noexcept {
    auto const at = signatures_.find(x);
    if (!at.found()) return false;
    if (auto const whole = collisions_.find(x); whole.found()) return collisions_.erase(whole);
    auto const heir = collisions_.first_with(signatures_.print_of(x), signatures_.shape().fingerprint_bits);
    if (!heir.found()) return signatures_.erase(at);
    signatures_.set_value(at, collisions_.value(heir));
    return collisions_.erase(heir);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    auto const at = signatures_.find(x);
    if (!at.found()) return std::nullopt;
    auto value = signatures_.value(at);
    if (collisions_.size() != 0)
      if (auto const whole = collisions_.find(x); whole.found()) value = collisions_.value(whole);
    return labels_.allow(value) ? std::optional(value) : std::nullopt;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    return labels_.empty() ? signatures_.find(x).found() : find(x).has_value();
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { signatures_.prefetch(x); }

  /// Exact: the share of all possible signatures that are stored.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, static_cast<double>(signatures_.size()) / signatures_.shape().fingerprints());
  }
  [[nodiscard]] unsigned value_bits() const noexcept { return signatures_.value_bits(); }
  [[nodiscard]] label_table const& labels() const noexcept { return labels_; }  ///< empty: values are numbers
  void set_labels(label_table labels) noexcept { labels_ = std::move(labels); }
  [[nodiscard]] std::uint64_t size() const noexcept { return signatures_.size() + collisions_.size(); }  ///< keys
  [[nodiscard]] std::uint64_t collisions() const noexcept { return collisions_.size(); }  ///< keys kept by their digests

  void clear() noexcept { signatures_.clear(), collisions_.clear(); }
  [[nodiscard]] params shape() const noexcept {
    return {signatures_.shape().slots, signatures_.shape().fingerprint_bits, collisions_.shape().slots,
            signatures_.value_bits()};
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return signatures_.cells().size() + collisions_.cells().size() + labels_.size_bytes();
  }
  [[nodiscard]] memory const& cells() const noexcept { return signatures_.cells(); }
  bool operator==(dynamic_bloomier const&) const = default;

  static void fields(dynamic_bloomier const& self, auto& out) {
    out(self.signatures_, self.collisions_, self.labels_);
    if (self.signatures_.is_believed()) self.check_collisions();
  }
  static void fields(dynamic_bloomier& self, auto& in) {
    in(self.signatures_, self.collisions_, self.labels_);
    if (!self.valid()) throw error(errc::corrupt, "its collisions do not fit its signatures");
    if (in.verifies()) self.check_collisions();
  }
  [[nodiscard]] bool valid() const noexcept {
    return signatures_.valid() && collisions_.valid() && labels_.valid() && layout(shape()).possible() &&
           collisions_.value_bits() == signatures_.value_bits() && collisions_.shape().fingerprint_bits == 64;
  }

 private:
  /// Throws errc::corrupt unless every collision has its signature.
  void check_collisions() const {
    bool sound = true;
    collisions_.for_each([&](quotient_fingerprint whole, std::uint64_t) {
      sound = sound && signatures_.find(whole.first(signatures_.shape().fingerprint_bits)).found();
    });
    if (!sound) throw error(errc::corrupt, "its collisions do not fit its signatures");
  }
  static constexpr plan::dynamic_bloomier_shape layout(params p) noexcept {
    return {{p.slots, p.signature_bits}, {p.collision_slots, 64}, p.value_bits};
  }

  static dynamic_bloomier build_of(std::span<map_entry const> entries, goal g) {
    std::uint64_t largest = 0;
    for (auto const& each : entries) largest = std::max(largest, each.value);
    if (!entries.empty()) g.value_bits = checked_value_bits(g.value_bits, largest);
    g.items = entries.size();
    dynamic_bloomier made(plan(g));
    for (auto const& each : entries)
      if (!made.put(digest(each.word), each.value))
        throw error(
            errc::full,
            "dynamic_bloomier_map: more keys have equal signatures than there is room for, which a random hash does once in "
            "10^12 builds: another seed, or a secret key, helps");
    return made;
  }

  print_map signatures_;
  print_map collisions_;
  label_table labels_;
};

using dynamic_bloomier_map = of_keys<dynamic_bloomier>;

}  // namespace hortus
