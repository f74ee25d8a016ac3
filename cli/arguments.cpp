#include "cli/arguments.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "core/text.hpp"

#include <loadstone/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace loadstone::cli {
namespace {

std::string general_help() {
  std::string text =
      "loadstone - loads sharded arrays in parallel into distributed memory, within a budget you set\n\n"
      "usage: loadstone COMMAND [FLAGS] [PATH..]\n\ncommands:\n";
  for (const CommandEntry& entry : command_table()) text += fmt::format("  {:<9}{}\n", entry.name, entry.summary);
  return text +
         "\nA PATH is a directory, a glob in quotes, a file, a manifest, @names.txt, or @- for names on standard "
         "input.\n"
         "loadstone COMMAND --help lists the flags of a command; loadstone --version prints the version.\n"
         "Exit codes: 0 done, 2 usage, 3 faulty dataset, 4 incomplete, 5 content differs, 6 budget too small,\n"
         "7 I/O failed, 8 unsupported or refused, 9 rank lost or deadline, 130 and 143 stopped, 1 a bug of ours.\n";
}

Failure unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : command_table()) names.emplace_back(entry.name);
  const std::string near = nearest(word, names);
  if (!word.empty() && word[0] == '-') {
    return usage_failure("usage.flag", word, fmt::format("'{}' stands before the command", escape(word)),
                         "Put the command first: loadstone COMMAND [FLAGS].");
  }
  return usage_failure(
      "usage.command", word, fmt::format("'{}' is no command", escape(word)),
      near.empty() ? fmt::format("The commands are {}.", joined(names)) : fmt::format("Did you mean '{}'?", near));
}

Failure unknown_flag(const std::string& word, const CommandEntry& entry) {
  const std::string name = word.substr(0, word.find('='));
  const std::string near = nearest(name, long_names(entry.set));
  const CommandSet takers = takers_of(name);
  std::vector<std::string> others;
  for (const CommandEntry& other : command_table()) {
    if ((other.set & takers) != 0) others.emplace_back(other.name);
  }
  std::string remedy = fmt::format("loadstone {} --help lists its flags.", entry.name);
  if (!near.empty()) remedy = fmt::format("Did you mean '{}'?", near);
  if (!others.empty()) remedy = fmt::format("It is a flag of {}.", joined(others));
  return usage_failure("usage.flag", name, fmt::format("'{}' has no flag {}", entry.name, escape(name)), remedy);
}

/// Hands a flag's texts to its place; a list grows, a text or switch is set. A switch takes no value.
CLI::callback_t filler(const Flag& flag, Arguments& arguments) {
  return [&flag, &arguments](const CLI::results_t& texts) {
    if (const auto* text = std::get_if<Text Arguments::*>(&flag.target)) {
      arguments.*(*text) = texts.back();
    } else if (const auto* list = std::get_if<std::vector<std::string> Arguments::*>(&flag.target)) {
      arguments.*(*list) = texts;
    } else if (const auto* on = std::get_if<bool Arguments::*>(&flag.target)) {
      if (!texts.back().empty()) return false;
      arguments.*(*on) = true;
    }
    return true;
  };
}

void add_flag(CLI::App& app, const Flag& flag, Arguments& arguments) {
  CLI::Option* option = app.add_option(flag.names, filler(flag, arguments), flag.help);
  option->group(flag.group);
  if (std::holds_alternative<bool Arguments::*>(flag.target)) {
    option->type_size(0)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    return;
  }
  option->type_name(flag.value);
  if (std::holds_alternative<std::vector<std::string> Arguments::*>(flag.target)) {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

void build(CLI::App& app, const CommandEntry& entry, Arguments& arguments) {
  app.name(fmt::format("loadstone {} {}", entry.name, entry.paths));
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "this text")->group("Common");
  app.allow_extras();  // paths: as positionals CLI11 would take "[ab]" for a list
  for (const Flag& flag : flags()) {
    if ((flag.commands & entry.set) != 0) add_flag(app, flag, arguments);
  }
}

Failure wrong_words(const CommandEntry& entry, const std::string& message) {
  return usage_failure("usage.words", entry.name, fmt::format("'{}': {}", entry.name, escape(message)),
                       fmt::format("loadstone {} --help lists its flags.", entry.name));
}

std::optional<Failure> check_paths(const std::vector<std::string>& paths, const CommandEntry& entry) {
  const std::string_view wanted = entry.paths;
  if (paths.empty() && !wanted.empty()) {
    return usage_failure("usage.missing", entry.paths, fmt::format("'{}' needs {}", entry.name, wanted),
                         fmt::format("Say loadstone {} {}.", entry.name, wanted));
  }
  if (paths.size() > 1 && !entry.many_paths) return wrong_words(entry, "one directory, not also " + paths[1]);
  if (!paths.empty() && wanted.empty()) return wrong_words(entry, "takes no path, not " + paths[0]);
  return std::nullopt;
}

/// What CLI11 left: paths, and before "--" flags that the command does not know.
void take_rest(const std::vector<std::string>& rest, const CommandEntry& entry, Parsed& parsed) {
  bool flags_may_come = true;
  for (const std::string& word : rest) {
    if (flags_may_come && word == "--") {
      flags_may_come = false;
    } else if (flags_may_come && word.size() > 1 && word[0] == '-') {
      parsed.failure = unknown_flag(word, entry);
      return;
    } else {
      parsed.arguments.paths.push_back(word);
    }
  }
  parsed.failure = check_paths(parsed.arguments.paths, entry);
}

void parse_command(std::span<const std::string> words, const CommandEntry& entry, Parsed& parsed) {
  CLI::App app(entry.summary);
  build(app, entry, parsed.arguments);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order CLI11 pops words in
  try {
    app.parse(reversed);
    take_rest(app.remaining(), entry, parsed);
  } catch (const CLI::CallForHelp&) {
    parsed.print = app.help();
  } catch (const CLI::ParseError& error) {
    parsed.failure = wrong_words(entry, error.what());
  }
}

}  // namespace

Parsed parse(std::span<const std::string> words) {
  Parsed parsed;
  if (words.empty()) {
    parsed.print = general_help();
    parsed.exit_code = kUsage;
    return parsed;
  }
  const std::string& first = words[0];
  if (first == "-h" || first == "--help" || first == "help") {
    parsed.print = general_help();
  } else if (first == "--version") {
    parsed.print = fmt::format("loadstone {}\n", version());
  } else {
    parsed.arguments.command = first;
    parsed.arguments.json = std::find(words.begin(), words.end(), "--json") != words.end();
    const CommandEntry* entry = find_command(first);
    if (entry == nullptr) {
      parsed.failure = unknown_command(first);
    } else {
      parse_command(words.subspan(1), *entry, parsed);
    }
  }
  return parsed;
}

}  // namespace loadstone::cli
