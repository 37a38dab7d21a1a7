// Two sides and what goes between them: every kind of difference, and peers that die, lie or speak another version.
#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include <hortus/sets/session.hpp>

#include "sets/sets_of_keys.hpp"

namespace hortus::testing {
namespace {

using namespace hortus::sets;
using bytes = std::vector<std::byte>;
using tamper = std::function<void(bytes&)>;  ///< changes what the responder sends, one write at a time

struct outcome {
  bool equal = false;
  std::vector<std::string> mine_only;
  std::vector<std::string> theirs_only;
  std::uint64_t symbols = 0;
  std::uint64_t wire = 0;
};

/// Both sides in one process. nullopt: the responder's bytes ended before the answer was known.
std::optional<outcome> run(std::vector<std::string> const& mine, std::vector<std::string> const& theirs,
                           wanted depth = wanted::which, tamper const& change = {}, session_limits limits = {}) {
  auto const a = views(mine);
  auto const b = views(theirs);
  keys_in_memory const my_keys(a);
  keys_in_memory const their_keys(b);
  std::deque<bytes> to_responder;
  std::deque<bytes> to_initiator;
  initiator left(
      my_keys, secret_of(4), [&](auto some) { to_responder.emplace_back(some.begin(), some.end()); }, depth, limits);
  responder right(their_keys, [&](auto some) {
    auto& one = to_initiator.emplace_back(some.begin(), some.end());
    if (change) change(one);
  });
  right.start();
  left.start();
  left.load();
  while (!left.done() && !(to_responder.empty() && to_initiator.empty())) {
    auto& queue = to_initiator.empty() ? to_responder : to_initiator;
    bool const for_left = !to_initiator.empty();
    auto const some = queue.front();
    queue.pop_front();
    // In uneven pieces, as pipes deliver them.
    for (std::size_t at = 0, piece = 1; at < some.size(); at += piece, piece = piece * 3 % 4099 + 1) {
      auto const part = std::span(some).subspan(at, std::min(piece, some.size() - at));
      for_left ? left.receive(part) : right.receive(part);
    }
  }
  if (!left.done()) return std::nullopt;
  while (!to_responder.empty()) right.receive(to_responder.front()), to_responder.pop_front();
  EXPECT_TRUE(right.done());
  outcome all{.equal = left.equal(), .mine_only = {}, .theirs_only = {}, .symbols = left.symbols(), .wire = 0};
  left.for_each_of_mine([&](std::string_view key) { all.mine_only.emplace_back(key); });
  for (std::size_t i = 0; i < left.their_keys().size(); ++i) all.theirs_only.emplace_back(left.their_keys()[i]);
  if (depth != wanted::which) {
    all.mine_only.resize(left.mine_only().size());
    all.theirs_only.resize(left.theirs_only().size());
  }
  EXPECT_EQ(left.channel().sent(), right.channel().received());
  all.wire = left.channel().sent() + left.channel().received();
  return all;
}

std::vector<std::string> joined(std::vector<std::string> a, std::vector<std::string> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(session, finds_the_exact_difference) {
  for (std::uint64_t const d : {0U, 1U, 2U, 10U, 100U, 1000U, 20000U}) {
    auto const common = texts(0, 3000);
    auto const a = texts(1000000, d);
    auto const b = texts(2000000, d / 2);
    auto const found = run(joined(common, a), joined(common, b));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->equal, d == 0);
    EXPECT_EQ(sorted(found->mine_only), sorted(a));
    EXPECT_EQ(sorted(found->theirs_only), sorted(b));
    auto const numbers = run(joined(common, a), joined(common, b), wanted::how_many);
    EXPECT_EQ(numbers->mine_only.size(), d);
    EXPECT_EQ(numbers->theirs_only.size(), d / 2);
    if (d > 1) {
      EXPECT_LT(numbers->wire, found->wire);
    }
    EXPECT_EQ(run(joined(common, a), joined(common, b), wanted::whether)->equal, d == 0);
  }
}

TEST(session, knows_empty_sets_duplicates_and_sets_with_nothing_in_common) {
  auto const some = texts(0, 500);
  EXPECT_TRUE(run({}, {})->equal);
  EXPECT_EQ(run({}, {})->symbols, 0U);
  EXPECT_EQ(sorted(run({}, some)->theirs_only), sorted(some));
  EXPECT_EQ(sorted(run(some, {})->mine_only), sorted(some));
  EXPECT_TRUE(run(joined(some, some), some)->equal);
  auto const twice = run(joined({"new", "new"}, some), joined({"other", "other"}, some));
  EXPECT_EQ(twice->mine_only, std::vector<std::string>{"new"});
  EXPECT_EQ(twice->theirs_only, std::vector<std::string>{"other"});
  auto const apart = run(texts(0, 3000), texts(10000, 2000));
  EXPECT_EQ(apart->mine_only.size(), 3000U);
  EXPECT_EQ(apart->theirs_only.size(), 2000U);
}

TEST(session, carries_keys_of_any_length_and_any_bytes) {
  std::vector<std::string> theirs{"", std::string("\0\n\xff", 3), std::string(5'000'000, 'x'), "\n"};
  EXPECT_EQ(sorted(run({"a"}, theirs)->theirs_only), sorted(theirs));
  EXPECT_EQ(sorted(run(theirs, {"a"})->mine_only), sorted(theirs));
}

TEST(session, needs_few_bytes_for_a_thousand_differences) {
  std::vector<std::string> mine;
  std::vector<std::string> theirs;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    auto const key = numbered_key<20>(i);
    std::string const text(reinterpret_cast<char const*>(key.data()), key.size());
    if (i >= 500) mine.push_back(text);
    if (i < 99500) theirs.push_back(text);
  }
  auto const found = run(mine, theirs);
  EXPECT_EQ(found->mine_only.size(), 500U);
  EXPECT_EQ(found->theirs_only.size(), 500U);
  EXPECT_LT(found->wire, 65000U);
  EXPECT_LT(found->symbols, 1500U);
}

errc refused(tamper const& change, session_limits limits = {}) {
  try {
    auto const found = run(texts(0, 300), texts(100, 300), wanted::which, change, limits);
    EXPECT_FALSE(found) << "an answer";
    return errc::absent;  // ended early
  } catch (error const& e) {
    return e.code();
  }
}

TEST(session, refuses_every_damaged_byte_and_every_truncation) {
  std::size_t total = 0;
  ASSERT_TRUE(run(texts(0, 300), texts(100, 300), wanted::which, [&](bytes& some) { total += some.size(); }));
  ASSERT_GT(total, 5000U);
  for (std::size_t at = 0; at < total; at += at < 200 || at + 200 > total ? 1 : 67) {
    std::size_t sent = 0;
    auto const code = refused([&](bytes& some) {
      if (at >= sent && at < sent + some.size()) some[at - sent] ^= std::byte{0x10};
      sent += some.size();
    });
    EXPECT_TRUE(code == errc::corrupt || code == errc::unsupported || code == errc::absent) << at;
    sent = 0;
    auto const ended = refused([&](bytes& some) {
      auto const left = sent >= at ? 0 : std::min(some.size(), at - sent);
      sent += some.size();
      some.resize(left);
    });
    EXPECT_EQ(ended, errc::absent) << at;
  }
}

TEST(session, names_another_version_and_another_program) {
  auto const message_of = [](bytes const& start) {
    frame_reader in;
    in.push(start);
    try {
      (void)in.next();
    } catch (error const& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  auto other = preamble();
  other.back() = std::byte{7};
  EXPECT_EQ(message_of(other),
            "the other side speaks version 7 of the protocol, this one version 1: both need the same hortus");
  std::string const shell = "sh: 1: hortus: not found\n";
  bytes words(shell.size());
  std::memcpy(words.data(), shell.data(), shell.size());
  EXPECT_EQ(message_of(words), "the other side is no `hortus reconcile --stdio`: it sent 'sh: 1: hortus: not found?'");
  EXPECT_EQ(message_of(preamble()), "no error");
  auto failed = preamble();
  for (auto const byte : failure_frame("its disk is full")) failed.push_back(byte);
  EXPECT_EQ(message_of(failed), "the other side gave up: its disk is full");
}

/// Frames of a peer that keeps to the form but lies: made anew with right checksums.
errc lied(std::function<void(frame_type, bytes&)> const& lie) {
  frame_reader in;
  bool first = true;
  return refused([&](bytes& some) {
    in.push(some);
    bytes changed;
    if (std::exchange(first, false)) changed = preamble();
    while (auto one = in.next()) {
      lie(one->type, one->payload);
      auto const again = framed(one->type, one->payload);
      changed.insert(changed.end(), again.begin(), again.end());
    }
    some = changed;
  });
}

TEST(session, gives_no_wrong_answer_to_a_liar) {
  // A different number of keys; a different sum of digests; other symbols; another key than was asked for.
  EXPECT_EQ(lied([](frame_type type, bytes& payload) {
              if (type == frame_type::summary) payload[0] ^= std::byte{1};
            }),
            errc::corrupt);
  EXPECT_EQ(lied([](frame_type type, bytes& payload) {
              if (type == frame_type::summary) payload.back() ^= std::byte{1};
            }),
            errc::corrupt);
  for (std::size_t i = 2; i < 400; ++i)
    EXPECT_EQ(lied([&](frame_type type, bytes& payload) {
                if (type == frame_type::symbols && payload[0] == std::byte{0} && i < payload.size()) payload[i] ^= std::byte{1};
              }),
              errc::corrupt)
        << i;
  EXPECT_EQ(lied([](frame_type type, bytes& payload) {
              if (type == frame_type::keys) payload.back() ^= std::byte{1};
            }),
            errc::corrupt);
  EXPECT_EQ(lied([](frame_type type, bytes& payload) {
              if (type == frame_type::summary) payload.push_back(std::byte{1});
            }),
            errc::corrupt);
  EXPECT_EQ(lied([](frame_type type, bytes& payload) {
              if (type == frame_type::symbols) payload.push_back(std::byte{1});
            }),
            errc::corrupt);
}

TEST(session, takes_no_more_than_allowed) { EXPECT_EQ(refused({}, {.bytes = 3000}), errc::too_large); }

/// A responder that is asked by hand.
errc responder_says(std::vector<bytes> const& frames) {
  std::vector<std::string_view> const keys{"a"};
  keys_in_memory const source(keys);
  responder right(source, [](auto) {});
  try {
    right.receive(preamble());
    for (auto const& one : frames) right.receive(one);
  } catch (error const& e) {
    return e.code();
  }
  return errc::absent;
}

TEST(session, a_responder_refuses_what_is_out_of_turn) {
  bytes const secret(16);
  bytes const two{std::byte{2}};
  bytes many;
  message::put_varint(many, most_asked + 1);
  auto const hello = framed(frame_type::hello, secret);
  EXPECT_EQ(responder_says({hello, framed(frame_type::more, two), framed(frame_type::done)}), errc::absent);
  EXPECT_EQ(responder_says({framed(frame_type::more, two)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, hello}), errc::corrupt);
  EXPECT_EQ(responder_says({framed(frame_type::hello, two)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::more, many)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::more)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::want, secret)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::want, two)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::symbols, two)}), errc::corrupt);
  EXPECT_EQ(responder_says({hello, framed(frame_type::want), framed(frame_type::more, two)}), errc::corrupt);
}

}  // namespace
}  // namespace hortus::testing
