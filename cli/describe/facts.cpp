#include <hortus/any/any_near.hpp>
#include <hortus/any/card.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/hash/xxh3.hpp>
#include <hortus/hash/xxh64.hpp>
#include <hortus/verbs.hpp>
#include <hortus/version.hpp>

#include "cli/describe/description.hpp"

namespace hortus::cli {
namespace {

std::vector<described_word> families() {
  std::vector<described_word> all;
  for (auto const& family : cards()) all.push_back({std::string(family.name), std::string(family.summary)});
  all.push_back({std::string(near_card().name), std::string(near_card().summary)});
  return all;
}

std::vector<described_word> verbs() {
  std::vector<described_word> all;
  all.reserve(verb_names.size());
  for (auto const name : verb_names) all.push_back({std::string(name), ""});
  return all;
}

std::vector<described_word> hashes() {
  return {{std::string(xxh3::name), "the default"},
          {std::string(xxh64::name), ""},
          {std::string(siphash::name), "with a key file"},
          {std::string(siphash24::name), "with a key file"}};
}

}  // namespace

void add_facts(described_program& program) {
  program.version = HORTUS_VERSION_STRING;
  program.date = "2026-11-15";  // fixed, so that a build can be repeated; goes with the version
  auto& words = program.words;
  for (auto const& command : program.commands) words[value_kind::command].push_back({command.name, command.summary});
  words[value_kind::family] = families();
  words[value_kind::verb] = verbs();
  words[value_kind::hash] = hashes();
  words[value_kind::shell] = {{"bash", ""}, {"zsh", ""}, {"fish", ""}};

  program.notation = {
      {"key",
       "the bytes of a line, without its newline; see -0 and --crlf. Input compressed with gzip or zstd is decompressed."},
      {"count, size", "1000000, 1e6, 10k, 1M, 2G, 64Ki, 64Mi"},
      {"rate", "0.01, 1e-2, 1%"},
      {"time", "500ms, 10s, 2min, 1h, 1d; a plain number is seconds"},
  };
  program.statuses = {
      {"0", "done", ""},
      {"1", "no line was selected", "query"},
      {"2", "an error, with one line on standard error that begins with \"hortus: \". A warning changes no status", ""},
  };
  program.environment = {
      {"HORTUS_REDIS_PASSWORD", "The password of servers of hortus redis, if neither the URL nor --password-file gives one."},
      {"COLUMNS", "The width of tables and sentences. Without it they are as wide as the terminal."},
      {"NO_COLOR", "If it is set and not empty, nothing is coloured."},
      {"TERM", "If it is \"dumb\", nothing is coloured, and no progress is shown unless --progress asks for it."},
      {"TMPDIR", "The folder of the temporary file for the keys of a pipe that do not fit into --memory of build."},
  };
  program.files = {
      {".hortus-PID-N",
       "A file that process PID is writing, on file systems without O_TMPFILE. It may be deleted if there is no such process."},
  };
}

}  // namespace hortus::cli
