#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/any/any_message.hpp>

#include "cli/command.hpp"
#include "cli/saving.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

/// pack and unpack: a filter as a message, complete or as a change of another filter.
namespace hortus::cli {
namespace {

struct pack_options {
  std::string file;
  std::string since;
  std::string path;  ///< "-" is standard output
  bool force = false;
  bool verbose = false;
};

bool is_message(std::string const& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 8> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "\x89HORMSG\n";
}

void check_output(pack_options const& o) {
  if (o.path == "-") {
    if (::isatty(STDOUT_FILENO) == 1)
      throw error(errc::io, "-o -: a message is not for a terminal; redirect it, or name a file");
    return;
  }
  std::vector<std::string> inputs{o.file};
  if (!o.since.empty()) inputs.push_back(o.since);
  check_can_save(o.path, inputs);
  std::error_code ignored;
  bool const there = std::filesystem::is_regular_file(o.path, ignored) && std::filesystem::file_size(o.path, ignored) != 0;
  if (there && !o.force && !is_message(o.path))
    throw error(errc::io, "'" + o.path + "' is there and is no message, so it is not replaced; --force replaces it");
}

int pack_file(pack_options const& o) {
  check_output(o);
  reading const verified{.key = {}, .verify = true};
  auto const filter = open_filter(o.file, verified);
  auto const packed =
      fitting("the message", [&] { return o.since.empty() ? pack(filter) : pack(filter, open_filter(o.since, verified)); });
  if (o.path == "-") {
    output out(STDOUT_FILENO);
    out.write({reinterpret_cast<char const*>(packed.data()), packed.size()});
    out.flush();
  } else {
    message::write_bytes(o.path, packed);
  }
  if (o.verbose)
    say(fmt::format("{} for {}", human_bytes(packed.size()), human_bytes(file_bytes(o.file, stored_size(filter)))));
  return done;
}

struct unpack_options {
  std::string file;
  std::string onto;
  std::string most;
  lock_options lock;
  save_options out;
};

any_filter unpacked(unpack_options const& o) {
  unpacking how;
  if (!o.most.empty()) how.most_bytes = parse_bytes("--most", o.most);
  auto const path = readable(o.file);
  if (o.onto.empty()) return load_packed(path, how);
  return load_packed<any_filter>(path, open_filter(o.onto, {.key = {}, .verify = true}), how);
}

int unpack_file(unpack_options const& o) {
  o.out.check({&o.file, 1});
  auto const lock = o.out.is_one_of({&o.onto, 1}) ? o.lock.hold(o.out.path) : nullptr;  // in place, as add does
  auto const filter = fitting("the filter", [&] {
    try {
      return unpacked(o);
    } catch (error const& e) {
      if (e.code() == errc::too_large) throw error(e.code(), std::string(e.what()) + " (--most)");
      if (e.code() == errc::incompatible && o.onto.empty()) throw error(e.code(), std::string(e.what()) + " (--onto)");
      throw;
    }
  });
  o.out.save(filter);
  o.out.report(filter);
  return done;
}

}  // namespace

void add_pack(command_line& app, action& run) {
  auto const command = app.add_subcommand("pack", "a filter as a short message, or what has changed since another");
  auto const o = std::make_shared<pack_options>();
  command->add_option("FILE", o->file, "the filter; - is standard input")->required();
  command->add_option("-o,--output", o->path, "the message to write; - is standard output")->type_name("FILE")->required();
  command->add_option("--since", o->since, "an older filter, which the receiver has: the message is the change")
      ->type_name("OLD");
  command->add_flag("--force", o->force, "replace a file that is no message, too");
  command->add_flag("--verbose", o->verbose, "a line about the length of the message on standard error");
  command->footer("Example: hortus pack -o news.message --since yesterday.hortus today.hortus");
  command->callback([=, &run] { run = [o] { return pack_file(*o); }; });
}

void add_unpack(command_line& app, action& run) {
  auto const command = app.add_subcommand("unpack", "the filter of a message, byte for byte");
  auto const o = std::make_shared<unpack_options>();
  command->add_option("FILE", o->file, "the message; - is standard input")->required();
  o->out.add_options(*command, "the filter to write");
  command->add_option("--onto", o->onto, "the filter that a change was packed since")->type_name("OLD");
  o->lock.add_option(*command);
  command->add_option("--most", o->most, "the most bytes of cells, if the message is of a large filter that is almost empty")
      ->type_name("BYTES");
  command->footer("Example: hortus unpack -o today.hortus --onto yesterday.hortus news.message");
  command->callback([=, &run] { run = [o] { return unpack_file(*o); }; });
}

}  // namespace hortus::cli
