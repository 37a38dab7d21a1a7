#include "cli/text/json.hpp"

#include <gtest/gtest.h>

namespace hortus::cli {
namespace {

TEST(json_value, prints_every_kind_on_one_line) {
  json_value all{
      {"null", nullptr}, {"yes", true}, {"least", std::int64_t{-9223372036854775807 - 1}}, {"most", ~std::uint64_t{0}}};
  all["rate"] = 0.1;
  all["text"] = "a\"b\n";
  all["none"] = std::optional<double>();
  all["list"] = json_value::array();
  all["list"].push_back(1);
  all["list"].push_back({{"name", "value"}});
  all["object"] = json_value::object();
  EXPECT_EQ(all.on_one_line(),
            R"({"null":null,"yes":true,"least":-9223372036854775808,"most":18446744073709551615,"rate":0.1,"text":"a\"b\n",)"
            R"("none":null,"list":[1,{"name":"value"}],"object":{}})");
}

TEST(json_value, keeps_the_order_of_names_and_one_value_each) {
  json_value all{{"b", 1}, {"a", 2}};
  all["b"] = 3;
  EXPECT_EQ(all.on_one_line(), R"({"b":3,"a":2})");
  EXPECT_EQ(all.on_many_lines(), "{\n  \"b\": 3,\n  \"a\": 2\n}");
  ASSERT_NE(all.find("a"), nullptr);
  EXPECT_EQ(all.find("a")->get<std::uint64_t>(), 2u);
  EXPECT_EQ(all.find("c"), nullptr);
  EXPECT_EQ(json_value(1.5).find("a"), nullptr);
}

// File names and keys may contain any bytes; JSON is UTF-8.
TEST(json_value, replaces_bytes_that_are_no_utf8) {
  EXPECT_EQ(json_value("a\xff"
                       "b")
                .on_one_line(),
            "\"a\xef\xbf\xbd"
            "b\"");
}

}  // namespace
}  // namespace hortus::cli
