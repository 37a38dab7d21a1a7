#include "cli/bench_rows.hpp"

#include <gtest/gtest.h>

namespace hortus::cli {
namespace {

std::vector<bench::row> sample() {
  bench::row some{.family = "some", .items = 1000, .fpr_target = 0.01, .fpr_measured = 0.0098, .bits_per_item = 9.6};
  some.build_ns = 12.34;
  some.hit_ns = 5;
  auto full = some;
  full.family = "full";
  full.refused = 12345;
  full.hit_ns = -1;
  return {some, full};
}

TEST(table_of_rows, tells_the_keys_that_did_not_fit) {
  EXPECT_EQ(table_of(sample(), row_detail::results).text(),
            "family  bits/item  measured  refused  hit  build\n"
            "some         9.60    0.98 %        -  5.0   12.3\n"
            "full         9.60    0.98 %   12 345    -   12.3\n");
}

TEST(table_of_rows, has_no_column_that_would_be_empty) {
  auto const one = table_of({sample().front()}, row_detail::results).text();
  EXPECT_EQ(one, "family  bits/item  measured  hit  build\nsome         9.60    0.98 %  5.0   12.3\n");
  EXPECT_EQ(table_of({}, row_detail::results).text(), "family  bits/item  measured\n");
}

TEST(table_of_rows, names_batches_as_told) {
  auto rows = sample();
  rows[0].batch_hit_ns = 3;
  EXPECT_NE(table_of(rows, row_detail::limits).text().find("  b.hit  "), std::string::npos);
  EXPECT_NE(table_of(rows, row_detail::results, "batch ").text().find("  batch hit  "), std::string::npos);
}

TEST(table_of_rows, tells_load_and_peak_beside_the_limits_where_they_are_known) {
  auto rows = sample();
  EXPECT_EQ(table_of(rows, row_detail::limits).text().find("load"), std::string::npos);
  EXPECT_EQ(table_of(rows, row_detail::limits).text().find("peak"), std::string::npos);
  rows[0].load = 0.9123;
  rows[1].peak_bits_per_item = 130.25;
  auto const all = table_of(rows, row_detail::limits).text();
  EXPECT_NE(all.find("   load  "), std::string::npos) << all;
  EXPECT_NE(all.find(" 91.2 %  "), std::string::npos) << all;
  EXPECT_NE(all.find("   peak  "), std::string::npos) << all;
  EXPECT_NE(all.find("  130.2  "), std::string::npos) << all;
  EXPECT_EQ(table_of(rows, row_detail::results).text().find("load"), std::string::npos);
  EXPECT_EQ(to_json(rows[0])["load"].get<double>(), 0.9123);
  EXPECT_TRUE(to_json(rows[0])["peak_bits_per_item"].is_null());
  EXPECT_TRUE(to_json(rows[1])["load"].is_null());
  EXPECT_EQ(to_json(rows[1])["peak_bits_per_item"].get<double>(), 130.25);
}

TEST(json_of_rows, has_refused_keys_and_null_for_what_a_family_lacks) {
  auto full = to_json(sample().back());
  EXPECT_EQ(full["keys_refused"].get<std::uint64_t>(), 12345u);
  EXPECT_TRUE(full["hit_ns"].is_null());
  EXPECT_EQ(full["build_ns"].get<double>(), 12.34);
  EXPECT_TRUE(full["overhead"].is_null());
}

}  // namespace
}  // namespace hortus::cli
