#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

/// A storable type names its stored parts once, in `static void fields(auto& self, auto& io) { io(self.a_, self.b_); }`. Called
/// with a field_writer it lists the parts; called with a field_reader it restores them. So size, save and load always agree.
/// Numbers are stored as 64-bit scalars in the file's header, memory as sections. Types with fields() may be nested.
namespace hortus {

template <class T>
concept scalar_field = std::unsigned_integral<T> || std::same_as<T, double>;

/// A number for a name (FNV-1a), for field_writer::constant: it keeps parts of one kind from being read as parts of another.
[[nodiscard]] constexpr std::uint64_t name_id(std::string_view name) noexcept {
  std::uint64_t id = 0xcbf29ce484222325U;
  for (char const c : name) id = (id ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return id;
}

class field_writer {
 public:
  void operator()(auto const&... parts) { (put(parts), ...); }

  /// A constant of the type, not of the value, such as the id of an index policy. It is written, and checked when read.
  void constant(std::uint64_t value, char const*) { scalars_.push_back(value); }

  /// The number of parts, then each part.
  template <class T>
  void list(memory_vector<T> const& parts, std::size_t) {
    scalars_.push_back(parts.size());
    for (auto const& part : parts) put(part);
  }

  /// A section computed for the file that is part of no object, such as the sorted entries of a hash table. It is read as any
  /// other section.
  void made(memory section) {
    made_.push_back(std::move(section));
    sections_.push_back(made_.back().bytes());
  }

  [[nodiscard]] std::vector<std::uint64_t> const& scalars() const noexcept { return scalars_; }
  [[nodiscard]] std::vector<std::span<std::byte const>> const& sections() const noexcept { return sections_; }
  /// The sections given to made(). The caller must keep them as long as it uses sections().
  [[nodiscard]] std::vector<memory> take_made() noexcept { return std::move(made_); }

 private:
  void put(std::unsigned_integral auto x) { scalars_.push_back(x); }
  void put(double x) { scalars_.push_back(std::bit_cast<std::uint64_t>(x)); }
  void put(memory const& m) { sections_.push_back(m.bytes()); }
  template <class T>
  requires requires(T const& x, field_writer& io) { T::fields(x, io); }
  void put(T const& x) { T::fields(x, *this); }

  std::vector<std::uint64_t> scalars_;
  std::vector<std::span<std::byte const>> sections_;
  std::vector<memory> made_;  // moving a memory does not move its bytes
};

/// Restores what a field_writer listed. Its input is untrusted: too few parts, or a number too large for its field, is
/// errc::corrupt. Sections come as memory that was already checked against the size of the input.
class field_reader {
 public:
  /// `verifies`: every byte may be read, and every statement about the sections is checked. Without it the sections are a
  /// mapped file, and checks that would read all of it are skipped.
  field_reader(std::vector<std::uint64_t> scalars, std::vector<memory> sections, bool verifies = true)
      : scalars_(std::move(scalars)), sections_(std::move(sections)), verifies_(verifies) {}

  void operator()(auto&... parts) { (get(parts), ...); }

  void constant(std::uint64_t value, char const* meaning) {
    if (next_scalar() != value) throw error(errc::incompatible, std::string("made with another ") + meaning);
  }

  /// At most `most` parts, so that a number in a file cannot cause a large allocation.
  template <class T>
  void list(memory_vector<T>& parts, std::size_t most) {
    auto const count = next_scalar();
    if (count > most) throw error(errc::corrupt, "a header field is out of range");
    parts.clear();
    parts.resize(count);
    for (auto& part : parts) get(part);
  }

  [[nodiscard]] bool verifies() const noexcept { return verifies_; }
  [[nodiscard]] bool done() const noexcept { return scalar_ == scalars_.size() && section_ == sections_.size(); }

 private:
  std::uint64_t next_scalar() {
    if (scalar_ == scalars_.size()) throw error(errc::corrupt, "the header has too few fields");
    return scalars_[scalar_++];
  }
  void get(std::unsigned_integral auto& x) {
    auto const value = next_scalar();
    if (value > std::numeric_limits<std::remove_reference_t<decltype(x)>>::max())
      throw error(errc::corrupt, "a header field is out of range");
    x = static_cast<std::remove_reference_t<decltype(x)>>(value);
  }
  void get(double& x) { x = std::bit_cast<double>(next_scalar()); }
  void get(memory& m) {
    if (section_ == sections_.size()) throw error(errc::corrupt, "the file has too few sections");
    m = std::move(sections_[section_++]);
  }
  template <class T>
  requires requires(T& x, field_reader& io) { T::fields(x, io); }
  void get(T& x) { T::fields(x, *this); }

  std::vector<std::uint64_t> scalars_;
  std::vector<memory> sections_;
  std::size_t scalar_ = 0;
  std::size_t section_ = 0;
  bool verifies_;
};

/// valid() checks the invariants of the fields. A reader calls it before it hands the object out.
template <class T>
concept storable = std::default_initializable<T> && requires(T& t, T const& c, field_reader& in, field_writer& out) {
  T::fields(t, in);
  T::fields(c, out);
  { c.valid() } -> std::same_as<bool>;
};

}  // namespace hortus
