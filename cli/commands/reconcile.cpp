#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <system_error>

#include <hortus/sets/session.hpp>

#include "cli/command.hpp"
#include "cli/file_keys.hpp"
#include "cli/peer_pipe.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

/// reconcile: the exact difference of two lists of keys, here or between machines.
namespace hortus::cli {
namespace {

constexpr auto default_timeout = std::chrono::seconds(60);

struct reconcile_options {
  std::string mine;
  std::string theirs;
  std::string remote;
  std::string timeout;
  std::string most;
  key_input input;
  bool stdio = false;
  bool check = false;
  bool json = false;

  [[nodiscard]] std::chrono::nanoseconds patience() const {
    using namespace std::chrono_literals;
    return timeout.empty() ? std::chrono::nanoseconds(default_timeout) : parse_duration("--timeout", timeout, 1ms);
  }
  [[nodiscard]] sets::session_limits limits() const {
    return most.empty() ? sets::session_limits() : sets::session_limits{.bytes = parse_bytes("--most", most)};
  }
  /// The lines are wanted only if they are printed.
  [[nodiscard]] sets::wanted depth() const {
    return json ? sets::wanted::how_many : check ? sets::wanted::whether : sets::wanted::which;
  }
};

void check_usage(reconcile_options const& o) {
  int const others = (o.theirs.empty() ? 0 : 1) + (o.remote.empty() ? 0 : 1) + (o.stdio ? 1 : 0);
  if (others != 1)
    throw error(errc::bad_goal,
                "name the other side once: a file THEIRS, or --remote 'COMMAND'; --stdio is the other side of a --remote");
  if (o.stdio && (o.check || o.json))
    throw error(errc::bad_goal, "--stdio answers the other side and prints nothing: it excludes --check and --json");
  if (o.mine == "-" && (o.stdio || o.theirs == "-"))
    throw error(errc::bad_goal, o.stdio ? "--stdio: standard input is the other side, so the keys cannot come from it"
                                        : "both sides cannot come from standard input");
  if (o.remote.empty() && !o.stdio && !o.timeout.empty())
    throw error(errc::bad_goal, "--timeout is about the other side of a --remote or --stdio");
  if (o.stdio && (::isatty(STDIN_FILENO) == 1 || ::isatty(STDOUT_FILENO) == 1))
    throw error(errc::bad_goal, "--stdio talks to another hortus over pipes, not to a terminal: --remote starts it");
}

secret_key fresh_secret() {
  std::array<std::byte, secret_key::size> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw error(errc::io, "cannot draw a random secret: " + std::generic_category().message(errno));
  return secret_key(bytes);
}

/// Feeds a side what comes, until it is done.
template <class Side>
void converse(Side& side, peer_pipe& peer) {
  std::vector<std::byte> buffer(std::size_t{64} << 10);
  while (!side.done()) {
    auto const got = peer.read(buffer, side.channel().frames());
    if (got == 0) throw error(errc::io, "the other side ended before the answer was known");
    side.receive(std::span(buffer).first(got));
  }
}

/// act(). An error is told to the other side, too.
template <class Act>
void telling(peer_pipe& peer, Act act) try {
  act();
} catch (error const& e) {
  peer.try_write(sets::failure_frame(e.what()));
  throw;
}

void print_lines(reconcile_options const& o, sets::initiator const& side) {
  output out(STDOUT_FILENO);
  side.for_each_of_mine([&](std::string_view key) {
    out.write("< ");
    out.line(key, o.input.separator());
  });
  for (std::size_t i = 0; i < side.their_keys().size(); ++i) {
    out.write("> ");
    out.line(side.their_keys()[i], o.input.separator());
  }
  out.flush();
}

void print_numbers(sets::initiator const& side) {
  auto const differences = side.mine_only().size() + side.theirs_only().size();
  json_value all;
  all["only_mine"] = side.mine_only().size();
  all["only_theirs"] = side.theirs_only().size();
  all["mine"] = side.own().keys;
  all["theirs"] = side.theirs().keys;
  all["bytes_sent"] = side.channel().sent();
  all["bytes_received"] = side.channel().received();
  all["symbols"] = side.symbols();
  all["symbols_per_difference"] = nullptr;
  if (differences != 0) all["symbols_per_difference"] = static_cast<double>(side.symbols()) / static_cast<double>(differences);
  print_json(all);
}

int report(reconcile_options const& o, sets::initiator const& side) {
  if (o.json)
    print_numbers(side);
  else if (!o.check)
    print_lines(o, side);
  return o.check && !side.equal() ? nothing_selected : done;
}

/// Both sides in one process, with the same bytes between them.
int with_file(reconcile_options const& o) {
  file_keys const my_keys(o.mine, o.input);
  file_keys const their_keys(o.theirs, o.input);
  std::deque<std::vector<std::byte>> questions;
  sets::initiator mine(
      my_keys, fresh_secret(), [&](auto bytes) { questions.emplace_back(bytes.begin(), bytes.end()); }, o.depth(), o.limits());
  // Answers are taken as they come, because all keys of the other side at once may be many.
  sets::responder theirs(
      their_keys, [&](auto bytes) { mine.receive(bytes); }, o.limits());
  mine.start();
  mine.load();
  theirs.start();
  while (!questions.empty()) {
    theirs.receive(questions.front());
    questions.pop_front();
  }
  if (!mine.done() || !theirs.done()) throw error(errc::corrupt, "the sides do not agree on what to do");
  return report(o, mine);
}

int with_command(reconcile_options const& o) {
  file_keys const my_keys(o.mine, o.input);
  child_process command(o.remote);
  try {
    peer_pipe peer(command.from(), command.to(), o.patience());
    sets::initiator mine(
        my_keys, fresh_secret(), [&](auto bytes) { peer.write(bytes); }, o.depth(), o.limits());
    telling(peer, [&] {
      mine.start();
      mine.load();
      converse(mine, peer);
    });
    return report(o, mine);
  } catch (error const& e) {
    if (e.code() != errc::io) throw;
    auto const end = command.ended(std::chrono::milliseconds(200));  // why it ended says more than that it did
    if (end.empty() || end == "status 0") throw;
    throw error(e.code(), fmt::format("{} (the --remote command: {})", e.what(), end));
  }
}

int answer(reconcile_options const& o) {
  peer_pipe peer(STDIN_FILENO, STDOUT_FILENO, o.patience());
  telling(peer, [&] {
    peer.write(sets::preamble());  // before the file is opened: an error should follow it
    file_keys const keys(o.mine, o.input);
    sets::responder side(
        keys, [&](auto bytes) { peer.write(bytes); }, o.limits());
    converse(side, peer);
  });
  return done;
}

int reconcile(reconcile_options const& o) {
  check_usage(o);
  (void)o.patience();
  (void)o.limits();
  if (o.stdio) return answer(o);
  std::vector<std::string> inputs{o.mine};
  if (!o.theirs.empty()) inputs.push_back(o.theirs);
  check_can_print(inputs);
  return fitting("the keys of both sides", [&] { return o.remote.empty() ? with_file(o) : with_command(o); });
}

}  // namespace

void add_reconcile(command_line& app, action& run) {
  auto const command = app.add_subcommand("reconcile", "the exact difference of two lists, from few bytes");
  auto const o = std::make_shared<reconcile_options>();
  command->add_option("MINE", o->mine, "a file, a key a line; - is standard input")->required();
  command->add_option("THEIRS", o->theirs, "the file to compare with");
  command->add_option("--remote", o->remote, "instead of THEIRS: a command that runs the same with --stdio, elsewhere")
      ->type_name("COMMAND");
  command->add_flag("--stdio", o->stdio, "be the other side of a --remote, over standard input and output");
  command->add_flag("--check", o->check, "print nothing; the status is 1 if they differ");
  command->add_option("--timeout", o->timeout, "give up an other side that is silent for so long: 500ms, 2min (default 60s)")
      ->type_name("TIME");
  command->add_option("--most", o->most, "the most bytes to take from the other side (default 1GiB)")->type_name("BYTES");
  command->add_flag("--json", o->json, "the numbers of keys, and of bytes and symbols it took");
  o->input.add_format_options(*command);
  command->footer(
      "A line < KEY is a key of MINE only, > KEY one of THEIRS only. Duplicates count once.\n"
      "Example: hortus reconcile today.txt yesterday.txt\n"
      "Example: hortus reconcile keys.txt --remote 'ssh host hortus reconcile /data/keys.txt --stdio'");
  command->callback([=, &run] { run = [o] { return reconcile(*o); }; });
}

}  // namespace hortus::cli
