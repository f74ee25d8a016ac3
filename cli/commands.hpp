// The commands: one function each, in the file of its name, and the table that holds them.
#pragma once

#include "cli/arguments.hpp"
#include "cli/flags.hpp"
#include "cli/progress_line.hpp"
#include "cli/report.hpp"

#include <loadstone/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>

namespace loadstone::cli {

/// What a command runs in, on one rank.
struct Context {
  std::shared_ptr<Communicator> comm;
  std::stop_token stop;
  std::shared_ptr<ProgressLine> line;  ///< null where no progress is shown
  bool launched = false;               ///< a launcher started more than one process

  /// Rank 0 alone reports.
  [[nodiscard]] bool speaks() const { return comm->rank() == 0; }
  /// For LoadOptions::progress and VerifyOptions::progress; empty if no progress is shown.
  [[nodiscard]] ProgressCallback progress() const { return line ? line->callback(comm->rank()) : nullptr; }
};

// Each is collective over the context's communicator and throws loadstone::Error; ranks but 0 may report nothing.
Report run_inspect(const Arguments& arguments, const Context& context);
Report run_plan(const Arguments& arguments, const Context& context);
Report run_load(const Arguments& arguments, const Context& context);
Report run_verify(const Arguments& arguments, const Context& context);
Report run_write(const Arguments& arguments, const Context& context);
Report run_clean(const Arguments& arguments, const Context& context);
Report run_demo(const Arguments& arguments, const Context& context);
Report run_formats(const Arguments& arguments, const Context& context);
Report run_probe(const Arguments& arguments, const Context& context);

/// Which ranks carry a command out.
enum class Crew : std::uint8_t {
  alone,    ///< every process for itself: nothing is shared and no MPI is started
  world,    ///< the launcher's ranks, or this process
  threads,  ///< the launcher's ranks, or --ranks threads of this process
};

struct CommandEntry {
  const char* name;
  CommandSet set;
  const char* paths;  ///< in the usage line: "PATH..", "DIR", ""
  bool many_paths;
  Crew crew;
  Report (*run)(const Arguments&, const Context&);
  const char* summary;
};

std::span<const CommandEntry> command_table();
/// Null if there is no such command.
const CommandEntry* find_command(const std::string& name);

/// Runs a command on its ranks and turns what it throws into an outcome. Never throws.
/// @param signal_of  asked after a stop: which signal it was, 0 if none
Outcome execute(const Arguments& arguments, const std::stop_token& stop, const std::function<int()>& signal_of);

/// The whole command: parse, watch signals, execute, print. Returns the exit code.
int run(std::span<const std::string> words);

}  // namespace loadstone::cli
