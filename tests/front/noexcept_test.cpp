// Which verbs of single keys can throw, and that moves cannot, in every family of the list: compared when this file is
// compiled.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/families.hpp>
#include <hortus/hash/siphash.hpp>

namespace hortus::testing {
namespace {

/// Inserts of these may allocate: counters that outgrow their cells, a level for higher counts, a stage for more keys, the
/// bytes of a key, copies of a fingerprint, the path of tags that move.
template <class F>
constexpr bool insert_allocates =
    F::name == "blocked_counting" || F::name == "bitwise" || F::name == "dynamic" || F::name == "scalable" ||
    F::name == "spectral_selection" || F::name == "spectral_increase" || F::name == "spectral_recurring" ||
    F::name == "space_saving" || F::name == "quotient" || F::name == "cuckoo" || F::name == "expandable" ||
    F::name == "hyperloglog" || F::name == "exaloglog";

template <class F, class Hash, class Key>
consteval bool throws_only_where_it_allocates() {
  using filter = of_keys<F, Hash>;
  if constexpr (insertable<F>) {
    static_assert(noexcept(std::declval<filter&>().insert(std::declval<Key const&>())) != insert_allocates<F>);
  }
  if constexpr (noticing<F>) {
    // Of a full filter it throws errc::full.
    static_assert(noexcept(std::declval<filter&>().insert_if_new(std::declval<Key const&>())) !=
                  (insert_allocates<F> || can_be_full<F>));
  }
  if constexpr (weighted<F>) {
    static_assert(noexcept(std::declval<filter&>().insert(std::declval<Key const&>(), 3)) != insert_allocates<F>);
  }
  if constexpr (membership<F>) {
    static_assert(noexcept(std::declval<filter const&>().may_contain(std::declval<Key const&>())));
  }
  if constexpr (erasable<F>) {
    static_assert(noexcept(std::declval<filter&>().erase(std::declval<Key const&>())));
  }
  if constexpr (countable<F>) {
    static_assert(noexcept(std::declval<filter const&>().count(std::declval<Key const&>())));
  }
  static_assert(noexcept(std::declval<filter const&>().digest_of(std::declval<Key const&>())));
  return true;
}

template <class F>
consteval bool in_every_spelling() {
  return throws_only_where_it_allocates<F, xxh3, std::uint64_t>() && throws_only_where_it_allocates<F, xxh3, digest>() &&
         throws_only_where_it_allocates<F, xxh3, std::string>() && throws_only_where_it_allocates<F, xxh3, char const*>() &&
         throws_only_where_it_allocates<F, siphash, char[4]>() &&
         throws_only_where_it_allocates<F, xxh64, std::span<std::byte const>>();
}

TEST(single_keys, throw_only_where_the_family_allocates) {
  std::size_t tried = 0;
  families::for_each([&]<class F>() {
    static_assert(in_every_spelling<F>());
    static_assert(std::is_nothrow_move_assignable_v<F> && !std::is_nothrow_copy_assignable_v<F>, "copying allocates");
    ++tried;
  });
  EXPECT_EQ(tried, families::size);
}

/// A key of its own that may throw, and one that may not.
struct careless {
  int number;
};
[[maybe_unused]] std::span<std::byte const> key_bytes(careless const& key) { return std::as_bytes(std::span(&key.number, 1)); }
struct careful {
  int number;
};
[[maybe_unused]] std::span<std::byte const> key_bytes(careful const& key) noexcept {
  return std::as_bytes(std::span(&key.number, 1));
}
struct text_that_throws {
  operator std::string_view() const { throw 1; }  // NOLINT(google-explicit-constructor)
};

static_assert(noexcept(std::declval<bloom_filter&>().insert(careful{1})));
static_assert(!noexcept(std::declval<bloom_filter&>().insert(careless{1})));
static_assert(!noexcept(std::declval<bloom_filter&>().insert(text_that_throws{})));

/// Chosen at run time a family may lack the verb, and a hash its key: both are told by an exception. A digest needs no hash.
static_assert(!noexcept(std::declval<any_filter&>().may_contain("ada")));
static_assert(!noexcept(std::declval<of_keys<bloom<>, any_hash>&>().may_contain("ada")));
static_assert(noexcept(std::declval<of_keys<bloom<>, any_hash>&>().may_contain(digest(1))));

TEST(single_keys, pass_on_what_a_key_throws) {
  bloom_filter f({.items = 10, .fpr = 0.01});
  EXPECT_THROW(f.insert(text_that_throws{}), int);
  EXPECT_EQ(f.about().items_inserted, 0U);
}

}  // namespace
}  // namespace hortus::testing
