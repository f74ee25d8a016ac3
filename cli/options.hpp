// From texts to the library's options: the meaning of every flag. Pure; what is wrong is Error{bad_argument} that names
// the flag, what it takes and what it got.
#pragma once

#include "cli/arguments.hpp"
#include "core/interrupt.hpp"

#include <loadstone/load.hpp>
#include <loadstone/options.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::cli {

/// A failure of the command's own words: code bad_argument, exit 2.
Failure usage_failure(std::string kind, std::string item, std::string message, std::string remedy);
[[noreturn]] void usage_error(std::string kind, std::string item, std::string message, std::string remedy);

/// A whole decimal number, perhaps negative, within [least, most].
std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most);
/// "3,0,-4": at least one number, none empty.
std::vector<std::int64_t> parse_integers(std::string_view flag, std::string_view text);

/// The values of flags that every command takes must be right also where a command has no use for them.
void check_common(const Arguments& arguments);

OpenOptions open_options(const Arguments& arguments);
/// What a command waits for beside its calls of the library.
Interrupt patience(const Arguments& arguments);
IoOptions io_options(const Arguments& arguments);
/// Layout, selection, budget and the two above. Stop token and progress are the caller's.
LoadOptions load_options(const Arguments& arguments);
VerifyOptions verify_options(const Arguments& arguments);
WriteOptions write_options(const Arguments& arguments);

/// --ranks, or what it is without.
std::int64_t rank_count(const Arguments& arguments, std::int64_t otherwise);
/// --rank, within [0, ranks).
std::optional<std::int64_t> only_rank(const Arguments& arguments, std::int64_t ranks);

}  // namespace loadstone::cli
