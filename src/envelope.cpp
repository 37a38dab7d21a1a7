#include <hortus/io/envelope.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include <hortus/error.hpp>
#include <hortus/hash/xxhash.hpp>

namespace hortus {
namespace {

static_assert(std::endian::native == std::endian::little,
              "hortus files are little-endian and their words are used in place: a big-endian port must swap them in "
              "copy_sections and refuse open()");

constexpr std::array<unsigned char, 8> magic{0x89, 'H', 'O', 'R', 'T', 'U', 'S', '\n'};  // no text file starts with 0x89
constexpr std::uint64_t fixed_bytes = 128;
constexpr std::uint64_t section_boundary = memory::line_bytes;
constexpr std::size_t name_bytes = 24;

/// The fixed part, in the order of docs/file-format.md. Members are naturally aligned, so the struct has no padding.
struct fixed_header {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t file_bytes;
  std::array<char, name_bytes> family;
  std::uint32_t required_features;  // bits that a reader must know; none are defined yet
  std::uint32_t hash_id;
  std::uint64_t seed;
  std::uint64_t key_check;
  std::uint32_t key_kinds;
  std::uint32_t chunk_bytes;
  std::uint64_t items_planned;
  double fpr_planned;
  std::uint64_t items_inserted;
  std::uint32_t scalars;
  std::uint32_t sections;
  std::uint64_t table_checksum;
  std::uint64_t reserved;
};
static_assert(sizeof(fixed_header) == fixed_bytes);

[[noreturn]] void corrupt(std::string const& why) { throw error(errc::corrupt, why); }

/// Pre: n < 2^63. Every size here is, once it was compared with the size of the file.
constexpr std::uint64_t aligned(std::uint64_t n) { return (n + section_boundary - 1) / section_boundary * section_boundary; }
constexpr std::uint64_t chunks_in(std::uint64_t bytes) { return bytes / chunk_bytes + (bytes % chunk_bytes != 0 ? 1 : 0); }
constexpr std::uint64_t header_size(std::uint64_t scalars, std::uint64_t sections) {
  return aligned(fixed_bytes + 8 * scalars + 16 * sections + 8);
}

std::uint64_t checksum(std::span<std::byte const> bytes, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

/// Calls act(chunk number in the file, bytes) for each chunk of each section. The number is the seed of the chunk's
/// checksum, so that swapped chunks are detected.
void for_each_chunk(std::span<std::span<std::byte const> const> sections, auto act) {
  std::uint64_t number = 0;
  for (auto bytes : sections)
    for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::uint64_t>(chunk_bytes, bytes.size())))
      act(number++, bytes.first(std::min<std::uint64_t>(chunk_bytes, bytes.size())));
}

void check_table(header const& head, std::span<std::uint64_t const> table) {
  if (checksum(std::as_bytes(table)) != head.table_checksum) corrupt("the checksum table is damaged");
}

void check_chunk(std::span<std::uint64_t const> table, std::uint64_t number, std::span<std::byte const> bytes) {
  if (checksum(bytes, number) != table[number]) corrupt("payload chunk " + std::to_string(number) + " is damaged");
}

void check_zero(std::span<std::byte const> padding) {
  if (std::ranges::any_of(padding, [](std::byte b) { return b != std::byte{0}; }))
    corrupt("bytes between sections are not zero");
}

/// Strict, because names come from files and end up on terminals.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() < name_bytes &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::uint64_t table_offset(header const& head) { return head.header_bytes; }

/// The padding after a section: from its end to the next boundary.
section padding_after(section s) { return {s.offset + s.bytes, aligned(s.offset + s.bytes) - s.offset - s.bytes}; }

}  // namespace

std::uint64_t stored_size(image const& what) {
  std::uint64_t chunks = 0;
  std::uint64_t payload = 0;
  for (auto s : what.sections) {
    chunks += chunks_in(s.size());
    payload += aligned(s.size());
  }
  return header_size(what.scalars.size(), what.sections.size()) + aligned(8 * chunks) + payload;
}

namespace {

/// What stands before the sections.
struct front_matter {
  std::vector<std::uint64_t> head;
  std::vector<std::uint64_t> table;  // of checksums, with its padding
};

front_matter front_of(image const& what) {
  std::vector<std::uint64_t> table;
  for_each_chunk(what.sections, [&](std::uint64_t number, auto bytes) { table.push_back(checksum(bytes, number)); });
  auto const table_checksum = checksum(std::as_bytes(std::span(table)));
  table.resize(aligned(8 * table.size()) / 8);

  auto const head_bytes = header_size(what.scalars.size(), what.sections.size());
  if (!is_name(what.about.family) || head_bytes > max_header_bytes || what.sections.size() > max_sections)
    throw error(errc::unsupported,
                "a file's family name has 1 to 23 of a-z, 0-9 and _, and its header at most 256 sections and 64 KiB");
  fixed_header fixed{.magic = magic,
                     .version = format_version,
                     .header_bytes = static_cast<std::uint32_t>(head_bytes),
                     .file_bytes = stored_size(what),
                     .family = {},
                     .required_features = 0,
                     .hash_id = what.about.hash_id,
                     .seed = what.about.seed,
                     .key_check = what.about.key_check,
                     .key_kinds = static_cast<std::uint32_t>(what.about.kinds),
                     .chunk_bytes = static_cast<std::uint32_t>(chunk_bytes),
                     .items_planned = what.about.items_planned,
                     .fpr_planned = what.about.fpr_planned,
                     .items_inserted = what.about.items_inserted,
                     .scalars = static_cast<std::uint32_t>(what.scalars.size()),
                     .sections = static_cast<std::uint32_t>(what.sections.size()),
                     .table_checksum = table_checksum,
                     .reserved = 0};
  std::ranges::copy(what.about.family, fixed.family.begin());

  std::vector<std::uint64_t> words(head_bytes / 8);
  std::memcpy(words.data(), &fixed, fixed_bytes);
  auto next = std::ranges::copy(what.scalars, words.begin() + fixed_bytes / 8).out;
  auto offset = head_bytes + 8 * table.size();
  for (auto s : what.sections) {
    *next++ = offset;
    *next++ = s.size();
    offset += aligned(s.size());
  }
  auto const head = std::as_bytes(std::span(words));
  words.back() = checksum(head.first(head_bytes - 8));
  return {std::move(words), std::move(table)};
}

}  // namespace

std::uint64_t identity(image const& what) { return front_of(what).head.back(); }

namespace {

constexpr std::array<std::byte, section_boundary> zeros{};

void write_sections(image const& what, byte_sink const& sink) {
  for (auto s : what.sections) {
    sink(s);
    sink(std::span(zeros).first(aligned(s.size()) - s.size()));
  }
}

void write_front(image const& what, byte_sink const& sink) {
  auto const front = front_of(what);
  sink(std::as_bytes(std::span(front.head)));
  sink(std::as_bytes(std::span(front.table)));
}

}  // namespace

void write_image(image const& what, byte_sink const& sink) {
  write_front(what, sink);
  write_sections(what, sink);
}

void write_piece(image const& what, std::uint64_t offset, std::uint64_t bytes, byte_sink const& sink) {
  std::uint64_t at = 0;  // of what comes next
  auto const end = offset + std::min(bytes, stored_size(what) - std::min(offset, stored_size(what)));
  byte_sink const cut = [&](std::span<std::byte const> some) {
    auto const from = std::min<std::uint64_t>(offset - std::min(offset, at), some.size());
    auto const to = std::min<std::uint64_t>(end - std::min(end, at), some.size());
    if (from < to) sink(some.subspan(from, to - from));
    at += some.size();
  };
  std::uint64_t payload = 0;
  for (auto s : what.sections) payload += aligned(s.size());
  auto const front_bytes = stored_size(what) - payload;
  if (offset < front_bytes)
    write_front(what, cut);
  else
    at = front_bytes;
  write_sections(what, cut);
}

header read_header(std::span<std::byte const> prefix, std::uint64_t file_bytes) {
  fixed_header fixed;
  if (prefix.size() < fixed_bytes) corrupt("too short to be a hortus file: " + std::to_string(prefix.size()) + " bytes");
  std::memcpy(&fixed, prefix.data(), fixed_bytes);
  if (fixed.magic != magic) corrupt("not a hortus file: it does not start with the hortus magic bytes");
  if (fixed.version != format_version)
    throw error(errc::unsupported, "format version " + std::to_string(fixed.version) + ": this release reads version " +
                                       std::to_string(format_version));
  if (fixed.header_bytes > max_header_bytes || fixed.header_bytes > prefix.size() || fixed.sections > max_sections ||
      fixed.header_bytes != header_size(fixed.scalars, fixed.sections))
    corrupt("the header's size does not fit its contents");
  auto const bytes = prefix.first(fixed.header_bytes);
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + bytes.size() - 8, 8);
  if (checksum(bytes.first(bytes.size() - 8)) != stored) corrupt("the header is damaged: its checksum does not match");
  // From here on the header is not damaged, but it may still be forged.
  if (fixed.required_features != 0) throw error(errc::unsupported, "the file uses features that this release does not know");
  if (fixed.file_bytes > std::uint64_t{1} << 62) corrupt("the header says that the file is larger than any file");
  if (file_bytes == unknown_size) file_bytes = fixed.file_bytes;
  if (fixed.file_bytes != file_bytes)
    corrupt("the file has " + std::to_string(file_bytes) + " bytes where its header says " + std::to_string(fixed.file_bytes));
  auto const name_end = std::ranges::find(fixed.family, '\0');
  std::string family(fixed.family.begin(), name_end);
  if (fixed.chunk_bytes != chunk_bytes || fixed.reserved != 0 || fixed.key_kinds > 7 || !is_name(family) ||
      std::any_of(name_end, fixed.family.end(), [](char c) { return c != '\0'; }))
    corrupt("the header holds values no release writes");
  if (!(fixed.fpr_planned >= 0 && fixed.fpr_planned <= 1)) corrupt("the planned fpr is not a rate");

  header head{.about = {.family = std::move(family),
                        .hash_id = fixed.hash_id,
                        .seed = fixed.seed,
                        .key_check = fixed.key_check,
                        .kinds = static_cast<key_kind>(fixed.key_kinds),
                        .items_planned = fixed.items_planned,
                        .fpr_planned = fixed.fpr_planned,
                        .items_inserted = fixed.items_inserted},
              .scalars = std::vector<std::uint64_t>(fixed.scalars),
              .sections = std::vector<section>(fixed.sections),
              .header_bytes = fixed.header_bytes,
              .table_checksum = fixed.table_checksum,
              .chunks = 0,
              .file_bytes = file_bytes};
  auto const* const scalars = bytes.data() + fixed_bytes;
  if (fixed.scalars != 0) std::memcpy(head.scalars.data(), scalars, 8 * head.scalars.size());
  if (fixed.sections != 0) std::memcpy(head.sections.data(), scalars + 8 * head.scalars.size(), 16 * head.sections.size());
  auto const used = fixed_bytes + 8 * head.scalars.size() + 16 * head.sections.size();
  check_zero(bytes.subspan(used, bytes.size() - 8 - used));

  for (auto s : head.sections) {
    if (s.bytes > file_bytes) corrupt("a section is larger than the file");
    head.chunks += chunks_in(s.bytes);
  }
  auto offset = head.header_bytes + aligned(8 * head.chunks);
  for (auto s : head.sections) {
    if (s.offset != offset || s.bytes > file_bytes - std::min(offset, file_bytes)) corrupt("sections do not follow each other");
    offset += aligned(s.bytes);
  }
  if (offset != file_bytes) corrupt("sections do not fill the file");
  return head;
}

namespace {

/// Memory for a section of which `came` bytes are there: as large as its final size if that is known.
constexpr std::uint64_t at_first = std::uint64_t{64} << 20;
std::uint64_t room_for(std::uint64_t final_bytes, std::uint64_t came, section_sizes how) {
  if (how == section_sizes::known || final_bytes / 8 <= came) return final_bytes;
  return std::min(final_bytes, std::max(at_first, 8 * came));
}

}  // namespace

std::vector<memory> copy_sections(header const& head, byte_source const& source, section_sizes how) {
  std::vector<std::uint64_t> table;
  for (auto const words = aligned(8 * head.chunks) / 8; table.size() < words;) {
    auto const came = table.size();
    table.resize(room_for(8 * words, 8 * came, how) / 8);
    source(table_offset(head) + 8 * came, std::as_writable_bytes(std::span(table).subspan(came)));
  }
  check_zero(std::as_bytes(std::span(table)).subspan(8 * head.chunks));
  table.resize(head.chunks);
  check_table(head, table);

  std::vector<memory> sections;
  sections.reserve(head.sections.size());
  std::array<std::byte, section_boundary> padding{};
  std::uint64_t number = 0;
  for (auto s : head.sections) {
    auto& copy = sections.emplace_back(room_for(s.bytes, 0, how));
    for (std::uint64_t at = 0; at < s.bytes; at += chunk_bytes) {
      if (at == copy.size()) {
        memory larger(room_for(s.bytes, at, how));
        std::memcpy(larger.data(), copy.data(), at);
        copy.swap(larger);
      }
      auto const chunk = std::span(copy.data() + at, std::min(chunk_bytes, s.bytes - at));
      source(s.offset + at, chunk);
      check_chunk(table, number++, chunk);
    }
    auto const gap = padding_after(s);
    source(gap.offset, std::span(padding).first(gap.bytes));
    check_zero(std::span(padding).first(gap.bytes));
  }
  return sections;
}

std::vector<memory> borrow_sections(header const& head, std::span<std::byte const> file, std::shared_ptr<void const> owner,
                                    bool verify_payload) {
  if (reinterpret_cast<std::uintptr_t>(file.data()) % sizeof(std::uint64_t) != 0)
    throw error(errc::unsupported, "a view needs bytes that start on an 8-byte boundary; from_bytes copies them instead");
  std::vector<std::uint64_t> table(head.chunks);
  auto const stored = file.subspan(table_offset(head), aligned(8 * head.chunks));
  if (head.chunks != 0) std::memcpy(table.data(), stored.data(), 8 * head.chunks);
  check_zero(stored.subspan(8 * head.chunks));
  check_table(head, table);

  std::vector<std::span<std::byte const>> spans;
  for (auto s : head.sections) spans.push_back(file.subspan(s.offset, s.bytes));
  if (verify_payload) {
    for_each_chunk(spans, [&](std::uint64_t number, auto bytes) { check_chunk(table, number, bytes); });
    for (auto s : head.sections) check_zero(file.subspan(padding_after(s).offset, padding_after(s).bytes));
  }
  std::vector<memory> sections;
  sections.reserve(spans.size());
  for (auto s : spans) sections.push_back(memory::borrow(s, owner));
  return sections;
}

}  // namespace hortus
