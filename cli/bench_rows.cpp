#include "cli/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// Builds a table column by column.
class columns_of_rows {
 public:
  explicit columns_of_rows(std::vector<bench::row> const& rows) : rows_(rows), cells_(rows.size()) {}

  template <class Cell>
  void add(std::string title, Cell cell, align side = align::right) {
    titles_.push_back({std::move(title), side});
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i].push_back(cell(rows_[i]));
  }
  void rates(std::string title, double bench::row::*rate) {
    std::vector<double> values;
    for (auto const& r : rows_) values.push_back(r.*rate);
    titles_.push_back({std::move(title), align::right});
    auto const texts = human_rates(values);
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i].push_back(texts[i]);
  }
  void times(std::string title, double bench::row::*time) { numbers(std::move(title), time, 1); }
  void ratios(std::string title, double bench::row::*ratio) { numbers(std::move(title), ratio, 2); }
  [[nodiscard]] table whole() const {
    table all(titles_);
    for (auto const& cells : cells_) all.row(cells);
    return all;
  }

 private:
  /// Negative ones do not exist. A column of such is left out.
  void numbers(std::string title, double bench::row::*number, int digits) {
    if (std::ranges::all_of(rows_, [&](auto const& r) { return r.*number < 0; })) return;
    add(std::move(title), [&](auto const& r) { return r.*number < 0 ? "-" : fmt::format("{:.{}f}", r.*number, digits); });
  }

  std::vector<bench::row> const& rows_;
  std::vector<table::column> titles_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace

json_value to_json(bench::row const& r) {
  auto const time = [](double ns) { return ns < 0 ? json_value() : json_value(ns); };  // or ratio, load, bits
  return {{"family", r.family},
          {"items", r.items},
          {"keys_refused", r.refused},
          {"fpr_target", r.fpr_target},
          {"fpr_measured", r.fpr_measured},
          {"bits_per_item", r.bits_per_item},
          {"overhead", r.overhead == 0 ? json_value() : json_value(r.overhead)},
          {"load", time(r.load)},
          {"build_ns", time(r.build_ns)},
          {"peak_bits_per_item", time(r.peak_bits_per_item)},
          {"insert_ns", time(r.insert_ns)},
          {"hit_ns", time(r.hit_ns)},
          {"miss_ns", time(r.miss_ns)},
          {"batch_insert_ns", time(r.batch_insert_ns)},
          {"batch_new_ns", time(r.batch_new_ns)},
          {"batch_hit_ns", time(r.batch_hit_ns)},
          {"batch_miss_ns", time(r.batch_miss_ns)},
          {"erase_ns", time(r.erase_ns)},
          {"batch_erase_ns", time(r.batch_erase_ns)},
          {"count_ns", time(r.count_ns)},
          {"batch_count_ns", time(r.batch_count_ns)},
          {"limit_ns", time(r.limit_ns)},
          {"batch_ratio", time(r.batch_ratio)},
          {"single_limit_ns", time(r.single_limit_ns)},
          {"single_ratio", time(r.single_ratio)},
          {"update_limit_ns", time(r.update_limit_ns)},
          {"batch_insert_ratio", time(r.batch_insert_ratio)},
          {"batch_erase_ratio", time(r.batch_erase_ratio)},
          {"single_update_limit_ns", time(r.single_update_limit_ns)},
          {"insert_ratio", time(r.insert_ratio)},
          {"erase_ratio", time(r.erase_ratio)},
          {"huge_pages", r.huge_pages},
          {"threads", r.threads}};
}

table table_of(std::vector<bench::row> const& rows, row_detail detail, std::string const& batch) {
  using bench::row;
  bool const limits = detail == row_detail::limits;
  columns_of_rows all(rows);
  all.add(
      "family", [](row const& r) { return r.family; }, align::left);
  if (limits) all.add("items", [](row const& r) { return human_count(r.items); });
  all.add("bits/item", [](row const& r) { return fmt::format("{:.2f}", r.bits_per_item); });
  if (limits) all.add("overhead", [](row const& r) { return r.overhead == 0 ? "-" : fmt::format("{:.3f}", r.overhead); });
  if (limits) all.rates("asked", &row::fpr_target);
  all.rates("measured", &row::fpr_measured);
  if (limits && std::ranges::any_of(rows, [](row const& r) { return r.load >= 0; }))
    all.add("load", [](row const& r) { return r.load < 0 ? "-" : fmt::format("{:.1f} %", 100 * r.load); });
  if (std::ranges::any_of(rows, [](row const& r) { return r.refused > 0; }))
    all.add("refused", [](row const& r) { return r.refused == 0 ? "-" : grouped_count(r.refused); });
  all.times("hit", &row::hit_ns);
  all.times("miss", &row::miss_ns);
  all.times(batch + "hit", &row::batch_hit_ns);
  all.times(batch + "miss", &row::batch_miss_ns);
  all.times("build", &row::build_ns);
  if (limits) all.times("peak", &row::peak_bits_per_item);
  all.times("insert", &row::insert_ns);
  all.times(batch + "insert", &row::batch_insert_ns);
  if (limits) all.times(batch + "new", &row::batch_new_ns);
  all.times("erase", &row::erase_ns);
  all.times(batch + "erase", &row::batch_erase_ns);
  all.times("count", &row::count_ns);
  all.times(batch + "count", &row::batch_count_ns);
  if (limits) {
    all.times("limit", &row::limit_ns);
    all.ratios("ratio", &row::batch_ratio);
    all.times("s.limit", &row::single_limit_ns);
    all.ratios("s.ratio", &row::single_ratio);
    all.add("huge", [](row const& r) { return std::string(r.huge_pages ? "yes" : "no"); });
  }
  return all.whole();
}

}  // namespace hortus::cli
