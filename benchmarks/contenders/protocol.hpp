// What a contender or a ceiling is to the harness: job as one line of JSON on stdin, `ready`, then at `go` the work,
// `done` with its own stage times and counts, `digest` on request, and `exit`. Before `go` no data file is opened,
// asked or mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct Job {
  std::string action;  ///< "load": all bytes in memory; "twice": and once more; "stream": batches, checksummed and
                       ///< dropped; "scan": headers only
  std::string form;    ///< "npy", or "raw" with a sidecar `shard_meta.json` in the folder
  std::string folder;
  std::vector<std::string> files;              ///< names in the folder, in order
  std::int64_t bytes = 0;                      ///< of the result
  std::int64_t row_bytes = 1;                  ///< of one row of the result
  std::int64_t cap_bytes = 0;                  ///< of a stream: all memory it may take
  bool present = false;                        ///< the destination's pages are there before `go`
  std::vector<std::int64_t> pieces;            ///< sizes of what gets a digest each; their sum is `bytes`
  std::map<std::string, std::string> options;  ///< settings of the contender

  [[nodiscard]] std::int64_t number(const std::string& option, std::int64_t otherwise) const;
  [[nodiscard]] std::string word(const std::string& option, const std::string& otherwise) const;
};

struct Report {
  std::map<std::string, double> stages;  ///< seconds
  std::map<std::string, std::int64_t> counts;
};

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;
  virtual void prepare(const Job& /*job*/) {}
  virtual Report run(const Job& job) = 0;
  /// JSON: what was made, after the clock. See digest_of_pieces, StreamDigest.
  virtual std::string digest(const Job& job) = 0;
};

/// Talks to the harness until `exit`; what is thrown is told as `failed` text.
int serve(Contender& contender);

/// Of memory that lies in parts, a piece each.
std::string digest_of_parts(const std::vector<std::span<const std::byte>>& parts);
/// Of memory that holds one piece after the other.
std::string digest_of_pieces(std::span<const std::byte> bytes, const std::vector<std::int64_t>& pieces);

/// One digest of all batches in order.
class StreamDigest {
 public:
  StreamDigest();
  void add(std::span<const std::byte> bytes);
  std::string take();  ///< JSON, once

 private:
  std::unique_ptr<void, void (*)(void*)> state_;
};

double seconds_now();

}  // namespace bench
