#include <array>

#include "redis/filter.hpp"
#include "redis/filter_pieces.hpp"
#include "redis/hortus_commands.hpp"
#include "redis/import_value.hpp"
#include "redis/words.hpp"

/// Filters as files, which the command hortus and every program with the library read and write.
namespace hortus::server::commands {
namespace {

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string_view text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Redis' own limit for strings in replies and arguments, by default.
constexpr std::uint64_t most_reply_bytes = std::uint64_t{512} << 20;
/// Copying so many bytes takes a few milliseconds.
constexpr std::uint64_t most_piece_bytes = std::uint64_t{4} << 20;

/// `bytes` bytes of the file from `offset` on.
std::vector<std::byte> piece_of(image const& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> piece;
  piece.reserve(std::min(bytes, stored_size(file) - std::min(offset, stored_size(file))));
  write_piece(file, offset, bytes,
              [&](std::span<std::byte const> some) { piece.insert(piece.end(), some.begin(), some.end()); });
  return piece;
}

void export_whole(patient_call& it, filter_value& value) {
  auto const answer = [filter = value.shared()](caller const& of) {
    auto const file = image_of(*filter);
    if (auto const bytes = stored_size(file); bytes > most_reply_bytes)
      throw refusal("ERR the file has " + std::to_string(bytes) + " bytes, too many for one reply: HORTUS.EXPORT key FROM 0 " +
                    "begins to give it in pieces");
    of.reply_bytes(text_of(piece_of(file, 0, most_reply_bytes)));
  };
  answer_work(it, value.filter().size_bytes(), std::array{&value.marks()}, answer);
}

void export_piece(patient_call& it, filter_value& value, std::uint64_t offset) {
  auto const answer = [filter = value.shared(), stamp = value.stamp(), offset](caller const& of) {
    auto const file = image_of(*filter);
    auto const bytes = stored_size(file);
    if (offset >= bytes) throw refusal("ERR the file has " + std::to_string(bytes) + " bytes");
    auto const piece = piece_of(file, offset, piece_bytes);
    auto const next = offset + piece.size();
    of.begin_array(3);
    of.reply(next == bytes ? 0 : static_cast<long long>(next));
    of.reply(static_cast<long long>(stamp));
    of.reply_bytes(text_of(piece));
  };
  answer_work(it, value.filter().size_bytes(), std::array{&value.marks()}, answer);
}

/// Replicates an import and answers how many bytes are missing.
void reply_missing(patient_call& now, std::uint64_t bytes) {
  now.replicate();
  now.notify("hortus.import");
  now.reply(static_cast<long long>(bytes));
}
void reply_complete(patient_call& now, filter_value&) { reply_missing(now, 0); }

/// The file is argument `i`, all of it.
void import_whole(patient_call& it, std::size_t i, bool replaces) {
  if (!replaces) check_absent(it, 1);
  check_object_bytes(it[i].size(), most_object_bytes(it));
  auto const make = [i](caller const& of) { return from_bytes(bytes_of(of[i])); };
  make_value(it, {make, it[i].size()}, replaces, reply_complete);
}

void begin_import(patient_call& it, std::span<std::byte const> piece) {
  check_absent(it, 1);
  owned_value<import_value> fresh(new_value<import_value>(piece));
  if (fresh->file_bytes() == piece.size()) return import_whole(it, 4, false);
  check_object_bytes(fresh->file_bytes(), most_object_bytes(it));
  opened_key<import_value> key(it, 1, key_to_write);
  auto const* const begun = key.set(fresh.release());
  reply_missing(it, begun->file_bytes() - begun->came());
}

/// With the last piece, the filter is made of all and takes the place of the import.
void complete_import(patient_call& it, import_value& begun) {
  auto const made = std::make_shared<counted_filter>();
  auto const parts = begun.pieces();
  auto const compute = [made, parts](caller const& of) {
    auto part = parts->begin();
    bool ended = false;
    auto const next = [&]() -> std::span<std::byte const> {
      if (part != parts->end()) return (part++)->bytes();
      return std::exchange(ended, true) ? std::span<std::byte const>() : bytes_of(of[4]);
    };
    *made = counted([&] { return read_pieces(next, [](std::uint64_t) {}); });
  };
  auto const finish = [made, parts](patient_call& now) {
    check_serves(now, 1, true);
    opened_key<import_value> const key(now, 1, api::key_read);
    if (!key.holds() || key.value()->pieces() != parts)
      throw refusal("ERR the import was deleted or replaced before it was complete");
    opened_key<filter_value> place(now, 1, key_to_write);
    reply_complete(now, *place.set(new_value<filter_value>(std::move(*made))));
  };
  do_work(it, begun.file_bytes(), std::array{&begun.marks()}, {compute, finish});
}

void import_piece(patient_call& it) {
  auto const offset = whole_number(it, 3, "the offset");
  auto const piece = bytes_of(it[4]);
  if (piece.size() > most_piece_bytes && !it.is_repeated())
    throw refusal("ERR a piece has at most " + std::to_string(most_piece_bytes) + " bytes");
  if (offset == 0) return begin_import(it, piece);
  for (;;) {
    opened_key<import_value> const key(it, 1, key_to_write);
    auto* const begun = key.holds() ? key.value() : nullptr;
    if (begun == nullptr)
      throw refusal("ERR no import was begun at this key: the first piece is FROM 0, at a key that is not there");
    if (begun->marks().settle(it)) continue;  // it may be complete by now
    if (offset != begun->came()) throw refusal("ERR the next piece is FROM " + std::to_string(begun->came()));
    auto const missing = begun->file_bytes() - begun->came();
    if (piece.size() > missing) throw refusal("ERR only " + std::to_string(missing) + " bytes of the file are missing");
    if (piece.size() == missing) return complete_import(it, *begun);
    begun->add(piece);
    return reply_missing(it, missing - piece.size());
  }
}

}  // namespace

void export_file(patient_call& it) {
  bool const piece = it.size() == 4 && it.is(2, "FROM");
  if (it.size() != 2 && !piece) throw refusal("ERR HORTUS.EXPORT takes a key, and FROM offset");
  filter_key const key(it, 1);
  if (piece) return export_piece(it, *key, whole_number(it, 3, "the offset"));
  export_whole(it, *key);
}

void import_file(patient_call& it) {
  check_serves(it, 1, true);
  if (it.size() == 5 && it.is(2, "FROM")) return import_piece(it);
  bool const replaces = it.size() == 4 && it.is(3, "REPLACE");
  if (it.size() != 3 && !replaces) throw refusal("ERR HORTUS.IMPORT takes a key, then FROM offset piece, or file [REPLACE]");
  import_whole(it, 2, replaces);
}

}  // namespace hortus::server::commands
