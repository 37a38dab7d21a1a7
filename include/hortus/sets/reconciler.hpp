#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/hash/xxhash.hpp>
#include <hortus/sets/difference_estimate.hpp>
#include <hortus/sets/rateless_decoder.hpp>
#include <hortus/sets/rateless_encoder.hpp>
#include <hortus/sets/symbol_code.hpp>

namespace hortus::sets {

/// The exact difference of two sets of keys of fixed size, from messages whose length follows the difference.
///
///     reconciler<20> mine(secret), theirs(secret);           // the same secret on both sides
///     for (auto const& key : keys) mine.add(key);            // and the other side its own
///     while (!mine.feed(theirs.next_symbols(mine.to_ask())))  // these bytes travel
///       ;
///     mine.theirs_only(), mine.mine_only();
///
/// Fixed mode: next_symbols(m), once, is a table of m symbols. It is enough for about m / 1.45 differences; feed() says whether
/// it was. One stream serves all receivers.
///
/// Promise  theirs_only() and mine_only() are exact when feed() returned true, if the peer told the truth about its keys. Each
///          of mine_only() is mine, and none of theirs_only() is. Bytes that no set has throw, and use memory in proportion to
///          their number.
/// Price    1.35 symbols for each of 10^5 differences, 1.38 of 1000, at most 1.75 (mean, at five); a symbol is the key and 9 to
///          11 bytes. See rateless_encoder for time.
/// Lacks    keys of any length: `initiator` and `responder` exchange digests, and then the keys that are missing.
/// Source   L. Yang, Y. Gilad and M. Alizadeh, "Practical rateless set reconciliation", SIGCOMM 2024.
template <std::size_t Bytes>
class reconciler {
 public:
  using key_type = fixed_key<Bytes>;
  using symbol = coded_symbol<Bytes>;

  explicit reconciler(secret_key const& secret) noexcept : check_(siphash(secret).check()), mine_(secret), decoder_(secret) {}

  void add(key_type const& key) { mine_.add(key); }
  void reserve(std::size_t keys) { mine_.reserve(keys); }
  [[nodiscard]] rateless_encoder<Bytes>& mine() noexcept { return mine_; }

  /// The next symbols of this side as a message.
  [[nodiscard]] std::vector<std::byte> next_symbols(std::uint64_t count) {
    std::vector<std::byte> out(std::size_t{8});
    std::copy_n(magic.begin(), 8, reinterpret_cast<char*>(out.data()));
    message::put_bytes(out, little_endian_bytes(check_));
    for (auto const number : {std::uint64_t{Bytes}, mine_.size(), mine_.taken(), count}) message::put_varint(out, number);
    auto const first = mine_.taken();
    put_symbols<Bytes>(out, mine_.size(), first, mine_.next(count));
    message::put_bytes(out, little_endian_bytes(XXH3_64bits(out.data(), out.size())));
    return out;
  }

  /// Symbols of the other side, in their order. True when the difference is known. Throws errc::corrupt for damaged bytes and
  /// symbols that contradict each other, and errc::incompatible for another secret, key size or place in the stream.
  bool feed(std::span<std::byte const> bytes) {
    auto in = checked(bytes);
    auto const size = message::take_varint(in);
    if (size != Bytes)
      throw error(errc::incompatible, "keys have " + std::to_string(size) + " bytes, not " + std::to_string(Bytes));
    auto const keys = message::take_varint(in);
    auto const first = message::take_varint(in);
    auto const count = message::take_varint(in);
    if (first != decoder_.fed())
      throw error(errc::incompatible, "the message starts with symbol " + std::to_string(first) + ", expected was " +
                                          std::to_string(decoder_.fed()));
    auto const symbols = take_symbols<Bytes>(in, keys, first, count);
    if (!in.empty()) message::corrupt("the message is longer than its symbols");
    return feed(symbols, keys);
  }
  /// The same of symbols, and the number of keys of the other side.
  bool feed(std::vector<symbol> theirs, std::uint64_t keys) {
    if (done() || theirs.empty()) return done();
    if (decoder_.fed() != 0 && keys != theirs_) message::corrupt("the number of keys changed between messages");
    theirs_ = keys;
    auto const own = own_symbols(theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      theirs[i].subtract(own[i]);
      estimate_.add(static_cast<symbol_index>(decoder_.fed() + i), theirs[i].count, keys - mine_.size());
    }
    decoder_.feed(theirs);
    if (done()) check_sides();
    return done();
  }

  [[nodiscard]] bool done() const noexcept { return decoder_.done(); }
  [[nodiscard]] std::uint64_t fed() const noexcept { return decoder_.fed(); }
  /// How many symbols to ask for next.
  [[nodiscard]] std::uint64_t to_ask() const noexcept { return done() ? 0 : estimate_.more(fed()); }

  [[nodiscard]] std::vector<key_type> theirs_only() const { return decoder_.theirs_only(); }
  [[nodiscard]] std::vector<key_type> mine_only() const { return decoder_.mine_only(); }

 private:
  static constexpr std::string_view magic{"\x89HORSYM\n", 8};

  [[nodiscard]] std::span<std::byte const> checked(std::span<std::byte const> in) const {
    auto const all = in;
    if (in.size() < 24 || std::memcmp(in.data(), magic.data(), 8) != 0) message::corrupt("no message of symbols");
    in = in.first(in.size() - 8);
    if (XXH3_64bits(in.data(), in.size()) != little_endian_load<std::uint64_t>(all.data() + in.size()))
      message::corrupt("the checksum of the message is wrong: it was damaged");
    if (little_endian_load<std::uint64_t>(in.data() + 8) != check_)
      throw error(errc::incompatible, "the message was made with another secret: both sides need the same");
    return in.subspan(16);
  }
  [[nodiscard]] std::vector<symbol> own_symbols(std::uint64_t count) {
    if (mine_.taken() == decoder_.fed()) return mine_.next(count);
    throw error(errc::bad_params, "this side has sent symbols of its own, so it cannot take any: one side sends, one takes");
  }
  void check_sides() {
    for (auto const& key : mine_only())
      if (!mine_.contains(key)) message::corrupt("symbols contradict each other: a key of this side is not its own");
    for (auto const& key : theirs_only())
      if (mine_.contains(key)) message::corrupt("symbols contradict each other: a missing key is not missing");
  }

  std::uint64_t check_;
  rateless_encoder<Bytes> mine_;
  rateless_decoder<Bytes> decoder_;
  difference_estimate estimate_;
  std::uint64_t theirs_ = 0;
};

}  // namespace hortus::sets
