#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/bench.hpp"
#include "cli/bench_rows.hpp"
#include "cli/command.hpp"
#include "cli/growth.hpp"
#include "cli/page/tour_page.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct tour_options {
  std::string out = "tour.html";
  std::string fpr = "1%";
  key_input input;
  bool json = false;
};

/// Does the file end like a page of hortus tour?
bool is_tour_page(std::string const& path) {
  auto const expected = html_end(tour_footer);
  std::ifstream file(path, std::ios::binary);
  std::string end(expected.size(), '\0');
  file.seekg(-static_cast<std::streamoff>(expected.size()), std::ios::end);
  return file.read(end.data(), static_cast<std::streamsize>(end.size())) && end == expected;
}

/// Throws unless the file is absent, empty or an older page. The default name was not chosen by the user, and a typing mistake
/// in -o must not overwrite a file.
void check_replaceable(std::string const& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none) || std::filesystem::file_size(path, none) == 0 || is_tour_page(path)) return;
  throw error(errc::io, "'" + path + "' is there and is no page of hortus tour, so it is not replaced; -o names another file");
}

json_value all_as_json(std::vector<bench::row> const& rows, std::vector<overfilled> const& past_the_plan,
                       std::vector<bench::row> const& growth) {
  auto all = json_value::array();
  for (auto const& r : rows) {
    auto one = to_json(r);
    auto const full = std::ranges::find(past_the_plan, r.family, &overfilled::family);
    one["past_the_plan"] = full == past_the_plan.end() ? json_value() : to_json(*full);
    one["cost_growth"] = growth_json(growth_of(r.family, growth));
    one["verbs"] = family_named(r.family).verbs.names();
    all.push_back(std::move(one));
  }
  return all;
}

void print(tour_keys const& keys, std::vector<bench::row> const& rows, std::vector<overfilled> const& past_the_plan,
           std::vector<bench::row> const& growth, double fpr, std::string const& page) {
  output out(STDOUT_FILENO);
  bool const colour = use_colour(STDOUT_FILENO);
  auto const columns = columns_of(STDOUT_FILENO);
  auto const part = [&](std::string const& text, table const& shown) {
    out.write(wrapped(text, columns) + "\n" + shown.text(colour, columns) + "\n");
  };
  part(fmt::format("{} keys: {}. Planned for a rate of false positives of {}; times are ns a key, b. in batches.",
                   grouped_count(keys.members.size()), printable(keys.source), human_rate(fpr)),
       table_of(rows, row_detail::results));
  if (!past_the_plan.empty())
    part(fmt::format("Planned for {} keys, given {}:", grouped_count(past_the_plan.front().planned),
                     grouped_count(past_the_plan.front().given)),
         table_of(past_the_plan));
  part("How lookups grow with the number of keys: ns for an absent key in a batch, one family of each room, 64-bit keys:",
       growth_table(growth));
  table can({{"family"}, {"can"}});
  for (auto const& r : rows) can.row({r.family, abilities_of(family_named(r.family))});
  part("What each can do; hortus list says what it is:", can);
  out.write(wrapped("The charts are in " + printable(page), columns));
  out.flush();
}

int tour(tour_options const& o) {
  auto const fpr = parse_rate("-p", o.fpr);
  if (o.out == "-") throw error(errc::io, "-o -: standard output has the comparison; name a file for the page");
  if (o.input.paths.empty() && (o.input.null || o.input.crlf || o.input.no_decompress))
    throw error(errc::bad_goal, "-0, --crlf and --no-decompress are about an INPUT, and there is none");
  check_can_save(o.out, o.input.paths);
  check_replaceable(o.out);
  auto const keys = o.input.paths.empty() ? embedded_keys() : fitting("the input", [&] { return keys_from(o.input); });
  auto const sizes = growth_sizes(keys.members.size());
  std::vector<bench::row> rows;
  std::vector<bench::row> growth;
  {
    auto const growing = static_cast<std::size_t>(std::ranges::count_if(growth_families, has_family));
    auto const all = catalogue().size() + sizes.size() * growing;
    progress shown("measuring", all, progress_unit::items, o.input.progress_mode());
    std::size_t measured = 0;
    bench::run_on_text(keys.members, keys.absent, fpr, [&](bench::row const& r) {
      rows.push_back(r);
      shown.update(++measured);
    });
    growth = measure_growth(sizes, fpr, [&] { shown.update(++measured); });
  }
  auto const past_the_plan = overfill(keys, rows, fpr);
  auto const page = html(tour_page(keys, rows, past_the_plan, growth, fpr));
  check_replaceable(o.out);  // again, because measuring takes a while
  replace_file(o.out, [&](byte_sink const& sink) { sink(std::as_bytes(std::span(page))); });
  if (o.json)
    print_json(all_as_json(rows, past_the_plan, growth));
  else
    print(keys, rows, past_the_plan, growth, fpr, o.out);
  return done;
}

}  // namespace

void add_tour(command_line& app, action& run) {
  auto const command = app.add_subcommand("tour", "compare all families on one set of keys, and draw the charts");
  auto const o = std::make_shared<tour_options>();
  command->add_option("-o,--output", o->out, "the page to write; replaces nothing but an older page")->capture_default_str();
  command->add_option("-p,--fpr", o->fpr, "rate of false positives to plan for")->capture_default_str();
  command->add_flag("--json", o->json, "the comparison as a JSON array, a family each");
  o->input.add_source_options(*command, "embedded keys");
  command->callback([=, &run] { run = [o] { return tour(*o); }; });
}

}  // namespace hortus::cli
