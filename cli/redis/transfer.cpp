#include <fmt/format.h>

#include <hortus/any/shards.hpp>
#include <hortus/redis/transfer.hpp>

#include "cli/command.hpp"
#include "cli/redis/actions.hpp"
#include "cli/redis/server_options.hpp"
#include "cli/saving.hpp"
#include "cli/text/numbers.hpp"

/// Whole filters: push, pull, reshard.
namespace hortus::cli {
namespace {

/// Adds up what the library tells, and shows it.
class shown_bytes {
 public:
  shown_bytes(char const* label, std::uint64_t total, bool show)
      : shown_(label, total, progress_unit::bytes, show ? show_progress::on : show_progress::automatic) {}
  [[nodiscard]] redis::byte_progress callback() {
    return [this](std::uint64_t bytes) { shown_.update(done_ += bytes); };
  }

 private:
  progress shown_;
  std::uint64_t done_ = 0;
};

struct push_options {
  std::string file;
  server_options server;
  std::string shards;
  bool replace = false;
  bool merge = false;
  bool show = false;
};

int push(push_options const& o) {
  if (o.replace && o.merge) throw error(errc::bad_goal, "--replace and --merge exclude each other");
  auto const shards = o.shards.empty() ? 0 : parse_count("--shards", o.shards, 1);
  auto const filter = open_filter(o.file, {.key = {}, .verify = true});
  auto const at = o.server.connect(std::span(&o.file, 1));
  shown_bytes shown("sending", stored_size(filter), o.show);
  naming(o.file, [&] {
    redis::push(*at, filter, o.server.key,
                {.shards = shards, .replace = o.replace, .merge = o.merge, .progress = shown.callback()});
  });
  return done;
}

struct create_options {
  std::string family;
  server_options server;
  std::string items;
  std::string fpr;
  std::string seed;
  std::string shards;
  bool show = false;
};

int create(create_options const& o) {
  request wish{.items = parse_count("-n", o.items, 1), .fpr = 0.01, .settings = {}};
  if (!o.fpr.empty()) wish.fpr = parse_rate("-p", o.fpr);
  auto const shards = parse_count("--shards", o.shards, 1);
  (void)plan_shards(o.family, wish, shards);  // what cannot be is refused before a server is asked
  auto const at = o.server.connect();
  shown_bytes shown("sending", 0, o.show);
  any_hash const hash = o.seed.empty() ? any_hash() : any_hash(default_hash(parse_seed("--seed", o.seed)));
  redis::create(*at, o.server.key, o.family, wish, hash, shards, shown.callback());
  return done;
}

struct pull_options {
  server_options server;
  save_options out;
  bool show = false;
};

int pull(pull_options const& o) {
  o.out.check();
  auto const at = o.server.connect();
  auto const filter = [&] {
    shown_bytes shown("receiving", 0, o.show);
    return fitting("the filter", [&] { return redis::pull(*at, o.server.key, {}, shown.callback()); });
  }();
  o.out.save(filter);
  o.out.report(filter);
  return done;
}

struct reshard_options {
  server_options server;
  std::string shards;
  bool show = false;
};

int reshard(reshard_options const& o) {
  auto const at = o.server.connect();
  shown_bytes shown("copying", 0, o.show);
  redis::reshard(*at, o.server.key, parse_count("--shards", o.shards, 1), shown.callback());
  return done;
}

constexpr char const* progress_help = "show progress even if standard error is no terminal";

}  // namespace

void add_redis_push(subcommand const& group, action& run) {
  auto const command = group.add_action("push", "send a filter from a file");
  auto const o = std::make_shared<push_options>();
  command->add_option("FILE", o->file, "the filter; - is standard input")->required();
  o->server.add_arguments(*command);
  command
      ->add_option("--shards", o->shards,
                   "as so many filters, each at a key of its own: for more than one\n"
                   "server of a cluster holds. The number divides the blocks")
      ->type_name("N");
  command->add_flag("--replace", o->replace, "if the key has a filter, replace it when this one is complete");
  command->add_flag("--merge", o->merge,
                    "if the key has a filter that was made alike, add the keys of\nthis one to it, shard by shard");
  command->add_flag("--progress", o->show, progress_help);
  o->server.add_options(*command);
  command->footer("Example: hortus redis push seen.hortus redis://127.0.0.1:7000 seen --shards 12");
  command->callback([=, &run] { run = [o] { return push(*o); }; });
}

void add_redis_create(subcommand const& group, action& run) {
  auto const command = group.add_action("create", "make an empty filter in shards, larger than this machine may be");
  auto const o = std::make_shared<create_options>();
  command->add_option("FAMILY", o->family, "one whose filters have shards: blocked, split_block ...")->required();
  o->server.add_arguments(*command);
  command->add_option("-n,--items", o->items, "the number of distinct keys to come")->type_name("N")->required();
  command->add_option("-p,--fpr", o->fpr, "the false-positive rate (1%)")->type_name("P");
  command->add_option("--shards", o->shards, "the number of shards")->type_name("N")->required();
  command->add_option("--seed", o->seed, "another hash of the keys")->type_name("S");
  command->add_flag("--progress", o->show, progress_help);
  o->server.add_options(*command);
  command->footer("Example: hortus redis create blocked redis://127.0.0.1:7000 seen -n 10G --shards 64");
  command->callback([=, &run] { run = [o] { return create(*o); }; });
}

void add_redis_pull(subcommand const& group, action& run) {
  auto const command = group.add_action("pull", "fetch a filter into a file; shards are joined");
  auto const o = std::make_shared<pull_options>();
  o->server.add_arguments(*command);
  o->out.add_options(*command, "the file to write");
  command->add_flag("--progress", o->show, progress_help);
  o->server.add_options(*command);
  command->footer("Example: hortus redis pull redis://127.0.0.1:7000 seen -o seen.hortus");
  command->callback([=, &run] { run = [o] { return pull(*o); }; });
}

void add_redis_reshard(subcommand const& group, action& run) {
  auto const command = group.add_action("reshard", "another number of shards, while clients go on");
  auto const o = std::make_shared<reshard_options>();
  o->server.add_arguments(*command);
  command->add_option("--shards", o->shards, "a multiple of the present number, or a divisor")->type_name("N")->required();
  command->add_flag("--progress", o->show, progress_help);
  o->server.add_options(*command);
  command->footer(
      "Clients wait while shards that changed meanwhile are copied again. If it was interrupted, repeat\nit.\n"
      "Example: hortus redis reshard redis://127.0.0.1:7000 seen --shards 24");
  command->callback([=, &run] { run = [o] { return reshard(*o); }; });
}

}  // namespace hortus::cli
