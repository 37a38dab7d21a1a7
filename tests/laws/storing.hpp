#pragma once
#include "laws/support.hpp"

/// Files and bytes, copies, clear: what every family has.
namespace hortus::testing {

template <class F>
void clear_gives_back_the_filter_as_it_was_made() {
  auto f = filled<F>(1000);
  f.clear();
  if constexpr (makeable<F>) {
    EXPECT_EQ(to_bytes(f), to_bytes(of_keys<F>(goal_for<F>(1000))));
  } else {  // what was built is only empty now
    EXPECT_EQ(f.about().items_inserted, 0U);
    if constexpr (membership<F>) {
      EXPECT_EQ(f.fpr(), 0);
      EXPECT_EQ(f.may_contain(keys<random_keys>(0, 1000)).count(), 0U);
    }
    EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(f)), f);
  }
}

template <class F>
void saved_and_loaded_it_goes_on_as_if_never_saved() {
  scratch_file file;
  for (std::uint64_t const items : {0U, 1U, 7U, 1000U, 100'000U}) {
    auto original = filled<F>(items);
    save(original, file.path());
    auto const bytes = to_bytes(original);
    EXPECT_EQ(std::filesystem::file_size(file.path()), bytes.size());
    EXPECT_EQ(stored_size(original), bytes.size());

    auto loaded = load<of_keys<F>>(file.path());
    auto opened = open<of_keys<F>>(file.path(), {.key = {}, .verify = true});
    auto received = from_bytes<of_keys<F>>(bytes);
    auto const seen = view<of_keys<F>>(bytes, {.key = {}, .verify = true});
    of_keys<F> copy = *seen;
    EXPECT_EQ(*seen, original);
    for (auto* f : {&loaded, &opened, &received, &copy}) {
      EXPECT_EQ(to_bytes(*f), bytes);
      EXPECT_EQ(f->about(), original.about());
      if constexpr (insertable<F>) (void)f->insert(keys<random_keys>(absent, 100));
    }
    if constexpr (insertable<F>) (void)original.insert(keys<random_keys>(absent, 100));
    for (auto* f : {&loaded, &opened, &received, &copy}) EXPECT_EQ(to_bytes(*f), to_bytes(original));
    EXPECT_EQ(to_bytes(load<of_keys<F>>(file.path())), bytes) << "inserting into a mapped filter must not change its file";
    EXPECT_EQ(to_bytes(*seen), bytes);
  }
}

/// Bytes of the caller start on any multiple of 8, and so do the lines of cells in them.
template <class F>
void a_view_answers_the_same_wherever_its_bytes_are() {
  auto const original = filled<F>(1000);
  auto const bytes = to_bytes(original);
  auto const asked = keys<random_keys>(500, 1000);
  std::vector<std::uint64_t> space(bytes.size() / 8 + 16);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    auto const here = std::as_writable_bytes(std::span(space)).subspan(8 * shift, bytes.size());
    std::ranges::copy(bytes, here.begin());
    auto const seen = view<of_keys<F>>(here);
    if constexpr (membership<F>) {
      EXPECT_EQ(seen->fpr(), original.fpr());
      auto const hits = seen->may_contain(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(hits[i], original.may_contain(asked[i])) << shift << ", " << i;
        ASSERT_EQ(seen->may_contain(asked[i]), hits[i]) << shift << ", " << i;
      }
    }
    if constexpr (countable<F>) {
      auto const counts = seen->count(asked);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        ASSERT_EQ(counts[i], original.count(asked[i])) << shift << ", " << i;
        ASSERT_EQ(seen->count(asked[i]), counts[i]) << shift << ", " << i;
      }
    }
  }
}

template <class F>
void every_truncation_and_every_flipped_bit_is_noticed() {
  auto const bytes = to_bytes(filled<F>(7));
  auto const step = bytes.size() / 2000 + 1;  // of a family that is large from the start, a sample
  auto const refused = [](std::span<std::byte const> damaged) {
    auto const copying = code_of([&] { (void)from_bytes<of_keys<F>>(damaged); });
    auto const viewing = code_of([&] { (void)view<of_keys<F>>(damaged, {.key = {}, .verify = true}); });
    EXPECT_EQ(copying, viewing);
    EXPECT_TRUE(copying == errc::corrupt || copying == errc::unsupported);
  };
  for (std::size_t size = 0; size < bytes.size(); size += step)
    refused(std::vector(bytes.begin(), bytes.begin() + static_cast<long>(size)));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += step) {
    auto damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    refused(damaged);
  }
  auto longer = bytes;
  longer.resize(bytes.size() + 64);
  refused(longer);
}

template <class F>
void copies_are_independent_and_moves_leave_nothing_behind() {
  auto original = filled<F>(1000);
  auto const bytes = to_bytes(original);
  auto copy = original;
  copy.clear();
  EXPECT_EQ(to_bytes(original), bytes);
  copy = original;
  auto const moved = std::move(original);
  EXPECT_EQ(to_bytes(moved), bytes);
  original = copy;  // a moved-from filter may be assigned to
  EXPECT_EQ(to_bytes(original), bytes);
}

template <class F>
void the_same_input_gives_the_same_bytes() {
  EXPECT_EQ(to_bytes(filled<F>(1000)), to_bytes(filled<F>(1000)));
  EXPECT_NE(to_bytes(filled<F>(1000)), to_bytes(filled<F>(1000, 1)));
}

/// A file that is mapped without verification may be damaged, and nothing notices. Written into another file, it is either
/// refused or a filter that can be read: no damage gets a correct checksum.
template <class F>
void what_a_damaged_view_writes_can_be_read() {
  auto const original = filled<F>(300);
  auto const bytes = to_bytes(original);
  auto const payload = std::min<std::size_t>(original.size_bytes(), bytes.size() / 2);  // the last bytes of the file
  if (payload == 0) return;
  numbers draw(300);
  for (int round = 0; round < 300; ++round) {
    auto damaged = bytes;
    auto const many = round % 3 == 0 ? payload : 1 + draw(3);
    for (std::size_t i = 0; i < many; ++i) damaged[damaged.size() - 1 - draw(payload)] ^= static_cast<std::byte>(1U << draw(8));
    std::vector<std::byte> written;
    try {
      written = to_bytes(*view<of_keys<F>>(damaged));
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt) << e.what();
      continue;
    }
    EXPECT_NO_THROW((void)from_bytes<of_keys<F>>(written)) << round;
    if constexpr (insertable<F> && can_be_full<F>) {  // damage may have made it fuller than its header says
      auto changed = *view<of_keys<F>>(damaged);
      for (std::uint64_t i = 0; i < 1000; ++i) try {
          (void)changed.insert(random_keys::make(absent + i));
        } catch (error const& e) {
          EXPECT_EQ(e.code(), errc::full);
          break;
        }
      EXPECT_NO_THROW((void)from_bytes<of_keys<F>>(to_bytes(changed))) << round;
    }
  }
}

template <class F>
void register_storing_laws() {
  HORTUS_LAW(clear_gives_back_the_filter_as_it_was_made);
  HORTUS_LAW(saved_and_loaded_it_goes_on_as_if_never_saved);
  HORTUS_LAW(a_view_answers_the_same_wherever_its_bytes_are);
  HORTUS_LAW(every_truncation_and_every_flipped_bit_is_noticed);
  HORTUS_LAW(what_a_damaged_view_writes_can_be_read);
  HORTUS_LAW(copies_are_independent_and_moves_leave_nothing_behind);
  HORTUS_LAW(the_same_input_gives_the_same_bytes);
}

}  // namespace hortus::testing
