// A name as text parts and runs of digits. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone::loader {

/// "shard_0007.npy" is the texts "shard_" and ".npy" around the run "0007". Views into the name.
struct NameParts {
  std::vector<std::string_view> texts;  ///< one more than runs; may be empty
  std::vector<std::string_view> runs;
};
NameParts name_parts(std::string_view name);

/// Equal for names whose text parts agree.
std::string text_key(const NameParts& parts);

/// Order of two runs as numbers of any length; 0 if they are the same number.
int compare_runs(std::string_view a, std::string_view b) noexcept;
/// Order of two names of one key by all their runs.
bool numeric_less(const NameParts& a, const NameParts& b) noexcept;

/// The number of a run; empty beyond 18 digits.
std::optional<std::int64_t> number_of(std::string_view run) noexcept;

/// Which runs differ as text among names of one key.
std::vector<std::size_t> varying_runs(std::span<const NameParts> names);

/// The width W of the one rule "{:0W}" that makes all these runs; empty if there is no such rule.
std::optional<std::size_t> width_of(std::span<const std::string_view> runs) noexcept;

/// The name with `run` replaced: by a number of the width, or by "{:0W}" (braces of the name doubled).
std::string name_with(const NameParts& parts, std::size_t run, std::int64_t number, std::size_t width);
std::string pattern_with(const NameParts& parts, std::size_t run, std::size_t width);

}  // namespace loadstone::loader
