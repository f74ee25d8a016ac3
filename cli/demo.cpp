// loadstone demo: the walk of the data, once, in a temporary directory that is gone afterwards.
#include "cli/commands.hpp"
#include "cli/picture.hpp"
#include "cli/ranks.hpp"
#include "core/status.hpp"

#include <loadstone/load.hpp>

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <system_error>
#include <utility>

namespace loadstone::cli {
namespace {

constexpr int kRanks = 4;
constexpr int kPictureWidth = 76;
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kOverlapIndent = 35;
constexpr std::size_t kTextIndent = 10;
constexpr const char* kShownAs = "demo";

/// A new directory in TMPDIR, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* parent = std::getenv("TMPDIR");
    path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/loadstone-demo-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw_if_failed(cannot_make());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] Status cannot_make() const {
    Fault fault;
    fault.code = Code::io;
    fault.kind = "demo.directory";
    fault.message = "no temporary directory could be made here";
    fault.remedy = "Set TMPDIR to a directory that can be written.";
    fault.path = path_;
    fault.system_errno = errno;
    return fault;
  }
  std::string path_;
};

/// Every place of `from` in `text` becomes `to`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Lines of more than kLineWidth characters, of ASCII alone, go on in the next line: overlaps under overlaps, sentences
/// under what they say.
std::string wrapped(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > kLineWidth) {
      const bool overlaps = line.find("] -> [") != std::string::npos;
      const std::string indent(overlaps ? kOverlapIndent : kTextIndent, ' ');
      const std::size_t end = line.rfind(overlaps ? ", " : " ", kLineWidth - 2);
      if (end == std::string::npos || end <= indent.size()) break;
      out += line.substr(0, end + (overlaps ? 1 : 0)) + "\n";
      line.replace(0, end + (overlaps ? 2 : 1), indent);
    }
    out += line + "\n";
  }
  return out;
}

/// Runs commands as a user would type them and collects what they print.
class Script {
 public:
  Script(const Arguments& arguments, const Context& context, std::string folder)
      : json_(arguments.json), quiet_(arguments.quiet), stop_(context.stop), folder_(std::move(folder)) {}

  void run(std::initializer_list<const char*> words) {
    std::vector<std::string> typed(words.begin(), words.end());
    report_.text += "$ loadstone";
    for (std::string& word : typed) {
      report_.text += " " + word;
      if (word == kShownAs) word = folder_;
    }
    Parsed parsed = parse(typed);
    if (parsed.failure) throw Error(*parsed.failure);
    parsed.arguments.json = json_;
    parsed.arguments.quiet = quiet_;
    add(carry_out(parsed.arguments));
  }
  void say(const std::string& text) { report_.text += text; }
  Report take() { return std::move(report_); }

 private:
  Report carry_out(const Arguments& arguments) const {
    const CommandEntry& entry = *find_command(arguments.command);
    return on_ranks(arguments, self_communicator(), entry.crew, stop_,
                    [&](const Context& context) { return entry.run(arguments, context); });
  }
  void add(Report report) {
    report_.text += "\n" + wrapped(replaced(std::move(report.text), folder_, kShownAs)) + "\n";
    for (auto& part : report.parts) report_.parts.push_back(std::move(part));
  }

  bool json_;
  bool quiet_;
  std::stop_token stop_;
  std::string folder_;
  Report report_;
};

std::string digest_of(const std::string& folder, int ranks, std::int64_t split, const std::stop_token& stop) {
  LoadOptions options;
  options.split = split;
  options.budget_bytes = std::int64_t{2} << 20;
  options.stop = stop;
  std::string digest;
  run_threads(ranks, [&](const std::shared_ptr<Communicator>& comm) {
    const std::string mine = load(Paths{folder}, options, comm).digest();
    if (comm->rank() == 0) digest = mine;
  });
  return digest;
}

std::string comparison(const std::string& folder, const std::stop_token& stop) {
  const std::string alone = digest_of(folder, 1, 0, stop);
  const std::string rows = digest_of(folder, kRanks, 0, stop);
  const std::string columns = digest_of(folder, 3, 1, stop);
  if (rows != alone || columns != alone) {
    Fault fault;
    fault.kind = "demo.digest";
    fault.message =
        fmt::format("digests differ: {} on 1 rank, {} on {}, {} along axis 1", alone, rows, kRanks, columns);
    fault.remedy = "This is a bug of loadstone; please report it.";
    throw_if_failed(fault);
  }
  return fmt::format("digest {}\n  on 1 rank, on {} ranks along axis 0, on 3 ranks along axis 1: equal\n\n", alone,
                     kRanks);
}

std::string picture_of(const std::string& folder) {
  const Dataset dataset = open({folder});
  std::vector<std::int64_t> cuts;
  for (const RankPlan& rank : make_plan(dataset, {}, kRanks).ranks) cuts.push_back(rank.box.front().begin);
  cuts.push_back(dataset.rows());
  return fmt::format("rows, to scale: shards on disk over the tiles of {} ranks\n  shards {}\n  tiles  {}\n\n", kRanks,
                     ruler(dataset.row_index, "", kPictureWidth), ruler(cuts, "rank ", kPictureWidth));
}

}  // namespace

Report run_demo(const Arguments& arguments, const Context& context) {
  if (!context.speaks()) return {};
  const TemporaryFolder folder;
  Script script(arguments, context, folder.path());
  script.run({"write", kShownAs, "--shape", "49152,128", "--shards", "6"});
  script.run({"inspect", kShownAs});
  script.say(picture_of(folder.path()));
  script.run({"plan", kShownAs, "--ranks", "4", "--budget", "2MiB"});
  script.run({"load", kShownAs, "--ranks", "4", "--budget", "2MiB", "--verify", "crc", "--digest"});
  script.say(comparison(folder.path(), context.stop));
  script.run({"verify", kShownAs});
  script.run({"clean", kShownAs, "--yes"});
  Report report = script.take();
  if (arguments.json) report.text.clear();
  return report;
}

}  // namespace loadstone::cli
