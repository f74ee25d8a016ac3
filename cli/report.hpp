// What a command has to say, and how it is said: text for people, or one JSON document.
#pragma once

#include <loadstone/error.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadstone::cli {

/// The product of a command. Commands fill `text`, or with --json `parts`; never both.
struct Report {
  std::string text;
  std::vector<std::pair<std::string, std::string>> parts;  ///< key and finished JSON
  std::vector<Fault> warnings;
  std::vector<std::string> notes;  ///< of what was done another way than usual; text mode only
};

/// How a command ended: its report, or its failure, and the exit code that says so.
struct Outcome {
  Report report;
  std::optional<Failure> failure;
  int exit_code = 0;
};

/// {"loadstone": 1, "command", "ok", "warnings", "faults", ..parts}, ended by a new line.
std::string json_document(const std::string& command, const Outcome& outcome);

/// What goes to standard error in text mode: notes and warnings (unless quiet), faults one a line, 20 a kind, and the
/// totals.
std::string fault_text(const Outcome& outcome, bool quiet);

/// "error: d/x.npy: the header asks for 10 bytes. Rewrite it. [shard.truncated]", safe for a terminal.
std::string fault_line(const Fault& fault, const char* label);

}  // namespace loadstone::cli
