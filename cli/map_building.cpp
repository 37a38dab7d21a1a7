#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <hortus/io/stored_records.hpp>

#include "cli/build_steps.hpp"
#include "cli/command.hpp"
#include "cli/distinct_keys.hpp"
#include "cli/map_values.hpp"
#include "cli/text/numbers.hpp"

/// build_map_from(): lines with a key and a value become a map.
namespace hortus::cli {
namespace {

/// Entries whose values are places in a list of texts, with the places that these texts have in ascending order.
class relabelled : public entry_source {
 public:
  relabelled(entry_source const& of, std::vector<std::uint64_t> places) : of_(of), places_(std::move(places)) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return of_.size(); }
  [[nodiscard]] std::vector<std::uint64_t> sizes(word_parts parts) const override { return of_.sizes(parts); }
  [[nodiscard]] std::vector<map_entry> of_part(word_parts parts, std::uint64_t part) const override {
    auto entries = of_.of_part(parts, part);
    if (!places_.empty())
      for (auto& each : entries) each.value = places_[each.value];
    return entries;
  }

 private:
  entry_source const& of_;
  std::vector<std::uint64_t> places_;
};

class map_builder {
 public:
  map_builder(new_filter const& made, key_input const& input)
      : made_(made),
        input_(made.values.applied_to(input, made.its_family())),
        hash_(made.chosen_hash(input.names())),
        values_(made.values.kind) {}

  any_filter build() {
    try_plan(made_);
    if (made_.its_family().finds_bounds) return put_one_by_one();
    stored_entries entries(memory_for_keys(made_) / 2);
    stored_words words(memory_for_keys(made_) / 2);  // if there turn out to be no values
    std::vector<map_entry> some;
    for_each_block("reading", [&](record_block const& block, std::span<digest const> keys) {
      if (block.values.empty()) return words.add(as_words(keys));
      auto const numbers = values_.numbers(block);
      some.clear();
      for (std::size_t i = 0; i < keys.size(); ++i) some.push_back({numbers[i], keys[i].bits()});
      entries.add(some);
    });
    if (words.added() != 0)
      return built_of(words, 0, [&](request const& wish, part_loop const& loop) {
        return made_.its_family().build_from(words, wish, loop);
      });
    relabelled const all(entries, values_.ranks());
    return built_of(entries, bits_of_value(values_.largest()), [&](request const& wish, part_loop const& loop) {
      auto map = made_.its_family().build_map(all, values_.largest(), wish, loop);
      if (auto labels = values_.labels(); !labels.empty()) map.set_labels(std::move(labels));
      return map;
    });
  }

 private:
  /// act(block, digests) for all lines with keys.
  template <class Act>
  void for_each_block(char const* label, Act act) {
    auto in = input_.reader();
    progress shown(label, in.total_bytes(), progress_unit::bytes, input_.progress_mode());
    std::array<digest, line_reader::block_lines> digests;
    for (record_block block; in.next(block); shown.update(in.bytes_read()))
      if (block.what == record_block::kind::keys) act(block, digests_of_block(hash_, block, digests));
  }

  /// Sorts what was read, and builds the map of it.
  any_filter built_of(auto& kept, unsigned value_bits, auto const& build) {
    auto const threads = made_.threads.number();
    fitting("what sorting the keys takes (fewer --threads take less)", [&] {
      try {
        kept.sort(shown_loop("sorting", kept.added(), threads, input_));
      } catch (conflicting_values const& found) {
        tell_lines(found);
      }
    });
    auto const wish = made_.wish(kept.size(), value_bits);
    auto map = fitting("a map of that size", [&] { return build(wish, shown_loop("building", kept.size(), threads, input_)); });
    return made_filter({made_, input_, hash_}, std::move(map), wish, kept.added());
  }

  /// Reads files again to say which lines give a key two values.
  [[noreturn]] void tell_lines(conflicting_values const& found) {
    if (!input_.names().empty() && !can_read_twice())
      throw error(found.code(),
                  std::string(found.what()) + " (of a file, not a pipe, the numbers of the lines would be known)");
    std::string first;
    std::string text;
    std::string key;
    for_each_block("looking for the lines", [&](record_block const& block, std::span<digest const> keys) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] != digest(found.word())) continue;
        if (first.empty()) {
          first = line_named(block, i);
          text = block.values[i];
          key = block.keys[i];
        } else if (block.values[i] != text) {
          throw error(found.code(),
                      key == block.keys[i]
                          ? fmt::format("the key '{}' has two values: '{}' in {} and '{}' in {}", key, text, first,
                                        block.values[i], line_named(block, i))
                          : fmt::format("the keys '{}' in {} and '{}' in {} have the same digest, and their values differ: "
                                        "another --seed tells them apart",
                                        key, first, block.keys[i], line_named(block, i)));
        }
      }
    });
    throw error(found.code(), found.what());
  }

  /// A map that joins several values of a key, and so takes lines as they come.
  any_filter put_one_by_one() {
    made_.refuse_threads(one(made_.family) + " takes its keys one after the other, with one thread");
    auto const counted = input_.names().empty() || can_read_twice() ? std::optional(looked_through()) : std::nullopt;
    if (!counted && made_.items.empty())
      throw error(errc::bad_goal,
                  fmt::format("{} takes keys as they come: how many come from a pipe, -n has to say", one(made_.family)));
    auto const wish = made_.wish(made_.items.empty() ? counted->keys : parse_count("-n", made_.items),
                                 counted ? std::max(1U, bits_of_value(counted->largest)) : 0);
    auto map = fitting("a map of that size", [&] { return made_.its_family().make(wish); });
    value_reader values(label_table(), map.value_bits());
    values.refuse_zero();
    std::uint64_t keys_read = 0;
    for_each_block("building", [&](record_block const& block, std::span<digest const> keys) {
      keys_read += keys.size();
      if (block.values.empty()) return static_cast<void>(map.insert(keys, {}));
      auto const numbers = values.numbers(block);
      for (std::size_t i = 0; i < keys.size(); ++i) (void)map.put(keys[i], numbers[i]);
    });
    return made_filter({made_, input_, hash_}, std::move(map), wish, keys_read);
  }
  struct first_look {
    std::uint64_t keys = 0;     ///< distinct ones, or a few more
    std::uint64_t largest = 0;  ///< value
  };
  first_look looked_through() {
    distinct_keys distinct;
    value_reader values(label_table(), 64);
    values.refuse_zero();
    for_each_block("counting", [&](record_block const& block, std::span<digest const> keys) {
      distinct.add(keys);
      if (!block.values.empty()) (void)values.numbers(block);
    });
    return {distinct.at_most(), values.largest()};
  }
  [[nodiscard]] bool can_read_twice() const {
    return std::ranges::all_of(line_inputs(input_.paths, input_.format().unpack),
                               [](line_input const& in) { return in.regular && in.descriptor < 0; });
  }

  new_filter const& made_;
  key_input input_;
  any_hash hash_;
  value_reader values_;
};

}  // namespace

any_filter build_map_from(new_filter const& made, key_input const& input) { return map_builder(made, input).build(); }

}  // namespace hortus::cli
