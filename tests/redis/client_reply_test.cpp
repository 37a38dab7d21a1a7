#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include <hortus/redis/directory.hpp>
#include <hortus/redis/reply.hpp>
#include <hortus/redis/servers.hpp>

#include "code_of.hpp"

namespace hortus::testing {
namespace {

using redis::reply;
using redis::reply_parser;

void give(reply_parser& to, std::string_view bytes) {
  std::memcpy(to.room(bytes.size()), bytes.data(), bytes.size());
  to.filled(bytes.size());
}

reply only_reply(std::string_view bytes) {
  reply_parser parser;
  give(parser, bytes);
  auto made = parser.next();
  EXPECT_TRUE(made.has_value()) << bytes;
  return made.value_or(reply());
}

TEST(RedisReply, HasEveryKind) {
  EXPECT_EQ(only_reply("+OK\r\n").as_text(), "OK");
  EXPECT_EQ(only_reply(":-42\r\n").as_integer(), -42);
  EXPECT_EQ(only_reply("$5\r\na\r\nbc\r\n").as_text(), "a\r\nbc");
  EXPECT_EQ(only_reply("$0\r\n\r\n").as_text(), "");
  EXPECT_EQ(only_reply("$-1\r\n").what, reply::kind::nothing);
  EXPECT_EQ(only_reply("*-1\r\n").what, reply::kind::nothing);
  EXPECT_TRUE(only_reply("-MOVED 1 h:1\r\n").is_error("MOVED "));
  auto const all = only_reply("*3\r\n:1\r\n*2\r\n+name\r\n$1\r\nv\r\n-ERR no\r\n");
  ASSERT_EQ(all.as_array(3).size(), 3U);
  ASSERT_NE(all.parts[1].find("name"), nullptr);
  EXPECT_EQ(all.parts[1].find("name")->as_text(), "v");
  EXPECT_EQ(all.parts[1].find("other"), nullptr);
  EXPECT_TRUE(all.parts[2].is_error());
}

TEST(RedisReply, ComesInAnyPieces) {
  std::string const stream = "*2\r\n$3\r\nabc\r\n*1\r\n:7\r\n+next\r\n$10000\r\n" + std::string(10000, 'x') + "\r\n";
  for (std::size_t const piece : {1U, 2U, 3U, 7U, 64U, 4096U, 100000U}) {
    reply_parser parser;
    std::vector<reply> all;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      give(parser, std::string_view(stream).substr(at, piece));
      while (auto made = parser.next()) all.push_back(std::move(*made));
    }
    ASSERT_EQ(all.size(), 3U) << piece;
    EXPECT_EQ(all[0].parts[0].as_text(), "abc");
    EXPECT_EQ(all[0].parts[1].parts[0].as_integer(), 7);
    EXPECT_EQ(all[1].as_text(), "next");
    EXPECT_EQ(all[2].as_text().size(), 10000U);
  }
}

TEST(RedisReply, SaysHowMuchIsMissing) {
  reply_parser parser;
  EXPECT_FALSE(parser.next().has_value());
  give(parser, "$1000\r\nabc");
  EXPECT_FALSE(parser.next().has_value());
  EXPECT_EQ(parser.missing(), 999U);
}

TEST(RedisReply, OfAHostileServerIsRefused) {
  std::string const deep = [] {
    std::string text;
    for (int i = 0; i < 20; ++i) text += "*1\r\n";
    return text;
  }();
  for (std::string const& bytes :
       {std::string("hello\r\n"), std::string("\r\n"), std::string("$x\r\n"), std::string("$-2\r\n"),
        std::string("$99999999999\r\n"), std::string("*-7\r\n"), std::string(":1x\r\n"), std::string(70000, '+'), deep}) {
    reply_parser parser;
    give(parser, bytes);
    EXPECT_EQ(code_of([&] { (void)parser.next(); }), errc::corrupt) << bytes.substr(0, 20);
  }
  // What is only announced is not allocated.
  reply_parser parser;
  give(parser, "*1000000000\r\n:1\r\n");
  EXPECT_FALSE(parser.next().has_value());
}

TEST(RedisReply, OfAnotherKindIsRefused) {
  EXPECT_EQ(code_of([] { (void)only_reply(":1\r\n").as_text(); }), errc::corrupt);
  EXPECT_EQ(code_of([] { (void)only_reply("+1\r\n").as_integer(); }), errc::corrupt);
  EXPECT_EQ(code_of([] { (void)only_reply("*1\r\n:1\r\n").as_array(2); }), errc::corrupt);
}

TEST(RedisSlots, AreThoseOfRedis) {
  EXPECT_EQ(redis::slot_of("123456789"), 12739U);  // of the specification of Redis Cluster
  EXPECT_EQ(redis::slot_of("foo"), 12182U);
  EXPECT_EQ(redis::slot_of("{user1000}.following"), redis::slot_of("user1000"));
  EXPECT_EQ(redis::slot_of("foo{{bar}}zap"), redis::slot_of("{bar"));
  EXPECT_EQ(redis::slot_of("foo{bar}{zap}"), redis::slot_of("bar"));
  EXPECT_NE(redis::slot_of("foo{}{bar}"), redis::slot_of("bar"));
}

TEST(RedisShards, AreSpreadEvenlyOverTheSlots) {
  for (std::uint64_t const shards : {1U, 2U, 3U, 12U, 100U, 4096U}) {
    redis::directory const all{.key = "seen", .about = {}, .plan = {shards, shards}};
    for (std::uint64_t i = 0; i<shards; i += shards> 200 ? 97 : 1) {
      auto const key = all.shard_key(i);
      EXPECT_TRUE(key.starts_with("seen:{" + std::to_string(i))) << key;
      EXPECT_EQ(redis::slot_of(key) * shards / redis::cluster_slots, i) << key;
    }
  }
}

TEST(RedisDirectory, IsReadAsItWasWritten) {
  redis::directory made{.key = "seen",
                        .about = {.family = "blocked",
                                  .hash_id = 1,
                                  .seed = ~std::uint64_t{0},
                                  .key_check = 0,
                                  .kinds = key_kind::bytes,
                                  .items_planned = 12345678901,
                                  .fpr_planned = 0.001,
                                  .items_inserted = 7},
                        .plan = {960, 12},
                        .generation = 3};
  auto const words = made.to_words();
  ASSERT_EQ(words[0], "HSET");
  ASSERT_EQ(words[1], "seen");
  auto const fields = [&](std::vector<std::string> const& from) {
    reply all{.what = reply::kind::array};
    for (std::size_t i = 2; i < from.size(); ++i) all.parts.push_back({.what = reply::kind::text, .text = from[i]});
    return all;
  };
  auto const read = redis::directory::from_reply("seen", fields(words));
  EXPECT_EQ(read.about, made.about);
  EXPECT_EQ(read.plan, made.plan);
  EXPECT_EQ(read.generation, 3U);
  EXPECT_TRUE(read.shard_key(0).ends_with("}.3")) << read.shard_key(0);

  // Every field matters, and no value is believed.
  for (std::size_t i = 2; i < words.size(); i += 2) {
    if (words[i] == "hash") continue;  // for readers
    auto wrong = words;
    wrong[i] = "other";
    SCOPED_TRACE(words[i]);
    (void)code_of([&] { (void)redis::directory::from_reply("seen", fields(wrong)); });
    wrong = words;
    wrong[i + 1] = "-1";
    (void)code_of([&] { (void)redis::directory::from_reply("seen", fields(wrong)); });
  }
  auto none = made;
  none.plan.shards = 7;  // does not divide 960
  EXPECT_EQ(code_of([&] { (void)redis::directory::from_reply("seen", fields(none.to_words())); }), errc::bad_params);
}

}  // namespace
}  // namespace hortus::testing
