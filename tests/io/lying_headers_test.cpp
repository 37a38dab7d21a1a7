#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

#include <hortus/any/any_filter.hpp>

#include "io/allocations.hpp"
#include "io/lies.hpp"
#include "io/parts.hpp"
#include "io/scratch_folder.hpp"
#include "io/use_everything.hpp"

/// Headers that lie, with every checksum right: what an enemy sends, and what a faulty writer leaves.
namespace hortus::testing {
namespace {

constexpr std::size_t spare = 64 << 10;  // the promise: no allocation beyond the input plus 64 KiB

/// Valid files of every family: a little, nothing and more, and with a secret key.
std::vector<bytes_of_file> originals() {
  std::vector<bytes_of_file> files;
  for (auto const& family : catalogue()) {
    for (std::uint64_t const items : {7U, 0U, 1000U}) {
      if (items > 100 && !allocations_counted) continue;  // under a sanitizer time is short
      std::vector<std::uint64_t> keys(items);
      std::iota(keys.begin(), keys.end(), 0);
      if (family.has(verb::build)) keys.insert(keys.end(), items / 2, 7);  // what counts gets a large count, and levels
      files.push_back(to_bytes(build_filter(family.name, keys, {.items = items, .fpr = 0.01, .settings = {}}, xxh3(items))));
    }
    std::vector<std::uint64_t> const few{1, 2, 2};
    files.push_back(to_bytes(build_filter(family.name, few, {.items = 5, .fpr = 0.1, .settings = {}}, siphash(secret_key()))));
    if (!family.has(verb::count)) continue;
    std::vector<std::uint64_t> often;  // counters that grow wide have a count of large ones in the file
    for (std::uint64_t i = 0; i < 40 * 7; ++i) often.push_back(i % 7);
    files.push_back(to_bytes(build_filter(family.name, often, {.items = 7, .fpr = 0.01, .settings = {}}, xxh3())));
  }
  return files;
}

/// Reads the bytes in every way, and uses what comes out. Either an error of hortus, the same from all who read them whole, or
/// a filter that writes these very bytes: a file says nothing twice and nothing that does not count, so no two files mean the
/// same. Who does not read them whole may pass over a number that would have to be counted (`large` of counters); then what
/// comes out works as well, and what it writes is right, or it refuses to write.
bool accepted(bytes_of_file const& file) {
  std::optional<errc> copied;
  auto const outcome = [&](auto read) {
    std::optional<errc> refusal;
    auto const peak = peak_of([&] {
      try {
        read([&](any_filter const& filter) {
          auto const so_far = allocations;
          if (!copied) {
            EXPECT_EQ(to_bytes(filter), file);
          }
          bool const found_out = copied && refuses_to_be_written(filter);  // it was not verified
          if (!found_out) {
            EXPECT_NO_THROW(use_everything(filter));
          }
          allocations = so_far;
        });
      } catch (error const& e) {
        refusal = e.code();
      }
    });
    EXPECT_LE(peak, file.size() + spare);
    return refusal;
  };
  copied = outcome([&](auto use) { use(from_bytes(file)); });
  auto const viewed = outcome([&](auto use) { use(*view(file, {.key = {}, .verify = true})); });
  auto const trusted = outcome([&](auto use) { use(*view(file)); });  // the checksums are right: nothing to tell apart
  EXPECT_EQ(copied, viewed);
  if (!copied) {
    EXPECT_FALSE(trusted);
  }
  if (copied) {
    EXPECT_TRUE(*copied == errc::corrupt || *copied == errc::unsupported || *copied == errc::incompatible)
        << static_cast<int>(*copied);
  }
  return !copied;
}

/// act(family, file, field) for every field of the files of the first family, and of one file of every other. Of its other
/// files only what the family stores: how many keys there are, and of which hash, is nothing to the rest of the fixed header,
/// which is read before the family is known.
template <class Act>
void for_each_field(std::vector<bytes_of_file> const& files, Act act) {
  auto const family_of = [](bytes_of_file const& file) { return from_bytes(file).about().family; };
  std::string const thorough = family_of(files.front());
  std::string last;
  for (auto const& file : files) {
    auto const family = family_of(file);
    for (auto const f : family == last && family != thorough ? fields_of_parts(file) : fields_of(file)) act(family, file, f);
    last = family;
  }
}

TEST(lying_headers, the_signer_agrees_with_the_library) {
  for (auto const& original : originals()) {
    auto file = original;
    for (auto const offset : {at::table_checksum, std::size_t{get<std::uint32_t>(file, at::header_bytes)} - 8,
                              std::size_t{get<std::uint32_t>(file, at::header_bytes)}})
      if (offset + 8 <= file.size()) put(file, offset, std::uint64_t{0});  // without a section the header is all there is
    sign(file);
    EXPECT_EQ(file, original);
    EXPECT_EQ(put_together(take_apart(original)), original);
    EXPECT_TRUE(accepted(original));
  }
}

TEST(lying_headers, every_field_alone) {
  std::size_t taken = 0;
  std::size_t refused = 0;
  for_each_field(originals(), [&](std::string const& family, bytes_of_file const& original, field f) {
    for (auto const value : values_for(value_of(original, f))) {
      auto file = original;
      set(file, f, value);
      sign(file);
      SCOPED_TRACE(family + ": field at " + std::to_string(f.offset) + " = " + std::to_string(value));
      (accepted(file) ? taken : refused) += 1;
    }
  });
  EXPECT_GT(taken, 1000U) << "seeds, plans and counts may be anything";
  EXPECT_GT(refused, 8000U);
}

TEST(lying_headers, random_pairs_of_fields) {
  std::mt19937_64 random(20'240'615);
  auto const files = originals();
  std::size_t taken = 0;
  for (int round = 0; round < (allocations_counted ? 30'000 : 5000); ++round) {
    auto file = files[random() % files.size()];
    auto const fields = fields_of(file);
    for (int i = 0; i < 2; ++i) {
      auto const f = fields[random() % fields.size()];
      auto const values = values_for(value_of(file, f));
      set(file, f, values[random() % values.size()]);
    }
    sign(file);
    SCOPED_TRACE("round " + std::to_string(round));
    if (accepted(file)) ++taken;
  }
  EXPECT_GT(taken, 100U);
}

/// Files whose parts fit together and still make no filter: the geometry cannot be what refuses them.
TEST(lying_headers, shapes_that_no_family_has) {
  for (auto const& original : originals()) {
    auto const parts = take_apart(original);
    for (std::size_t i = 0; i < parts.scalars.size(); ++i)
      for (auto const value : values_for(parts.scalars[i])) {
        auto lie = parts;
        lie.scalars[i] = value;
        if (lie.sections.empty())
          (void)accepted(put_together(lie));  // one that was built of nothing has none
        else
          for (std::size_t const bytes : {0U, 1U, 7U, 8U, 9U, 64U, 4096U}) {
            lie.sections[0] = parts.sections[0];
            lie.sections[0].resize(bytes);
            (void)accepted(put_together(lie));
          }
      }
    for (std::size_t s = 0; s < parts.sections.size(); ++s)  // all else is right: the family itself must refuse
      for (std::size_t const bytes : {1U, 7U, 8U, 16U, 64U, 4096U}) {
        auto overlong = parts;
        overlong.sections[s].resize(parts.sections[s].size() + bytes);
        EXPECT_FALSE(accepted(put_together(overlong))) << "section " << s << " with " << bytes << " bytes more";
      }
    auto more = parts;
    more.scalars.push_back(1);
    EXPECT_FALSE(accepted(put_together(more)));
    auto fewer = parts;
    fewer.scalars.pop_back();
    EXPECT_FALSE(accepted(put_together(fewer)));
    auto another = parts;
    another.sections.push_back({});
    EXPECT_FALSE(accepted(put_together(another)));
    if (!parts.sections.empty()) {
      auto none = parts;
      none.sections.clear();
      EXPECT_FALSE(accepted(put_together(none)));
    }
    EXPECT_FALSE(accepted(put_together({.fixed = parts.fixed})));
  }
}

/// Every scalar of every filter that counts, in files whose counters are wide: no lie makes a filter that writes what cannot be
/// read. use_everything() writes and reads what it made; here it is seen that there is something to count.
TEST(lying_headers, a_wrong_number_of_large_counters_is_corrupt) {
  for (std::string const family :
       {"blocked_counting", "spectral_selection", "spectral_increase", "spectral_recurring", "dynamic"}) {
    std::vector<std::uint64_t> often;
    for (std::uint64_t i = 0; i < 40 * 100; ++i) often.push_back(i % 100);
    auto const parts = take_apart(to_bytes(build_filter(family, often, {.items = 100, .fpr = 0.01, .settings = {}})));
    std::size_t believed = 0;
    for (std::size_t i = 0; i < parts.scalars.size(); ++i) {
      auto lie = parts;
      ++lie.scalars[i];
      auto const file = put_together(lie);
      if (accepted(file)) continue;
      try {
        auto const passed_over = view(file);
        ++believed;
        EXPECT_EQ(to_bytes(*passed_over), put_together(parts)) << family << ": it is counted when it is written";
      } catch (error const&) {
      }
    }
    EXPECT_EQ(believed, family == "spectral_recurring" ? 2U : 1U) << family << ": the number of large counters, and no other";
  }
}

TEST(lying_headers, a_planned_rate_is_a_rate) {
  for (double const rate :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e-300, 1 + 1e-9}) {
    auto file = originals().front();
    put(file, at::fpr_planned, rate);
    sign(file);
    EXPECT_FALSE(accepted(file)) << rate;
  }
}

/// Zeros behind the last section, which the header's size counts in, or a section that ends a line earlier than the file.
TEST(lying_headers, nothing_follows_the_last_section) {
  for (auto const& original : originals())
    for (std::size_t const more : {1U, 8U, 63U, 64U, 4096U}) {
      auto file = original;
      file.resize(file.size() + more);
      put(file, at::file_bytes, std::uint64_t{file.size()});
      sign(file);
      EXPECT_FALSE(accepted(file)) << more;
    }
}

/// slice_bits * probes is 2^64: nothing at all, to 64-bit arithmetic.
TEST(lying_headers, products_that_wrap) {
  auto const original = to_bytes(make_filter("partitioned", {.items = 7, .fpr = 0.01, .settings = {}}));
  auto const parts = take_apart(original);
  ASSERT_EQ(parts.scalars.size(), 4U);
  for (unsigned shift = 1; shift <= 6; ++shift)
    for (std::uint64_t const bits : {0U, 1U, 64U}) {
      auto lie = parts;
      lie.scalars[1] = std::uint64_t{1} << (64 - shift);
      lie.scalars[2] = std::uint64_t{1} << shift;
      lie.scalars[3] = bits;
      lie.sections[0].assign(bits / 64 * 8 + (bits % 64 != 0 ? 8 : 0), std::byte{0});
      EXPECT_FALSE(accepted(put_together(lie)));
    }
}

TEST(lying_headers, as_many_parts_as_a_header_can_hold) {
  auto const parts = take_apart(originals().front());
  for (std::size_t const sections : {1U, 255U, 256U, 257U, 1000U, 4000U})
    for (std::size_t const bytes : {0U, 1U, 64U}) {
      auto lie = parts;
      lie.sections.assign(sections, bytes_of_file(bytes));
      EXPECT_FALSE(accepted(put_together(lie)));
    }
  for (std::size_t const scalars : {4U, 1000U, 8158U, 8159U, 8174U, 8175U, 8176U, 20'000U}) {
    auto lie = parts;
    lie.scalars.assign(scalars, 1);
    EXPECT_FALSE(accepted(put_together(lie)));
  }
}

/// Chunks that changed places, with the checksums that belong to their contents.
TEST(lying_headers, a_chunk_in_the_place_of_another_does_not_verify) {
  auto filter = make_filter("bloom", {.items = 2'000'000, .fpr = 0.01, .settings = {}});
  for (int i = 0; i < 1000; ++i) (void)filter.insert(i);
  auto file = to_bytes(filter);
  auto const table = get<std::uint32_t>(file, at::header_bytes);
  auto const payload =
      static_cast<std::ptrdiff_t>(get<std::uint64_t>(file, at::end + 8 * get<std::uint32_t>(file, at::scalars)));
  constexpr std::ptrdiff_t chunk = 1 << 20;
  std::swap_ranges(file.begin() + payload, file.begin() + payload + chunk, file.begin() + payload + chunk);
  std::swap_ranges(file.begin() + table, file.begin() + table + 8, file.begin() + table + 8);
  put(file, at::table_checksum, xxh3_of(std::span(file).subspan(table, 24)));
  put(file, table - 8, xxh3_of(std::span(file).first(table - 8)));
  EXPECT_THROW((void)from_bytes(file), error);
  EXPECT_THROW((void)view(file, {.key = {}, .verify = true}), error);
}

TEST(lying_headers, names_from_files_are_letters_only) {
  auto const original = originals().front();
  for (std::string const name :
       {"", "Bloom", "blo om", "bloom\n", "\x1b[31mbloom", "bl\xc3\xb6m", "abcdefghijklmnopqrstuvwx"}) {
    auto file = original;
    for (std::size_t i = 0; i < 24; ++i) put(file, at::family + i, i < name.size() ? name[i] : '\0');
    sign(file);
    try {
      (void)from_bytes(file);
      FAIL() << "accepted: " << name;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt);
      EXPECT_EQ(std::string(e.what()).find(name.empty() ? "''" : name), std::string::npos) << "must not reach a terminal";
    }
  }
}

/// From files: honest ones of every size, and one that is nearly all header. Above 2 MiB the memory is mapped with a huge page
/// to spare, most of which is given back before it is touched.
TEST(lying_headers, files_take_no_more_memory_than_they_are_long) {
  scratch_folder const folder;
  auto const path = folder / "file";
  std::vector<bytes_of_file> files = originals();
  for (std::uint64_t const items : {10'000U, 100'000U, 1'500'000U, 3'000'000U})
    files.push_back(to_bytes(make_filter("bloom", {.items = items, .fpr = 0.01, .settings = {}})));
  auto lie = take_apart(files.front());
  lie.scalars.assign(8100, 1);
  files.push_back(put_together(lie));
  lie.sections.assign(256, bytes_of_file(1));
  lie.scalars.assign(7000, 1);
  files.push_back(put_together(lie));
  for (auto const& file : files) {
    write_contents(path, file);
    auto const room = file.size() + spare + (file.size() < memory::huge_page_bytes ? 0 : memory::huge_page_bytes);
    auto const quietly = [](auto act) {
      try {
        act();
      } catch (error const&) {
      }
    };
    EXPECT_LE(peak_of([&] { quietly([&] { (void)load(path); }); }), room) << file.size();
    auto const opening =
        spare + std::min<std::size_t>(file.size(), max_header_bytes) + file.size() / 1024;  // nothing of the payload
    EXPECT_LE(peak_of([&] { quietly([&] { (void)open(path, {.key = {}, .verify = true}); }); }), opening) << file.size();
    EXPECT_LE(peak_of([&] { quietly([&] { (void)from_bytes(file); }); }), room) << file.size();
  }
}

/// The same once more by the system's own count: with 8 MiB of address space left nothing of the above runs out of it.
TEST(lying_headers, no_address_space_is_needed_either) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers need all the address space there is";
  auto const files = originals();
  auto const child = ::fork();
  if (child == 0) {
    unsigned long pages = 0;
    if (std::FILE* const statm = std::fopen("/proc/self/statm", "re");
        statm == nullptr || std::fscanf(statm, "%lu", &pages) != 1)
      ::_exit(3);
    rlimit const limit{pages * 4096 + (8 << 20), RLIM_INFINITY};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(4);
    try {
      for_each_field(files, [](std::string const&, bytes_of_file const& original, field f) {
        for (auto const value : values_for(value_of(original, f))) {
          auto file = original;
          set(file, f, value);
          sign(file);
          try {
            use_everything(from_bytes(file));
          } catch (error const&) {
          }
        }
      });
      try {
        memory const too_much(16 << 20);
        ::_exit(5);  // the limit does not limit
      } catch (std::bad_alloc const&) {
      }
    } catch (...) {
      ::_exit(6);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace hortus::testing
