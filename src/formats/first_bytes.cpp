#include "formats/first_bytes.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "formats/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadstone::formats {

namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view magic;
  std::string_view name;
};
// The first that fits wins, so longer signatures stand before their prefixes.
constexpr auto kSignatures = std::to_array<Signature>({
    {"\x93NUMPY"sv, ".npy"},
    {"version https://git-lfs"sv, "Git LFS pointer"},
    {"\x89HDF\r\n\x1a\n"sv, "HDF5"},
    {"PK\x03\x04"sv, "zip archive, maybe .npz"},
    {"PK\x05\x06"sv, "zip archive without members, maybe .npz"},
    {"CDF\x01"sv, "netCDF-3"},
    {"CDF\x02"sv, "netCDF-3"},
    {"CDF\x05"sv, "netCDF-3"},
    {"PAR1"sv, "Parquet"},
    {"ARROW1"sv, "Arrow IPC"},
    {"GGUF"sv, "GGUF"},
    {"\x1f\x8b"sv, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, "zstd"},
    {"\xfd\x37zXZ"sv, "xz"},
    {"BZh"sv, "bzip2"},
    {"\x80\x02"sv, "Python pickle, which could run code"},
    {"\x80\x03"sv, "Python pickle, which could run code"},
    {"\x80\x04"sv, "Python pickle, which could run code"},
    {"\x80\x05"sv, "Python pickle, which could run code"},
});

constexpr std::size_t kShownBytes = 16;
// A UTF-8 character has at most four bytes.
constexpr std::size_t kLongestCut = 3;
// safetensors: eight bytes of header length, then JSON.
constexpr std::size_t kSafetensorsBrace = 8;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) || byte == 0x7f;
}

bool is_text(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());  // NOLINT(*-reinterpret-cast)
  const std::size_t invalid = first_invalid_utf8(text).value_or(text.size());
  // the last character may be cut where the bytes end
  return std::none_of(text.begin(), text.end(), is_control) && invalid + kLongestCut >= text.size() && invalid > 0;
}

bool is_safetensors(std::span<const std::byte> bytes) {
  if (bytes.size() <= kSafetensorsBrace || bytes[kSafetensorsBrace] != std::byte{'{'}) return false;
  // a header of under 4 GiB leaves the upper half of its length 0
  return std::all_of(bytes.begin() + 4, bytes.begin() + 8, [](std::byte b) { return b == std::byte{0}; });
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string out = "bytes";
  for (const std::byte b : bytes.first(std::min(bytes.size(), kShownBytes))) {
    out += fmt::format(" {:02x}", std::to_integer<unsigned>(b));
  }
  return out;
}

}  // namespace

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin(),
                                                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

std::string what_bytes_are(std::span<const std::byte> first_bytes) {
  if (first_bytes.empty()) return "empty";
  for (const Signature& signature : kSignatures) {
    if (starts_with(first_bytes, signature.magic)) return std::string(signature.name);
  }
  if (is_safetensors(first_bytes)) return "safetensors";
  if (is_text(first_bytes)) return "text";
  return hexadecimal(first_bytes);
}

Fault not_this_format(std::span<const std::byte> first_bytes, std::string_view wanted) {
  std::string got = what_bytes_are(first_bytes);
  Fault fault = malformed("shard.format", fmt::format("the file is not {}: it is {}", wanted, got),
                          got == "Git LFS pointer"
                              ? "Fetch the file itself with git lfs pull."
                              : fmt::format("Leave this file out, or name its format with {}.", named(Option::format)));
  fault.offset = 0;
  fault.wanted = std::string(wanted);
  fault.got = std::move(got);
  return fault;
}

}  // namespace loadstone::formats
