#include "io/fs_class.hpp"

#include "core/option_words.hpp"
#include "core/text.hpp"
#include "io/faults.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace loadstone::io {
namespace {

struct TypeRow {
  std::uint32_t f_type;
  FsClass fs_class;
};

// Numbers from the kernel's magic.h and the sources of file systems outside it.
constexpr std::array kTypes = {
    TypeRow{0xEF53, FsClass::local},        // ext2, ext3, ext4
    TypeRow{0x58465342, FsClass::local},    // xfs
    TypeRow{0x9123683E, FsClass::local},    // btrfs
    TypeRow{0xF2F52010, FsClass::local},    // f2fs
    TypeRow{0x2FC12FC1, FsClass::local},    // zfs
    TypeRow{0xCA451A4E, FsClass::local},    // bcachefs
    TypeRow{0x2011BAB0, FsClass::local},    // exfat
    TypeRow{0x01021994, FsClass::memory},   // tmpfs
    TypeRow{0x858458F6, FsClass::memory},   // ramfs
    TypeRow{0x958458F6, FsClass::memory},   // hugetlbfs
    TypeRow{0x6969, FsClass::network},      // nfs
    TypeRow{0x517B, FsClass::network},      // smb
    TypeRow{0xFF534D42, FsClass::network},  // cifs
    TypeRow{0xFE534D42, FsClass::network},  // smb2
    TypeRow{0x00C36400, FsClass::network},  // ceph
    TypeRow{0x0BD00BD0, FsClass::network},  // lustre
    TypeRow{0x47504653, FsClass::network},  // gpfs
    TypeRow{0x19830326, FsClass::network},  // beegfs
    TypeRow{0x01021997, FsClass::network},  // 9p
    TypeRow{0x5346414F, FsClass::network},  // afs
    TypeRow{0x6B414653, FsClass::network},  // the kernel's afs
    TypeRow{0x7461636F, FsClass::network},  // ocfs2
    TypeRow{0x01161970, FsClass::network},  // gfs2
    TypeRow{0x65735546, FsClass::network},  // fuse: sshfs, juicefs, virtiofs, ...
};

constexpr std::int64_t kGuessedAlign = 4096;

std::string absolute_text(std::string_view path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(std::string(path), failed);
  std::string text = (failed ? std::filesystem::path(std::string(path)) : absolute).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<FsClass> parse_class(std::string_view name) {
  for (const FsClass fs_class : {FsClass::local, FsClass::memory, FsClass::network, FsClass::other}) {
    if (to_string(fs_class) == name) return fs_class;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(FsClass fs_class) noexcept {
  switch (fs_class) {
    case FsClass::local:
      return "local";
    case FsClass::memory:
      return "memory";
    case FsClass::network:
      return "network";
    case FsClass::other:
      return "other";
  }
  return "other";
}

FsClass class_of_type(std::uint64_t f_type) noexcept {
  const auto low = static_cast<std::uint32_t>(f_type);
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return r.f_type == low; });
  return found == kTypes.end() ? FsClass::other : found->fs_class;
}

FsDefaults defaults_of(FsClass fs_class) noexcept {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  switch (fs_class) {
    case FsClass::local:
      return {kMiB, 32};
    case FsClass::memory:
      return {kMiB, 4};
    case FsClass::network:
      return {8 * kMiB, 8};
    case FsClass::other:
      return {kMiB, 16};
  }
  return {kMiB, 16};
}

std::int64_t offset_align(const FsFacts& facts) noexcept {
  return facts.offset_align > 0 ? facts.offset_align : kGuessedAlign;
}

std::int64_t memory_align(const FsFacts& facts) noexcept {
  return facts.memory_align > 0 ? facts.memory_align : kGuessedAlign;
}

Result<FsGate> FsGate::parse(std::string_view fs_class) {
  FsGate gate;
  while (!fs_class.empty()) {
    const std::size_t comma = std::min(fs_class.find(','), fs_class.size());
    const std::string_view entry = fs_class.substr(0, comma);
    fs_class.remove_prefix(std::min(comma + 1, fs_class.size()));
    const std::size_t equals = entry.rfind('=');
    const auto label = equals == std::string_view::npos ? std::nullopt : parse_class(entry.substr(equals + 1));
    if (!label || equals == 0) {
      Fault fault =
          make_fault(Code::bad_argument, "io.fs_class", "", fmt::format("'{}' is not PREFIX=CLASS", escape(entry)),
                     "Set " + named(Option::io_fs_class) + " with classes of local, memory, network, other");
      fault.item = "io.fs_class";
      return fault;
    }
    gate.labels_.emplace_back(absolute_text(entry.substr(0, equals)), *label);
  }
  return gate;
}

FsGate FsGate::always(const FsFacts& facts) {
  FsGate gate;
  gate.always_ = facts;
  return gate;
}

std::optional<FsClass> FsGate::relabelled(std::string_view path) const {
  if (labels_.empty()) return std::nullopt;
  const std::string text = absolute_text(path);
  std::size_t longest = 0;
  std::optional<FsClass> label;
  for (const auto& [prefix, fs_class] : labels_) {
    if (!is_below(text, prefix) || prefix.size() < longest) continue;
    longest = prefix.size();
    label = fs_class;
  }
  return label;
}

FsFacts FsGate::facts_of(int fd, std::string_view path) const {
  if (always_) return *always_;
  FsFacts facts;
  struct statfs system = {};
  if (::fstatfs(fd, &system) == 0) facts.fs_class = class_of_type(static_cast<std::uint64_t>(system.f_type));
  facts.fs_class = relabelled(path).value_or(facts.fs_class);
  struct statx status = {};
  if (::syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0) {
    facts.device = makedev(status.stx_dev_major, status.stx_dev_minor);
    if ((status.stx_mask & STATX_DIOALIGN) != 0) {
      facts.dio_known = true;
      facts.offset_align = status.stx_dio_offset_align;
      facts.memory_align = status.stx_dio_mem_align;
    }
  }
  return facts;
}

}  // namespace loadstone::io
