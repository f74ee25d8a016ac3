// Runs a command on its ranks: whatever is thrown becomes an outcome with an exit code that all processes share.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/ranks.hpp"
#include "core/guarded.hpp"

#include <loadstone/load.hpp>

#include <exception>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace loadstone::cli {
namespace {

Failure one_fault(Code code, std::string kind, std::string message, std::string remedy) {
  return failure_of(
      Fault{.code = code, .kind = std::move(kind), .message = std::move(message), .remedy = std::move(remedy)});
}

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (error.local() != nullptr)
      failure.notes.push_back("this rank also failed: " + describe(*error.local(), Audience::command));
    return failure;
  } catch (const std::bad_alloc&) {
    return one_fault(Code::out_of_memory, "memory.refused", "the system refused memory",
                     "Give a smaller --budget, or load on more ranks.");
  } catch (const std::system_error& error) {
    return failure_of(system_fault(error));
  } catch (const std::exception& error) {
    return one_fault(Code::internal, "internal.exception", std::string("unexpected: ") + error.what(),
                     "This is a bug of loadstone; please report it with the command that shows it.");
  }
}

/// Warnings of a strict command.
void refuse(const std::vector<Fault>& warnings) {
  if (!warnings.empty()) throw Error(failure_of(warnings));
}

Report report_of(const CommandEntry& entry, const Arguments& arguments, const std::shared_ptr<Communicator>& world,
                 const std::stop_token& stop) {
  check_common(arguments);
  // Ranks may differ in their environments: where there are others, the library's own calls agree on what is wrong.
  if (arguments.strict && world->size() == 1) refuse(environment_warnings());
  Report report = on_ranks(arguments, world, entry.crew, stop,
                           [&](const Context& context) { return entry.run(arguments, context); });
  for (Fault& warning : environment_warnings()) report.warnings.push_back(std::move(warning));
  if (arguments.strict) refuse(report.warnings);
  return report;
}

void agree_on_exit_code(const Arguments& arguments, const std::shared_ptr<Communicator>& world, Outcome& outcome) {
  Result<int> agreed = agreed_exit_code(arguments, world, outcome.exit_code);
  outcome.exit_code = agreed.ok() ? *agreed : kLost;
  if (!agreed.ok() && !outcome.failure) outcome.failure = std::move(agreed).status().take();
}

}  // namespace

Outcome execute(const Arguments& arguments, const std::stop_token& stop, const std::function<int()>& signal_of) {
  const CommandEntry& entry = *find_command(arguments.command);
  std::shared_ptr<Communicator> world = self_communicator();
  Outcome outcome;
  try {
    if (entry.crew != Crew::alone) world = world_communicator();
    outcome.report = report_of(entry, arguments, world, stop);
  } catch (...) {
    outcome.failure = current_failure();
    outcome.exit_code = exit_code_of(*outcome.failure, signal_of());
  }
  agree_on_exit_code(arguments, world, outcome);
  if (outcome.exit_code != kDone && !outcome.failure) {
    outcome.failure = one_fault(Code::comm, "ranks.failed", "another rank failed after this one was done",
                                "See what that rank says, and run the command again.");
  }
  return outcome;
}

}  // namespace loadstone::cli
