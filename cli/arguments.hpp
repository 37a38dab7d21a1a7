/// From the arguments of the program to the command that they name.
#pragma once

namespace hortus::cli {

/// Reads the arguments and runs the command. Says on standard error what went wrong; the status of the program.
int run(int argc, char** argv);

}  // namespace hortus::cli
