// Text for people: escaped bytes, counted things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadstone {

/// Bytes from a file, safe for a terminal and a log: control bytes, characters that turn the direction of text
/// and invalid UTF-8 become \xHH, cut at 200 characters.
std::string escape(std::string_view bytes, std::size_t max_characters = 200);
/// The same for a path, cut in the middle: its first folders and its name tell most. Escaping twice changes nothing.
std::string escape_path(std::string_view path, std::size_t max_characters = 200);
/// Bytes of the UTF-8 character that starts at `at`; 0 if there is none.
std::size_t utf8_length(std::string_view bytes, std::size_t at);
/// Position of the first byte that is no UTF-8; empty if all are.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);
/// "1 shard", "3 shards".
std::string counted(std::int64_t n, std::string_view noun);
/// "(10, 256)", "(10,)", "()".
std::string shape_text(std::span<const std::int64_t> shape);
/// "1,234,567".
std::string grouped(std::int64_t n);
/// Nearest of `choices` by edit distance; empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> choices);
/// "a, b, c".
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

}  // namespace loadstone
