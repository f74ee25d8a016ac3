#include "loader/paths.hpp"

#include "core/text.hpp"
#include "formats/manifest.hpp"
#include "loader/absent.hpp"
#include "loader/extensions.hpp"
#include "loader/folder.hpp"
#include "loader/glob.hpp"
#include "loader/lists.hpp"
#include "loader/names.hpp"
#include "loader/near.hpp"
#include "loader/report.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

namespace loadstone::loader {
namespace {

/// A typed text, looked up.
struct Typed {
  enum class What : std::uint8_t { file, directory, manifest, glob, nothing };
  std::string text;
  What what = What::nothing;
  int error = 0;
};

/// "sim_*.h5:/u": the text matches nothing, its part before a colon does.
bool is_object_of_glob(const std::string& text) {
  return text.find(':') != std::string::npos && expand_glob(text).names.empty() && !container_of(text).empty();
}

Typed look_up(std::string text) {
  struct stat status = {};
  Typed typed{std::move(text), Typed::What::nothing, 0};
  if (typed.text.find('\0') != std::string::npos) {
    typed.error = ENOENT;
  } else if (::stat(typed.text.c_str(), &status) == 0) {
    const bool manifest = S_ISREG(status.st_mode) && extension_of(typed.text) == ".json";
    typed.what = S_ISDIR(status.st_mode) ? Typed::What::directory
                 : manifest              ? Typed::What::manifest
                                         : Typed::What::file;
  } else {
    typed.error = errno;
    const bool glob = is_glob(typed.text) && (typed.error == ENOENT || typed.error == ENOTDIR);
    if (glob && !is_object_of_glob(typed.text)) typed.what = Typed::What::glob;
  }
  return typed;
}

/// Lines of a list of names; empty ones and those that start with # are left out.
std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty() && line.front() != '#') lines.push_back(std::move(line));
  }
  return lines;
}

/// Special files such as those of /proc have 0 bytes, so they are not told from an empty list.
Fault empty_list(const std::string& file) {
  Fault fault = make_fault("argument", "no path can be read from this list: it is empty, or not a file that holds text",
                           "Write one path on each line.");
  fault.path = file;
  fault.item = "paths";
  return fault;
}

/// Replaces "@names.txt" and "@-" by their lines. A file whose name starts with @ is itself.
std::vector<std::string> with_lists(const Paths& paths, const ExpandContext& context, std::istream& standard_input,
                                    std::vector<Fault>& faults) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    if (!path.starts_with('@') || look_up(path).what != Typed::What::nothing) {
      texts.push_back(path);
      continue;
    }
    if (path == "@-") {
      std::ranges::move(lines_of(standard_input), std::back_inserter(texts));
      continue;
    }
    const std::string file = path.substr(1);
    const Typed typed = look_up(file);
    if (typed.error != 0) {
      faults.push_back(cannot_reach(file, typed.error));
      continue;
    }
    Result<std::vector<std::byte>> bytes =
        io::read_whole(context.opener, {"", file}, context.limits.max_manifest_bytes);
    if (!bytes.ok()) {
      add_faults(faults, std::move(bytes).status().take().faults, file);
      continue;
    }
    std::istringstream text(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty()) faults.push_back(empty_list(file));
    std::ranges::move(lines, std::back_inserter(texts));
  }
  return texts;
}

Found one(const Typed& typed, const ExpandContext& context) {
  switch (typed.what) {
    case Typed::What::directory:
      return from_directory(typed.text, context);
    case Typed::What::manifest:
      return context.renew_manifest ? from_directory(directory_of(typed.text), context)
                                    : from_manifest(typed.text, context);
    case Typed::What::glob:
      return from_glob(typed.text, context);
    case Typed::What::file:
      return from_list({typed.text}, context);
    case Typed::What::nothing:
      break;
  }
  Found found;
  found.faults.push_back(cannot_reach(typed.text, typed.error));
  return found;
}

Fault no_paths() {
  Fault fault = make_fault("argument", "no path was given", "Give a directory, a glob, files, or a manifest.");
  fault.item = "paths";
  return fault;
}

/// Several texts: files that were listed keep their own rules; other forms are put one behind the other.
Found several(const std::vector<Typed>& typed, const ExpandContext& context) {
  const auto plain = [](const Typed& t) { return t.what == Typed::What::file || t.what == Typed::What::nothing; };
  Found found;
  if (std::ranges::all_of(typed, plain)) {
    std::vector<std::string> files;
    std::vector<Fault> faults;
    for (const Typed& t : typed) {
      if (t.what == Typed::What::file) files.push_back(t.text);
      if (t.what == Typed::What::nothing) faults.push_back(cannot_reach(t.text, t.error));
    }
    found = from_list(files, context);
    std::ranges::move(faults, std::back_inserter(found.faults));
    return found;
  }
  for (const Typed& t : typed) append(found, one(t, context));
  drop_duplicates(found);
  return found;
}

}  // namespace

Found expand(const Paths& paths, const ExpandContext& context, std::istream& standard_input) {
  std::vector<Fault> faults;
  std::vector<Typed> typed;
  for (std::string& text : with_lists(paths, context, standard_input, faults))
    typed.push_back(look_up(std::move(text)));
  if (typed.empty() && faults.empty()) faults.push_back(no_paths());
  Found found = typed.empty() ? Found{} : typed.size() == 1 ? one(typed.front(), context) : several(typed, context);
  std::ranges::move(faults, std::back_inserter(found.faults));
  share_files(found);
  if (context.options.expect_shards) found.counts.push_back({*context.options.expect_shards, "argument"});
  if (static_cast<std::int64_t>(found.shards()) > context.limits.max_shards) {
    found.faults.push_back(
        make_fault("paths.too_many",
                   fmt::format("{} are more than {}", counted(static_cast<std::int64_t>(found.shards()), "shard"),
                               grouped(context.limits.max_shards)),
                   "Load them in parts, or write fewer, larger shards."));
    found.files.clear();
    found.file_of_shards.clear();
    found.stated.clear();
  }
  return found;
}

}  // namespace loadstone::loader
