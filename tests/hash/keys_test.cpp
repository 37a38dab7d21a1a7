#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/hash/keys.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/hash/xxh64.hpp>

/// A user's type, in a namespace of its own.
namespace elsewhere {

struct point {
  std::int8_t x;
  std::int32_t y;  // three bytes of padding before it
};
constexpr std::array<std::byte, 5> key_bytes(point const& p) {
  auto const y = static_cast<std::uint32_t>(p.y);
  return {static_cast<std::byte>(p.x), static_cast<std::byte>(y & 0xff), static_cast<std::byte>(y >> 8 & 0xff),
          static_cast<std::byte>(y >> 16 & 0xff), static_cast<std::byte>(y >> 24)};
}

struct word {
  std::string text;
};
std::span<std::byte const> key_bytes(word const& w) noexcept { return std::as_bytes(std::span(w.text)); }

/// Converts to text, but its key_bytes() ignores case.
struct loud {
  std::string text;
  operator std::string_view() const { return text; }  // NOLINT(google-explicit-constructor)
};
std::vector<std::byte> key_bytes(loud const& l) {
  if (l.text.empty()) throw std::runtime_error("silence");
  std::vector<std::byte> bytes;
  for (char c : l.text) bytes.push_back(static_cast<std::byte>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
  return bytes;
}

__extension__ using wide = __int128;
__extension__ using wide_unsigned = unsigned __int128;

struct padded {
  char c;
  int i;
};
enum plain_enum { one = 1 };
enum class scoped_enum : std::uint64_t { two = 2 };
struct text_like {
  operator std::string_view() const { return "ab"; }  // NOLINT(google-explicit-constructor)
};

}  // namespace elsewhere

namespace {

using namespace hortus;  // NOLINT(google-build-using-namespace)

constexpr xxh3 hash(5);

digest of(auto const& key) { return digest_of(hash, key); }

TEST(keys, text_is_one_key_however_it_is_held) {
  std::string const text = "ab";
  char const* const pointer = text.c_str();
  char array[] = {'a', 'b', '\0'};
  std::string_view const view = "ab";
  auto const expected = hash.of_bytes(std::as_bytes(std::span(view)));
  EXPECT_EQ(of("ab"), expected);
  EXPECT_EQ(of(text), expected);
  EXPECT_EQ(of(view), expected);
  EXPECT_EQ(of(pointer), expected);
  EXPECT_EQ(of(const_cast<char*>(pointer)), expected);
  EXPECT_EQ(of(array), expected);
  EXPECT_EQ(of(u8"ab"), expected);
  EXPECT_EQ(of(std::u8string(u8"ab")), expected);
  EXPECT_EQ(of(elsewhere::text_like()), expected);
}

TEST(keys, bytes_in_a_row_are_the_key_that_text_of_the_same_content_is) {
  auto const expected = of("ab");
  std::vector<std::byte> const bytes = {std::byte{'a'}, std::byte{'b'}};
  std::vector<std::uint8_t> const octets = {'a', 'b'};
  std::uint8_t const c_array[] = {'a', 'b'};
  EXPECT_EQ(of(bytes), expected);
  EXPECT_EQ(of(octets), expected);
  EXPECT_EQ(of(c_array), expected);
  EXPECT_EQ(of(std::span(bytes)), expected);
  EXPECT_EQ(of(std::span(octets)), expected);
  EXPECT_EQ(of(std::span<std::uint8_t const, 2>(octets)), expected);
  EXPECT_EQ(of(std::array<unsigned char, 2>{'a', 'b'}), expected);
  EXPECT_EQ(of(std::array<char, 2>{'a', 'b'}), expected);
  EXPECT_EQ(of(std::vector<char>{'a', 'b'}), expected);
  EXPECT_EQ(of(std::vector<signed char>{'a', 'b'}), expected);
}

TEST(keys, only_a_c_array_of_characters_stops_at_its_nul) {
  char buffer[16] = "ab";
  char const full[2] = {'a', 'b'};  // no NUL: all of it, and no byte beyond
  EXPECT_EQ(of(buffer), of("ab"));
  EXPECT_EQ(of(full), of("ab"));
  EXPECT_EQ(of("ab\0cd"), of("ab"));
  EXPECT_EQ(of(u8"ab\0cd"), of("ab"));
  EXPECT_NE(of(std::string("ab\0cd", 5)), of("ab"));
  EXPECT_NE(of(std::string_view("ab\0", 3)), of("ab"));
  EXPECT_NE(of(std::array<char, 3>{'a', 'b', '\0'}), of("ab"));
  std::uint8_t const octets[3] = {'a', 'b', 0};
  EXPECT_EQ(of(octets), of(std::string("ab\0", 3)));
}

TEST(keys, no_bytes_are_a_key) {
  auto const expected = hash.of_bytes({});
  EXPECT_EQ(of(""), expected);
  EXPECT_EQ(of(std::string()), expected);
  EXPECT_EQ(of(std::string_view()), expected);
  EXPECT_EQ(of(std::vector<std::byte>()), expected);
  EXPECT_EQ(of(std::array<unsigned char, 0>()), expected);
  EXPECT_NE(of(std::string(1, '\0')), expected);
  EXPECT_NE(of(std::string(2, '\0')), of(std::string(1, '\0')));
}

template <class Hash>
void expect_integers_by_value(Hash h) {
  auto const expected = h.of_integer(42);
  EXPECT_EQ(digest_of(h, 42), expected);
  EXPECT_EQ(digest_of(h, 42U), expected);
  EXPECT_EQ(digest_of(h, 42L), expected);
  EXPECT_EQ(digest_of(h, 42ULL), expected);
  EXPECT_EQ(digest_of(h, std::int8_t{42}), expected);
  EXPECT_EQ(digest_of(h, std::uint16_t{42}), expected);
  EXPECT_EQ(digest_of(h, '*'), expected);
  EXPECT_EQ(digest_of(h, u8'*'), expected);
  EXPECT_EQ(digest_of(h, -1), h.of_integer(~std::uint64_t{0}));
  EXPECT_EQ(digest_of(h, std::int8_t{-1}), digest_of(h, ~std::uint64_t{0}));
  EXPECT_EQ(digest_of(h, true), h.of_integer(1));
  EXPECT_NE(digest_of(h, 42), digest_of(h, 43));
  EXPECT_NE(digest_of(h, 42), digest_of(h, "42"));
}

TEST(keys, integers_are_keys_by_value_whatever_their_width) {
  expect_integers_by_value(xxh3());
  expect_integers_by_value(xxh3(9));
  expect_integers_by_value(xxh64());
  expect_integers_by_value(siphash());
  expect_integers_by_value(siphash24());
}

// The sign of char depends on the machine: without care the same program would write different filters on ARM and on x86.
TEST(keys, a_char_counts_by_its_byte_on_every_machine) {
  EXPECT_EQ(of(static_cast<char>(0xe9)), of(0xe9));
  EXPECT_EQ(of(static_cast<signed char>(-23)), of(-23));
  EXPECT_EQ(of("\xe9"), of(std::vector<std::uint8_t>{0xe9}));
}

TEST(keys, qualifiers_do_not_matter) {
  int volatile const sensor = 42;
  std::string text = "ab";
  std::string& reference = text;
  EXPECT_EQ(of(sensor), of(42));
  EXPECT_EQ(of(reference), of("ab"));
  static_assert(integer_key<int const&> && bytes_key<std::string const&> && bytes_key<char const(&)[3]> && digestible<digest&>);
}

TEST(keys, a_digest_is_its_own) {
  EXPECT_EQ(digest_of(hash, digest(7)), digest(7));
  EXPECT_EQ(digest_of(siphash(), of("ab")), of("ab"));
}

TEST(keys, a_type_of_ones_own_says_what_its_bytes_are) {
  elsewhere::point const p{-1, 0x01020304};
  EXPECT_EQ(of(p), of(std::array<unsigned char, 5>{0xff, 4, 3, 2, 1}));
  EXPECT_EQ(of(elsewhere::word{"ab"}), of("ab"));
  EXPECT_EQ(of(elsewhere::loud{"ab"}), of("AB"));  // key_bytes before the conversion to text
  EXPECT_EQ(kind_of<elsewhere::loud>, key_kind::bytes);
}

TEST(keys, what_key_bytes_throws_arrives) {
  EXPECT_THROW((void)of(elsewhere::loud{""}), std::runtime_error);
  static_assert(noexcept(digest_of(hash, 1))&& noexcept(digest_of(hash, std::string_view())));
  static_assert(!noexcept(digest_of(hash, elsewhere::loud{})));
}

TEST(keys, kinds) {
  static_assert(kind_of<int> == key_kind::integers && kind_of<char> == key_kind::integers &&
                kind_of<bool> == key_kind::integers);
  static_assert(kind_of<char[3]> == key_kind::bytes && kind_of<std::string> == key_kind::bytes);
  static_assert(kind_of<std::vector<std::uint8_t>> == key_kind::bytes && kind_of<elsewhere::point> == key_kind::bytes);
  static_assert(kind_of<digest> == key_kind::digests && kind_of<digest const&> == key_kind::digests);
  auto kinds = key_kind::none;
  kinds |= kind_of<int>;
  EXPECT_EQ(kinds, key_kind::integers);
  kinds |= kind_of<std::string>;
  EXPECT_EQ(static_cast<int>(kinds), 3);
  EXPECT_EQ(kinds & key_kind::digests, key_kind::none);
  EXPECT_EQ(kinds & key_kind::bytes, key_kind::bytes);
  EXPECT_EQ(static_cast<int>(key_kind::bytes | key_kind::integers | key_kind::digests), 7);
}

// Types without an obvious byte form are not keys. tests/must_not_compile/keys.cpp shows the messages.
static_assert(!digestible<void*> && !digestible<int*> && !digestible<int const*> && !digestible<unsigned char const*>);
static_assert(!digestible<char8_t const*> && !digestible<std::nullptr_t> && !digestible<void (*)()> && !digestible<char**>);
static_assert(!digestible<float> && !digestible<double> && !digestible<long double>);
static_assert(!digestible<elsewhere::padded> && !digestible<elsewhere::plain_enum> && !digestible<elsewhere::scoped_enum>);
static_assert(!digestible<elsewhere::wide> && !digestible<elsewhere::wide_unsigned>);  // also where std::integral takes them
static_assert(!digestible<wchar_t> && !digestible<char16_t> && !digestible<char32_t>);
static_assert(!digestible<std::wstring> && !digestible<wchar_t const*> && !digestible<std::u32string>);
static_assert(!digestible<std::optional<int>> && !digestible<std::unique_ptr<int>> && !digestible<std::byte>);

// A batch is many keys, not one; a byte range is one key, not many.
static_assert(!digestible<std::vector<std::uint64_t>> && !digestible<std::vector<std::string>> &&
              !digestible<std::vector<int>>);
static_assert(!digestible<std::vector<std::uint16_t>> && !digestible<std::span<std::uint64_t const>>);
static_assert(!digestible<std::vector<bool>> && !digestible<std::array<bool, 4>> && !digestible<std::vector<digest>>);
static_assert(!digestible<std::deque<char>> && !digestible<std::list<std::byte>>);  // not contiguous
static_assert(!digestible<std::map<std::string, int>>);

static_assert(hash_policy<default_hash> && std::same_as<default_hash, xxh3>);

TEST(key_kind, values_are_those_of_the_file_format) {
  EXPECT_EQ(static_cast<int>(key_kind::none), 0);
  EXPECT_EQ(static_cast<int>(key_kind::bytes), 1);
  EXPECT_EQ(static_cast<int>(key_kind::integers), 2);
  EXPECT_EQ(static_cast<int>(key_kind::digests), 4);
}

}  // namespace
