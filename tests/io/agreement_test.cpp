#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <numeric>
#include <random>
#include <thread>
#include <variant>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>

#include "io/parts.hpp"
#include "io/scratch_folder.hpp"
#include "sanitizers.hpp"

/// One decoder: however bytes arrive, they are accepted or refused alike.
namespace hortus::testing {
namespace {

using outcome = std::variant<errc, bytes_of_file>;

template <class Read>
outcome outcome_of(Read read) {
  try {
    return to_bytes(read());
  } catch (error const& e) {
    EXPECT_NE(std::string(e.what()), "");
    return e.code();
  }
}

/// load() of a pipe that somebody else writes the bytes into, in pieces of any size.
outcome through_a_pipe(bytes_of_file const& bytes, std::size_t piece = 1 << 20) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::thread writer([&] {
    for (std::size_t done = 0; done < bytes.size();) {
      auto const n = ::write(ends[1], bytes.data() + done, std::min(piece, bytes.size() - done));
      if (n <= 0) break;  // the reader has seen enough
      done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  });
  // Opening /dev/fd/N gives a descriptor of its own; with ours closed, a reader who stops early ends the writer too.
  auto result = outcome_of([&] {
    struct closing {
      int fd;
      ~closing() { ::close(fd); }
    } const ours{ends[0]};
    return load("/dev/fd/" + std::to_string(ends[0]));
  });
  writer.join();
  return result;
}

class agreement : public ::testing::Test {
 protected:
  agreement() { std::signal(SIGPIPE, SIG_IGN); }

  /// All six ways give one outcome; returns it.
  outcome check(bytes_of_file const& bytes) {
    auto const path = folder / "file";
    write_contents(path, bytes);
    auto loaded = outcome_of([&] { return load(path); });
    EXPECT_EQ(loaded, outcome_of([&] { return open(path, {.key = {}, .verify = true}); })) << "open";
    EXPECT_EQ(loaded, outcome_of([&] { return from_bytes(bytes); })) << "from_bytes";
    EXPECT_EQ(loaded, outcome_of([&] { return *view(bytes, {.key = {}, .verify = true}); })) << "view";
    EXPECT_EQ(loaded, through_a_pipe(bytes)) << "pipe";
    EXPECT_EQ(loaded, through_a_pipe(bytes, bytes.size() / 20 + 1)) << "pipe, piecemeal";
    return loaded;
  }

  static any_filter filled(std::string_view family, std::uint64_t items, std::uint64_t most = ~std::uint64_t{0},
                           double fpr = 0.01) {
    std::vector<std::uint64_t> keys(std::min(items, most));
    std::iota(keys.begin(), keys.end(), 0);
    return build_filter(family, keys, {.items = items, .fpr = fpr, .settings = {}});
  }
  static any_filter sample(std::string_view family, std::uint64_t items) { return filled(family, items, 1000); }

  scratch_folder folder;
};

TEST_F(agreement, on_valid_files) {
  for (auto const& family : catalogue())
    for (std::uint64_t const items : {0U, 7U, 1000U, 60'000U, 2'000'000U}) {  // the last ones: past 64 KiB, past one chunk
      auto const bytes = to_bytes(sample(family.name, items));
      EXPECT_EQ(check(bytes), outcome(bytes)) << family.name << ", " << items;
    }
}

TEST_F(agreement, on_cut_and_lengthened_files) {
  for (std::uint64_t const items : {7U, 100'000U}) {
    auto const bytes = to_bytes(sample("bloom", items));
    for (auto const size : {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{191},
                            std::size_t{192}, std::size_t{255}, std::size_t{256}, bytes.size() / 2, std::size_t{65'535},
                            std::size_t{65'536}, std::size_t{65'537}, bytes.size() - 64, bytes.size() - 1, bytes.size() + 1,
                            bytes.size() + 64, bytes.size() + 70'000, bytes.size() + 2'000'000}) {
      auto damaged = bytes;
      damaged.resize(size);
      EXPECT_EQ(check(damaged), outcome(errc::corrupt)) << size << " of " << bytes.size();
    }
  }
}

TEST_F(agreement, on_flipped_bits) {
  std::mt19937_64 random(1);
  auto const bytes = to_bytes(sample("partitioned", 1000));
  for (int i = 0; i < 300; ++i) {
    auto damaged = bytes;
    auto const bit = random() % (8 * (i % 2 == 0 ? 256 : bytes.size()));
    damaged[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_TRUE(std::holds_alternative<errc>(check(damaged))) << bit;
  }
}

/// In every chunk of every section, the last one too, where a loop over chunks may end early. Nothing but the checksum can
/// tell: the cells of a filter may be anything.
TEST_F(agreement, on_a_flipped_bit_in_each_of_several_chunks) {
  for (auto const& family : catalogue()) {
    bytes_of_file bytes;
    // A family that is built is as large as its keys are many, and one that keeps keys, or numbers of distinct keys, if its
    // error is small as well.
    bool const distinct = family.answers() == question::how_many;
    auto const most = family.has(verb::build) || family.has(verb::top) || distinct ? ~std::uint64_t{0} : 1000;
    double const fpr = family.has(verb::top) ? 1e-5 : distinct ? 3e-4 : 0.01;
    for (std::uint64_t items = 1 << 10; bytes.size() < (2U << 20) + 100'000; items *= 2)
      bytes = to_bytes(filled(family.name, items, most, fpr));
    std::size_t chunks = 0;
    for (auto const& section : read_header(std::span(bytes).first(max_header_bytes), bytes.size()).sections)
      for (std::uint64_t first = 0; first < section.bytes; first += chunk_bytes, ++chunks) {
        auto damaged = bytes;
        damaged[section.offset + std::min(first + chunk_bytes, section.bytes) - 1] ^= std::byte{1};
        EXPECT_EQ(check(damaged), outcome(errc::corrupt)) << family.name << ", chunk " << chunks;
      }
    EXPECT_GE(chunks, 3U) << family.name;
  }
}

TEST_F(agreement, on_lies_with_right_checksums) {
  std::mt19937_64 random(2);
  for (auto const& family : catalogue()) {
    auto const original = to_bytes(sample(family.name, 7));
    auto const header = get<std::uint32_t>(original, at::header_bytes) - 8;
    for (int i = 0; i < 200; ++i) {
      auto lie = original;
      for (auto n = 1 + random() % 2; n != 0; --n) lie[random() % header] = static_cast<std::byte>(random());
      sign(lie);
      (void)check(lie);
    }
  }
}

TEST_F(agreement, on_what_is_no_file_of_ours) {
  for (std::size_t const size : {1U, 200U, 100'000U}) {
    EXPECT_EQ(check(bytes_of_file(size)), outcome(errc::corrupt));
    EXPECT_EQ(check(bytes_of_file(size, std::byte{0xff})), outcome(errc::corrupt));
  }
}

TEST_F(agreement, a_future_version_is_unsupported_whatever_follows) {
  auto bytes = to_bytes(sample("bloom", 7));
  put(bytes, at::version, std::uint32_t{2});
  EXPECT_EQ(check(bytes), outcome(errc::unsupported)) << "even though its checksum is another";
  put(bytes, at::version, std::uint32_t{1});
  put(bytes, at::required_features, std::uint32_t{1} << 31);
  sign(bytes);
  EXPECT_EQ(check(bytes), outcome(errc::unsupported));
}

TEST_F(agreement, an_endless_pipe_is_left_as_soon_as_it_shows_what_it_is) {
  EXPECT_EQ(outcome_of([] { return load("/dev/zero"); }), outcome(errc::corrupt));
  EXPECT_EQ(outcome_of([] { return load("/dev/null"); }), outcome(errc::corrupt));
  auto bytes = to_bytes(sample("bloom", 100'000));
  bytes.resize(bytes.size() + (8 << 20));  // its writer would wait for ever behind a reader that waits for the end
  EXPECT_EQ(through_a_pipe(bytes), outcome(errc::corrupt));
}

/// 2^40 bytes, says the header, correctly signed; a few come.
TEST_F(agreement, a_pipe_that_promises_much_takes_no_memory) {
  constexpr std::uint64_t payload = std::uint64_t{1} << 39;
  constexpr std::uint64_t chunks = payload >> 20;
  bytes_of_file bytes = take_apart(to_bytes(sample("bloom", 7))).fixed;
  bytes.resize(192 + 8 * chunks + 100'000);
  put(bytes, at::header_bytes, std::uint32_t{192});
  put(bytes, at::file_bytes, 192 + 8 * chunks + payload);
  for (std::size_t i = 0; i < 3; ++i) put(bytes, at::end + 8 * i, std::array<std::uint64_t, 3>{1, 7, 8 * payload}[i]);
  put(bytes, at::end + 24, 192 + 8 * chunks);
  put(bytes, at::end + 32, payload);
  put(bytes, at::table_checksum, xxh3_of(std::span(bytes).subspan(192, 8 * chunks)));
  put(bytes, 184, xxh3_of(std::span(bytes).first(184)));

  auto const peak_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  auto const before = peak_kib();
  EXPECT_EQ(through_a_pipe(bytes), outcome(errc::corrupt));
  // ThreadSanitizer keeps four bytes of its own for each byte that is touched.
  EXPECT_LE(peak_kib() - before, under_thread_sanitizer ? 60'000 : 10'000) << "KiB, for an input of 4 MiB";
}

TEST_F(agreement, without_verifying_only_the_payload_may_be_damaged) {
  auto const original = sample("bloom", 1000);
  auto const bytes = to_bytes(original);
  auto const payload = get<std::uint64_t>(bytes, at::end + 8 * get<std::uint32_t>(bytes, at::scalars));
  auto const path = folder / "file";
  for (std::size_t byte = 0; byte < bytes.size(); byte += byte < payload ? 1 : 97) {
    auto damaged = bytes;
    damaged[byte] ^= std::byte{0x10};
    write_contents(path, damaged);
    auto const opened = outcome_of([&] { return open(path); });
    auto const viewed = outcome_of([&] { return *view(damaged); });
    EXPECT_EQ(opened, viewed);
    EXPECT_EQ(std::holds_alternative<errc>(opened), byte < payload) << byte;
  }
}

TEST_F(agreement, a_view_needs_an_8_byte_boundary) {
  auto const bytes = to_bytes(sample("partitioned", 7));
  bytes_of_file room(bytes.size() + 64);
  for (std::size_t shift = 0; shift <= 16; ++shift) {
    std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<std::ptrdiff_t>(shift));
    auto const shifted = std::span<std::byte const>(room).subspan(shift, bytes.size());
    auto const viewed = outcome_of([&] { return *view(shifted); });
    if (shift % 8 == 0)
      EXPECT_EQ(viewed, outcome(bytes));
    else
      EXPECT_EQ(viewed, outcome(errc::unsupported));
    EXPECT_EQ(outcome_of([&] { return from_bytes(shifted); }), outcome(bytes));
  }
}

TEST_F(agreement, a_view_looks_at_the_callers_memory_and_a_copy_does_not) {
  auto original = sample("bloom", 1000);
  auto bytes = to_bytes(original);
  auto const seen = view<bloom_filter>(bytes);
  auto copy = *seen;
  auto const payload = get<std::uint64_t>(bytes, at::end + 8 * get<std::uint32_t>(bytes, at::scalars));
  EXPECT_TRUE(seen->may_contain(5));
  EXPECT_EQ(seen->family().cells().data(), bytes.data() + payload) << "nothing was copied";
  (void)copy.insert("only in the copy");
  EXPECT_EQ(to_bytes(*seen), to_bytes(original));
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(payload), bytes.end(), std::byte{0});
  EXPECT_FALSE(seen->may_contain(5));
  EXPECT_TRUE(copy.may_contain(5));
}

TEST_F(agreement, to_bytes_needs_room_and_leaves_the_rest_alone) {
  auto const filter = sample("bloom", 7);
  auto const size = stored_size(filter);
  EXPECT_EQ(size, to_bytes(filter).size());
  for (auto const room : {std::uint64_t{0}, std::uint64_t{1}, size - 1}) {
    bytes_of_file small(room, std::byte{0xaa});
    EXPECT_EQ(outcome_of([&] { return to_bytes(filter, small), filter; }), outcome(errc::bad_params));
    EXPECT_EQ(small, bytes_of_file(room, std::byte{0xaa})) << "nothing was written";
  }
  bytes_of_file large(size + 100, std::byte{0xaa});
  to_bytes(filter, large);
  EXPECT_EQ(outcome_of([&] { return from_bytes(std::span(large).first(size)); }), outcome(to_bytes(filter)));
  EXPECT_TRUE(std::all_of(large.end() - 100, large.end(), [](std::byte b) { return b == std::byte{0xaa}; }));
}

TEST_F(agreement, the_wrong_type_is_refused_with_both_names) {
  auto const bytes = to_bytes(sample("partitioned", 7));
  try {
    (void)from_bytes<bloom_filter>(bytes);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::incompatible);
    EXPECT_STREQ(e.what(), "is of the family partitioned, not bloom");
  }
}

TEST_F(agreement, errors_name_the_file_once) {
  auto const path = folder / "damaged";
  write_contents(path, bytes_of_file(500));
  for (bool const mapped : {false, true}) {
    try {
      (void)(mapped ? open(path) : load(path));
      FAIL();
    } catch (error const& e) {
      std::string const what = e.what();
      EXPECT_EQ(what.find("'" + path.string() + "': "), 0U) << what;
      EXPECT_EQ(what.find(path.string(), 2), std::string::npos) << what;
    }
  }
}

TEST_F(agreement, what_cannot_be_opened_is_an_io_error) {
  for (auto const& path : {folder / "missing", folder.path(), folder / "missing/file"}) {
    EXPECT_EQ(outcome_of([&] { return load(path); }), outcome(errc::io)) << path;
    EXPECT_EQ(outcome_of([&] { return open(path); }), outcome(errc::io)) << path;
  }
  EXPECT_EQ(outcome_of([] { return open("/dev/zero"); }), outcome(errc::io)) << "only files can be mapped";
}

}  // namespace
}  // namespace hortus::testing
