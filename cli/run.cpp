// The whole command, from words to an exit code.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/ranks.hpp"
#include "cli/signal_watch.hpp"
#include "comm/modules.hpp"

#include <signal.h>

#include <cstdio>
#include <string>

namespace loadstone::cli {
namespace {

bool put(std::FILE* stream, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
}

/// One process speaks. Output that could not be written is a failure of the command, unless it failed already.
int print(const Arguments& arguments, const Outcome& outcome) {
  if (launched_rank() != 0) return outcome.exit_code;
  const bool told =
      arguments.json ? put(stdout, json_document(arguments.command, outcome)) : put(stdout, outcome.report.text);
  if (!arguments.json || outcome.failure) put(stderr, fault_text(outcome, arguments.quiet || arguments.json));
  if (told || outcome.exit_code != kDone) return outcome.exit_code;
  put(stderr, "error: standard output could not be written. Free space there, or send it elsewhere. [output]\n");
  return kInput;
}

}  // namespace

int run(std::span<const std::string> words) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may grow no further is an error of the write, which cleans up behind it
  const Parsed parsed = parse(words);
  if (parsed.print) {
    if (launched_rank() == 0) put(parsed.exit_code == kDone ? stdout : stderr, *parsed.print);
    return parsed.exit_code;
  }
  if (parsed.failure) {
    return print(parsed.arguments, {.report = {}, .failure = parsed.failure, .exit_code = kUsage});
  }
  const SignalWatch watch;
  const Outcome outcome = execute(parsed.arguments, watch.token(), [&watch] { return watch.signal(); });
  const int code = print(parsed.arguments, outcome);
  comm::finalize_world();
  return code;
}

}  // namespace loadstone::cli
