// Files of distance-sensitive filters: saved, loaded, mapped and viewed as those of every family, and read as if every byte
// were hostile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <hortus/any/any_near.hpp>
#include <hortus/io/store.hpp>
#include <hortus/io/try_store.hpp>

#include "io/lies.hpp"
#include "io/parts.hpp"
#include "io/scratch_folder.hpp"
#include "near/use_near.hpp"

namespace hortus::testing {
namespace {

near_bits some_bits() {
  near_bits filter({.items = 20, .near = 0.05, .far = 0.5}, xxh3(5));
  for (std::uint64_t i = 0; i < 20; ++i) filter.insert(mix64(i));
  return filter;
}
near_texts some_texts() {
  near_texts filter({.items = 20, .near = 0.2, .far = 0.9, .metric = {.gram = 3}});
  for (int i = 0; i < 20; ++i) filter.insert("text number " + std::to_string(i));
  return filter;
}
near_vectors some_vectors() {
  near_vectors filter({.items = 20, .near = 0.05, .far = 0.4});
  for (int i = 0; i < 20; ++i) filter.insert(std::vector<double>{1, 0.1 * i, -2});
  return filter;
}

template <class Filter>
void comes_back(Filter const& filter) {
  scratch_folder const folder;
  auto const path = folder / "near.hortus";
  save(filter, path);
  auto const same = [&](Filter const& other) {
    EXPECT_EQ(other, filter);
    EXPECT_EQ(other.about(), filter.about());
  };
  same(load<Filter>(path));
  same(open<Filter>(path));
  auto const bytes = to_bytes(filter);
  EXPECT_EQ(bytes.size(), stored_size(filter));
  same(from_bytes<Filter>(bytes));
  same(*view<Filter>(bytes));
  auto const any = from_bytes<any_near_filter>(bytes);  // the metric and the hash are those of the file
  EXPECT_EQ(to_bytes(any), bytes);
  EXPECT_EQ(any.arrays(), filter.arrays());
}

TEST(near_files, come_back) {
  comes_back(some_bits());
  comes_back(some_texts());
  comes_back(some_vectors());
  comes_back(near_bits({.items = 0, .near = 0, .far = 1}));
}

TEST(near_files, answer_at_run_time_as_when_they_were_made) {
  auto const texts = some_texts();
  auto const any = from_bytes<any_near_filter>(to_bytes(texts));
  for (std::string_view const text : {"text number 3", "text number x", "nothing of the kind"})
    EXPECT_EQ(any.score(near_key(text)), texts.score(text));
}

TEST(near_files, take_more_keys_when_mapped) {
  scratch_folder const folder;
  auto const path = folder / "near.hortus";
  save(some_bits(), path);
  auto filter = open<near_bits>(path);
  filter.insert(std::uint64_t{1});
  EXPECT_TRUE(filter.is_near(std::uint64_t{1}));
  EXPECT_EQ(load<near_bits>(path), some_bits());
}

template <class Filter>
errc refusal_of(bytes_of_file const& bytes) {
  auto const read = try_from_bytes<Filter>(bytes);
  EXPECT_FALSE(read);
  return read.code();
}

TEST(near_files, of_another_metric_or_family_are_refused) {
  auto const bits = to_bytes(some_bits());
  auto const texts = to_bytes(some_texts());
  EXPECT_EQ(refusal_of<near_texts>(bits), errc::incompatible);
  EXPECT_EQ(refusal_of<near_vectors>(bits), errc::incompatible);
  EXPECT_EQ(refusal_of<near_bits>(texts), errc::incompatible);
  auto parts = take_apart(bits);
  parts.fixed[at::family] = std::byte{'e'};
  EXPECT_EQ(refusal_of<near_bits>(put_together(parts)), errc::incompatible);
}

TEST(near_files, with_a_secret_key_need_it) {
  using keyed = near_filter<distance_sensitive<hamming>, siphash>;
  secret_key const secret;
  keyed filter({.items = 10, .near = 0.05, .far = 0.4}, siphash(secret));
  filter.insert(std::uint64_t{1});
  auto const bytes = to_bytes(filter);
  EXPECT_EQ(from_bytes<any_near_filter>(bytes, {.key = secret}), from_bytes<any_near_filter>(bytes));
  auto const eight = little_endian_bytes(1);
  EXPECT_EQ(from_bytes<any_near_filter>(bytes, {.key = secret}).score(near_key(bit_string{eight, 64})), filter.arrays());
  EXPECT_THROW((void)from_bytes<any_near_filter>(bytes).score(near_key(bit_string{eight, 64})), error);
  EXPECT_EQ(refusal_of<keyed>(bytes), errc::wrong_key);
}

/// Whatever the file says: an error of hortus, or a filter that writes these bytes and works.
bool accepted(bytes_of_file const& file) {
  auto const use = [&](any_near_filter const& filter) {
    EXPECT_EQ(to_bytes(filter), file);
    use_near(filter);
  };
  bool taken = false;
  try {
    use(from_bytes<any_near_filter>(file));
    taken = true;
  } catch (error const&) {
  }
  try {
    use(*view<any_near_filter>(file));
    EXPECT_TRUE(taken);
  } catch (error const&) {
    EXPECT_FALSE(taken);
  }
  return taken;
}

TEST(near_files, that_lie_are_refused_or_work) {
  std::size_t taken = 0;
  std::size_t refused = 0;
  for (auto const& original : {to_bytes(some_bits()), to_bytes(some_texts()), to_bytes(some_vectors())}) {
    ASSERT_TRUE(accepted(original));
    for (auto const f : fields_of(original))
      for (auto const value : values_for(value_of(original, f))) {
        auto file = original;
        set(file, f, value);
        sign(file);
        SCOPED_TRACE("field at " + std::to_string(f.offset) + " = " + std::to_string(value));
        (accepted(file) ? taken : refused) += 1;
      }
  }
  EXPECT_GT(taken, 500U) << "seeds, plans and thresholds may be anything";
  EXPECT_GT(refused, 5000U);
}

TEST(near_files, of_a_dimension_that_no_key_has_are_refused) {
  auto const with_dimension = [](bytes_of_file const& file, std::uint64_t dimension) {
    auto parts = take_apart(file);
    parts.scalars[8] = dimension;
    return accepted(put_together(parts));
  };
  constexpr std::uint64_t one = 1;
  EXPECT_TRUE(with_dimension(to_bytes(some_bits()), one << 32));
  EXPECT_FALSE(with_dimension(to_bytes(some_bits()), (one << 32) + 1));
  EXPECT_TRUE(with_dimension(to_bytes(some_vectors()), one << 20));
  EXPECT_FALSE(with_dimension(to_bytes(some_vectors()), (one << 20) + 1));
  EXPECT_FALSE(with_dimension(to_bytes(some_texts()), 1));
}

TEST(near_files, whose_parts_do_not_fit_are_refused) {
  for (auto const& original : {to_bytes(some_bits()), to_bytes(some_texts()), to_bytes(some_vectors())}) {
    auto const parts = take_apart(original);
    ASSERT_EQ(parts.scalars.size(), 10U);
    ASSERT_EQ(parts.sections.size(), 1U);
    for (std::size_t i = 0; i < parts.scalars.size(); ++i)
      for (auto const value : values_for(parts.scalars[i]))
        for (std::size_t const bytes : {0U, 8U, 64U, 4096U}) {
          auto lie = parts;
          lie.scalars[i] = value;
          lie.sections[0].resize(bytes);
          EXPECT_FALSE(accepted(put_together(lie)));
        }
    auto fewer = parts;
    fewer.scalars.pop_back();
    EXPECT_FALSE(accepted(put_together(fewer)));
    auto more = parts;
    more.scalars.push_back(0);
    EXPECT_FALSE(accepted(put_together(more)));
    more = parts;
    more.sections.emplace_back(8);
    EXPECT_FALSE(accepted(put_together(more)));
    auto shorter = original;
    shorter.pop_back();
    EXPECT_FALSE(accepted(shorter));
  }
}

}  // namespace
}  // namespace hortus::testing
