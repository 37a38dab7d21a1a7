#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/describe/description.hpp"

namespace hortus::cli {
namespace {

/// Characters that roff would read as its own, or print as others than can be typed.
std::string escaped(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '"':
      return "\\(dq";
    default:
      return {c};
  }
}

/// What is typed: every hyphen is a minus.
std::string literal(std::string_view text) {
  std::string all;
  for (char const c : text) all += c == '-' ? "\\-" : escaped(c);
  return text.starts_with('.') ? "\\&" + all : all;
}

/// A sentence. Only hyphens at the beginning of a word, as those of an option, are typed.
std::string prose(std::string_view text) {
  std::string all = text.starts_with('.') ? "\\&" : "";
  bool starts = true;
  for (char const c : text) {
    all += c == '-' && starts ? "\\-" : escaped(c);
    starts = std::isalnum(static_cast<unsigned char>(c)) == 0;
  }
  return all;
}

std::string bold(std::string_view text) { return "\\fB" + literal(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + literal(text) + "\\fR"; }

/// Help texts begin with a small letter and end without a full stop. A name, such as xxh3, keeps its small letter.
std::string sentence(std::string text) {
  if (text.empty()) return text;
  auto const word = std::string_view(text).substr(0, text.find_first_of(" ,;:"));
  if (std::ranges::all_of(word, [](unsigned char c) { return std::isalpha(c) != 0; }))
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (text.back() != '.' && text.back() != '?') text += '.';
  return text;
}

std::string item(std::string const& head, std::string const& text) {
  return fmt::format(".TP\n{}\n{}\n", head, text.empty() ? "\\&" : text);
}

std::string shown_argument(described_argument const& argument) {
  auto const name = italic(argument.name) + (argument.repeated ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string with_value(described_option const& option, std::string const& names) {
  return option.value.empty() ? names : names + " " + italic(option.value);
}

std::string synopsis(std::string_view called, described_command const& command) {
  auto text = bold(called);
  for (auto const& option : command.options)
    if (option.required) text += " " + with_value(option, bold(option.names.front()));
  text += " [" + italic("OPTIONS") + "]";
  for (auto const& argument : command.arguments) text += " " + shown_argument(argument);
  return text;
}

std::string option_items(described_command const& command) {
  std::string text;
  for (auto const& option : command.options) {
    std::string names;
    for (auto const& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
    auto help = prose(sentence(option.help));
    if (option.required) help += " Required.";
    if (!option.default_value.empty()) help += " Default: " + literal(option.default_value) + ".";
    text += item(with_value(option, names), help);
  }
  return text;
}

std::string options_section(described_command const& command) {
  auto const text = option_items(command);
  return text.empty() ? text : ".SH OPTIONS\n" + text;
}

std::string arguments_section(described_command const& command) {
  std::string text;
  for (auto const& argument : command.arguments) text += item(italic(argument.name), prose(sentence(argument.help)));
  return text.empty() ? text : ".SH ARGUMENTS\n" + text;
}

std::string list_section(std::string_view title, std::vector<described_word> const& words) {
  std::string text;
  for (auto const& word : words) text += item(bold(word.name), prose(word.meaning));
  return text.empty() ? text : fmt::format(".SH {}\n{}", title, text);
}

/// Those of one command, or of all with "".
std::string statuses_section(described_program const& program, std::string_view command) {
  std::string text;
  for (auto const& status : program.statuses) {
    if (!command.empty() && !status.command.empty() && status.command != command) continue;
    bool const whose = command.empty() && !status.command.empty();
    text += item(bold(status.name), prose(sentence(whose ? "for " + status.command + ": " + status.meaning : status.meaning)));
  }
  return ".SH EXIT STATUS\n" + text;
}

std::string remarks(described_command const& command) {
  std::string text;
  for (auto const& remark : command.remarks) text += prose(remark) + "\n";
  return text.empty() ? text : ".PP\n" + text;
}

std::string examples_section(described_command const& command) {
  std::string text;
  for (auto const& example : command.examples) text += literal(example) + "\n";
  return text.empty() ? text : ".SH EXAMPLES\n.RS 4\n.nf\n" + text + ".fi\n.RE\n";
}

std::string actions_section(std::string const& called, described_command const& command) {
  if (command.actions.empty()) return {};
  std::string text = ".SH ACTIONS\n";
  for (auto const& action : command.actions) {
    text += fmt::format(".SS {}\n{}\n.PP\n{}\n{}", literal(called + " " + action.name),
                        synopsis(called + " " + action.name, action), prose(sentence(action.summary)), remarks(action));
    for (auto const& argument : action.arguments) text += item(italic(argument.name), prose(sentence(argument.help)));
    text += option_items(action);
    for (auto const& example : action.examples) text += ".PP\n" + literal(example) + "\n";
  }
  return text;
}

std::string heading(described_program const& program, std::string const& page, std::string_view summary) {
  auto title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 {} \"hortus {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", literal(title), program.date,
                     program.version, literal(page), prose(summary));
}

std::string page_of(described_program const& program, std::string_view command) {
  return fmt::format("{}-{}", program.whole.name, command);
}

}  // namespace

std::string man_page(described_program const& program) {
  auto const& whole = program.whole;
  // The description is "hortus: what it is. Sentences."
  auto summary = whole.summary.starts_with(whole.name + ": ") ? whole.summary.substr(whole.name.size() + 2) : whole.summary;
  auto const end = summary.find(". ");
  auto const more = end == std::string::npos ? std::string() : summary.substr(end + 2);
  summary.resize(std::min(end, summary.size()));
  auto page = heading(program, whole.name, summary);
  page += fmt::format(".SH SYNOPSIS\n{} {} [{}]\n.br\n{}\n", bold(whole.name), italic("COMMAND"), italic("ARGUMENTS"),
                      synopsis(whole.name, whole));
  page += fmt::format(".SH DESCRIPTION\n{}\n{}\n{}", prose(sentence(summary)), prose(more), remarks(whole));
  page += ".SH COMMANDS\n";
  for (auto const& command : program.commands)
    page += item(bold(page_of(program, command.name)) + "(1)", prose(sentence(command.summary)));
  page += options_section(whole) + list_section("NOTATION", program.notation) + statuses_section(program, "") +
          list_section("ENVIRONMENT", program.environment) + list_section("FILES", program.files) + examples_section(whole);
  page += ".SH SEE ALSO\n";
  for (auto const& command : program.commands)
    page +=
        fmt::format(".BR {} (1){}\n", literal(page_of(program, command.name)), &command == &program.commands.back() ? "" : ",");
  return page;
}

std::string man_page(described_program const& program, described_command const& command) {
  auto page = heading(program, page_of(program, command.name), command.summary);
  std::string lines;
  for (auto const& action : command.actions)
    lines += (lines.empty() ? "" : ".br\n") + synopsis(program.whole.name + " " + action.name, action) + "\n";
  if (command.actions.empty()) lines = synopsis(program.whole.name + " " + command.name, command) + "\n";
  page += ".SH SYNOPSIS\n" + lines;
  page += fmt::format(".SH DESCRIPTION\n{}\n{}", prose(sentence(command.summary)), remarks(command));
  page += arguments_section(command) + actions_section(program.whole.name, command) + options_section(command) +
          statuses_section(program, command.name) + examples_section(command);
  page += fmt::format(".SH SEE ALSO\n.BR {} (1):\nnotation of numbers, environment, files, all commands\n", program.whole.name);
  return page;
}

}  // namespace hortus::cli
