#include "cli/arguments.hpp"

int main(int argc, char** argv) { return hortus::cli::run(argc, argv); }
