#include "cli/text/numbers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

/// The error message, or nothing if the text was accepted.
template <class Parse>
std::string refusal(Parse parse) {
  try {
    (void)parse();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_goal);
    return e.what();
  }
  return {};
}

TEST(parse_duration, takes_times_as_people_write_them) {
  using namespace std::chrono_literals;
  std::vector<std::pair<char const*, std::chrono::nanoseconds>> const cases{
      {"0", 0ns},    {"1", 1s},           {"1.5", 1500ms}, {"500ms", 500ms},          {"0.5s", 500ms},
      {"10s", 10s},  {"2min", 2min},      {"1h", 1h},      {"1.5h", 90min},           {"1d", 24h},
      {"1e-9", 1ns}, {"0.000001ms", 1ns}, {"1e3", 1000s},  {"106751d", 24h * 106751},
  };
  for (auto const& [text, time] : cases) EXPECT_EQ(parse_duration("--window", text), time) << text;
}

TEST(parse_duration, refuses_the_rest_and_says_why) {
  using namespace std::chrono_literals;
  auto const why = [](char const* text, std::chrono::nanoseconds at_least = 0s) {
    return refusal([&] { return parse_duration("--window", text, at_least); });
  };
  for (auto const* const text : {"", "s", "10m", "10 s", "-1s", "+1s", "nan", "1:30", "10S", "10sec", "1h30min", "0x10s", "1e"})
    EXPECT_EQ(why(text), std::string("--window '") + text +
                             "' is not a time: 0 to 292 years is allowed, written like 500ms, 10s, 2min, 1h or 1d; a plain "
                             "number is seconds");
  EXPECT_NE(why("1e-10").find("is not a whole number of nanoseconds"), std::string::npos);
  EXPECT_NE(why("107000d").find("is too long"), std::string::npos);
  EXPECT_NE(why("1e30h").find("is too long"), std::string::npos);
  EXPECT_NE(why("0", 1s).find("is too short: 1.0 s to 292 years"), std::string::npos) << why("0", 1s);
  EXPECT_EQ(why("1s", 1s), "");
}

TEST(parse_seed, takes_counts_and_hexadecimal_digits) {
  EXPECT_EQ(parse_seed("--seed", "42"), 42u);
  EXPECT_EQ(parse_seed("--seed", "0x2a"), 42u);
  EXPECT_EQ(parse_seed("--seed", "0xffffffffffffffff"), largest);
  for (auto const* const text : {"0x", "0x1g", "0x-1", "0x10000000000000000", "0x 1", "x1"})
    EXPECT_NE(refusal([&] { return parse_seed("--seed", text); }), "") << text;
}

TEST(parse_count, takes_every_spelling_of_the_contract) {
  std::vector<std::pair<char const*, std::uint64_t>> const cases{
      {"0", 0},
      {"7", 7},
      {"007", 7},
      {"1000000", 1'000'000},
      {"1e6", 1'000'000},
      {"1E6", 1'000'000},
      {"1e+6", 1'000'000},
      {"1.5e6", 1'500'000},
      {"1.50e1", 15},
      {".5k", 500},
      {"5.", 5},
      {"10k", 10'000},
      {"1M", 1'000'000},
      {"2G", 2'000'000'000},
      {"1T", 1'000'000'000'000},
      {"2.5M", 2'500'000},
      {"64Ki", 65'536},
      {"64Mi", 67'108'864},
      {"2Gi", 2'147'483'648},
      {"1Ti", 1'099'511'627'776},
      {"1.5Ki", 1536},
      {"1200e-2", 12},
      {"1.000000000000000000000000000000", 1},
      {"0.000000000000000000000000000001e30", 1},
      {"0e999999999999", 0},
      {"18446744073709551615", largest},
      {"1.8446744073709551615e19", largest},
      {"184467440737095516150e-1", largest},
      {"16777215Ti", 16'777'215ull << 40},
  };
  for (auto const& [text, value] : cases) EXPECT_EQ(parse_count("--items", text), value) << text;
}

TEST(parse_count, refuses_nonsense_and_says_what_is_allowed) {
  for (std::string const text : {"-5",
                                 "1e40",
                                 "nan",
                                 "inf",
                                 "",
                                 "12abc",
                                 "0x10",
                                 " 5",
                                 "5 ",
                                 "1.5",
                                 "+5",
                                 "1e",
                                 "1e+",
                                 ".",
                                 "k",
                                 "K",
                                 "1kk",
                                 "1kB",
                                 "1,000",
                                 "1'000",
                                 "_1",
                                 "1_",
                                 "1__0",
                                 "1_k",
                                 "18446744073709551616",
                                 "184467440737095516160e-1",
                                 "16777216Ti",
                                 "1e-1",
                                 "1.0001k",
                                 "1e99999999999999999999",
                                 "1e-99999999999999999999",
                                 "99999999999999999999999",
                                 "1.00000000000000000000000001",
                                 "--5",
                                 "e5",
                                 "1e5.5",
                                 "1..5"}) {
    auto const why = refusal([&] { return parse_count("--items", text); });
    ASSERT_FALSE(why.empty()) << "'" << text << "' was taken";
    EXPECT_NE(why.find("--items"), std::string::npos) << why;
    EXPECT_NE(why.find("'" + text + "'"), std::string::npos) << why;
    EXPECT_NE(why.find("0 to 2^64-1"), std::string::npos) << why;
    EXPECT_NE(why.find("64Ki"), std::string::npos) << why;
  }
}

TEST(parse_count, takes_underscores_between_digits) {
  EXPECT_EQ(parse_count("-n", "300_000_000"), 300'000'000u);
  EXPECT_EQ(parse_count("-n", "1_0.5e1"), 105u);
  EXPECT_EQ(parse_count("-n", "10K"), 10'000u);
}

TEST(parse_bytes, takes_counts_and_counts_with_a_b) {
  EXPECT_EQ(parse_bytes("--memory", "200MB"), 200'000'000u);
  EXPECT_EQ(parse_bytes("--memory", "64MiB"), 64u << 20);
  EXPECT_EQ(parse_bytes("--memory", "64Mi"), 64u << 20);
  EXPECT_EQ(parse_bytes("--memory", "10kB"), 10'000u);
  EXPECT_EQ(parse_bytes("--memory", "1.5KB"), 1'500u);
  EXPECT_EQ(parse_bytes("--memory", "512B"), 512u);
  EXPECT_EQ(parse_bytes("--memory", "512"), 512u);
  for (std::string const text : {"", "B", "0", "0B", "1BB", "1Bi", "1 MB", "1.5B", "1mb", "-1B", "16777216TiB"})
    EXPECT_NE(refusal([&] { return parse_bytes("--memory", text); }).find("--memory '" + text + "'"), std::string::npos)
        << text;
  EXPECT_NE(refusal([] { return parse_bytes("--memory", "much"); }).find("is not a size"), std::string::npos);
}

TEST(parse_count, names_the_fault) {
  EXPECT_NE(refusal([] { return parse_count("-n", "1e40"); }).find("too large"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_count("-n", "1.5"); }).find("not a whole number"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_count("-n", "-5"); }).find("not a count"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_count("--by", "1", 2); }).find("from 2 to"), std::string::npos);
  EXPECT_EQ(parse_count("--by", "2", 2), 2u);
}

TEST(parse_count, keeps_a_hostile_text_short_and_on_one_line) {
  auto const why = refusal([] { return parse_count("-n", std::string(100'000, 'x') + "\n\x1b[2J"); });
  EXPECT_LT(why.size(), 300u);
  EXPECT_EQ(refusal([] { return parse_count("-n", "a\nb\x1b[2J"); }).find_first_of("\n\x1b"), std::string::npos);
}

TEST(parse_count, a_million_digits_are_answered_at_once) {
  EXPECT_EQ(parse_count("-n", "1." + std::string(1'500'000, '0')), 1u);
  EXPECT_EQ(parse_count("-n", std::string(1'500'000, '0') + "7"), 7u);
  EXPECT_FALSE(refusal([] { return parse_count("-n", "1" + std::string(1'500'000, '0')); }).empty());
  EXPECT_EQ(parse_count("-n", "0." + std::string(1'500'000, '0') + "7e1500001"), 7u);
  EXPECT_FALSE(refusal([] { return parse_count("-n", "0." + std::string(1'500'000, '0') + "7e1500000"); }).empty());
}

TEST(parse_count, reads_back_what_was_printed) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto const value = random() >> (random() % 64);
    EXPECT_EQ(parse_count("-n", std::to_string(value)), value);
    EXPECT_EQ(parse_count("-n", std::to_string(value % 1'000'000) + "e3"), value % 1'000'000 * 1000);
  }
}

TEST(parse_rate, takes_every_spelling_of_the_contract) {
  EXPECT_EQ(parse_rate("-p", "0.01"), 0.01);
  EXPECT_EQ(parse_rate("-p", "1e-2"), 0.01);
  EXPECT_EQ(parse_rate("-p", "1%"), 0.01);
  EXPECT_EQ(parse_rate("-p", ".5"), 0.5);
  EXPECT_EQ(parse_rate("-p", "50%"), 0.5);
  EXPECT_EQ(parse_rate("-p", "1e-300"), 1e-300);
  EXPECT_EQ(parse_rate("-p", "0.9999999999999999"), 0.9999999999999999);
}

TEST(parse_rate, a_per_cent_is_rounded_once) {
  for (int i = 1; i < 1000; ++i) {
    auto const tenth = "0." + std::to_string(i) + "%";
    EXPECT_EQ(parse_rate("-p", tenth), std::stod("0." + std::to_string(i) + "e-2")) << tenth;
  }
}

TEST(parse_rate, refuses_what_is_no_rate_and_says_what_is_allowed) {
  for (std::string const text : {"0",
                                 "1",
                                 "nan",
                                 "inf",
                                 "100%",
                                 "0%",
                                 "-0.1",
                                 "1.5",
                                 "",
                                 "%",
                                 "1%%",
                                 "0.01x",
                                 "0x0.1",
                                 " 0.1",
                                 "0,01",
                                 "1e400",
                                 "1e-400",
                                 "0.99999999999999999999",
                                 "1e-99999999999",
                                 "+0.1",
                                 "infinity",
                                 "1e-2 %",
                                 "2"}) {
    auto const why = refusal([&] { return parse_rate("--fpr", text); });
    ASSERT_FALSE(why.empty()) << "'" << text << "' was taken";
    EXPECT_NE(why.find("--fpr"), std::string::npos) << why;
    EXPECT_NE(why.find("between 0 and 1"), std::string::npos) << why;
  }
}

TEST(human, counts) {
  EXPECT_EQ(grouped_count(0), "0");
  EXPECT_EQ(grouped_count(999), "999");
  EXPECT_EQ(grouped_count(1000), "1 000");
  EXPECT_EQ(grouped_count(12'345'678), "12 345 678");
  EXPECT_EQ(grouped_count(largest), "18 446 744 073 709 551 615");
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(9999), "9999");
  EXPECT_EQ(human_count(10'000), "10 k");
  EXPECT_EQ(human_count(12'345'678), "12.3 M");
  EXPECT_EQ(human_count(1'000'000), "1 M");
  EXPECT_EQ(human_count(1'000'001), "1.0 M");
  EXPECT_EQ(human_count(999'499), "999 k");
  EXPECT_EQ(human_count(999'500), "1.0 M");
  EXPECT_EQ(human_count(largest), "18.4 E");
}

TEST(human, bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1'258'291), "1.2 MiB");
  EXPECT_EQ(human_bytes(64ull << 20), "64 MiB");
  EXPECT_EQ(human_bytes((1ull << 30) - 1), "1.0 GiB");
  EXPECT_EQ(human_bytes(largest), "16 EiB");
}

TEST(human, rates) {
  EXPECT_EQ(human_rate(0.0098), "0.98 %");
  EXPECT_EQ(human_rate(0.01), "1 %");
  EXPECT_EQ(human_rate(0.12345), "12.3 %");
  EXPECT_EQ(human_rate(1), "100 %");
  EXPECT_EQ(human_rate(0), "0 %");
  EXPECT_EQ(human_rate(1.234e-6), "0.000123 %");
  EXPECT_EQ(human_rate(9.9999e-7), "0.0001 %");
  EXPECT_EQ(human_rate(9.9e-7), "9.90e-07");
  EXPECT_EQ(human_rate(1e-300), "1.00e-300");
  EXPECT_EQ(human_rate(std::nan("")), "?");
  EXPECT_EQ(human_rate(-1), "?");
  EXPECT_EQ(human_rate(INFINITY), "?");
}

TEST(human, rates_side_by_side_are_written_one_way) {
  using texts = std::vector<std::string>;
  EXPECT_EQ(human_rates(std::vector{0.0001, 0.0000999, 0.0}), (texts{"0.01 %", "0.00999 %", "0 %"}));
  EXPECT_EQ(human_rates(std::vector{0.01, 1e-9, 0.0, std::nan("")}), (texts{"1.00e-02", "1.00e-09", "0", "?"}));
  EXPECT_EQ(human_rates({}), texts{});
}

TEST(human, durations) {
  EXPECT_EQ(human_duration(0), "0 s");
  EXPECT_EQ(human_duration(820e-9), "820 ns");
  EXPECT_EQ(human_duration(2.5e-6), "2.5 us");
  EXPECT_EQ(human_duration(0.9996), "1.0 s");
  EXPECT_EQ(human_duration(4.2), "4.2 s");
  EXPECT_EQ(human_duration(9.96), "10 s");
  EXPECT_EQ(human_duration(59.6), "1m 00s");
  EXPECT_EQ(human_duration(65), "1m 05s");
  EXPECT_EQ(human_duration(3599.6), "1h 00m");
  EXPECT_EQ(human_duration(7380), "2h 03m");
  EXPECT_EQ(human_duration(3 * 86400 + 4 * 3600), "3d 04h");
  EXPECT_EQ(human_duration(-1), "?");
  EXPECT_EQ(human_duration(std::nan("")), "?");
  EXPECT_EQ(human_duration(INFINITY), "?");
}

}  // namespace
}  // namespace hortus::cli
