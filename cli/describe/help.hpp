#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}  // namespace CLI

namespace hortus::cli {

/// What --help prints, of the parser and of the commands that are added to it later. CLI11 has a layout too, another one in
/// each version.
void set_help_layout(CLI::App& app);

}  // namespace hortus::cli
