#include "mpi/call_recorder.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>

namespace loadstone::test {
namespace {

constexpr int kJudge = 0;

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// To the standard error, and to a file if one is named: a launcher that ends a job may drop what its ranks said last.
void say(const std::string& line) {
  const std::string whole = "call order: " + line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
  const char* const path = std::getenv("CALL_ORDER_SAYS");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "ae");
  if (file == nullptr) return;
  std::fwrite(whole.data(), 1, whole.size(), file);
  std::fclose(file);
}

void end_job(const std::string& why) {
  say(why);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

std::size_t calls_in(const RankLogs& logs) {
  return std::accumulate(logs.begin(), logs.end(), std::size_t{0},
                         [](std::size_t sum, const CallLog& log) { return sum + log.calls.size(); });
}

std::vector<RankLogs> split_by_rank(const std::string& all, const std::vector<int>& lengths) {
  std::vector<RankLogs> by_rank;
  std::string_view rest = all;
  for (const int length : lengths) {
    by_rank.push_back(from_text(rest.substr(0, static_cast<std::size_t>(length))));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  return by_rank;
}

}  // namespace

CallRecorder& CallRecorder::instance() {
  static CallRecorder& recorder = *std::make_unique<CallRecorder>().release();
  return recorder;
}

void CallRecorder::begin() {
  PMPI_Comm_dup(MPI_COMM_WORLD, &own_);  // calls on the world may still be under way when the logs are compared
  made(MPI_COMM_WORLD, "world");
}

std::string CallRecorder::note(MPI_Comm comm, const std::string& call) {
  if (size_of(comm) == 1) return {};
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(comm);
  if (found == known_.end()) {
    end_job("rank " + std::to_string(world_rank()) + " called " + call + " on a communicator that was made unseen");
    return {};
  }
  CallLog& log = *found->second;
  log.calls.push_back(call);
  return log.communicator + "." + std::to_string(log.calls.size() - 1);
}

void CallRecorder::made(MPI_Comm comm, const std::string& name) {
  if (comm == MPI_COMM_NULL || size_of(comm) == 1) return;
  const std::lock_guard lock(mutex_);
  known_[comm] = &logs_.emplace_back(CallLog{name, {}});
}

void CallRecorder::will_make(MPI_Request request, const MPI_Comm* comm, const std::string& name) {
  const std::lock_guard lock(mutex_);
  promised_[request] = {comm, name};
}

void CallRecorder::done(MPI_Request request) {
  Promise promise;
  {
    const std::lock_guard lock(mutex_);
    const auto found = promised_.find(request);
    if (found == promised_.end()) return;
    promise = found->second;
    promised_.erase(found);
  }
  made(*promise.comm, promise.name);
}

void CallRecorder::freed(MPI_Comm comm) {
  const std::lock_guard lock(mutex_);
  known_.erase(comm);
}

/// The texts of all ranks behind each other, on `root`.
std::string CallRecorder::gathered(int root, std::vector<int>& lengths) {
  const std::string mine = to_text(RankLogs(logs_.begin(), logs_.end()));
  const int length = static_cast<int>(mine.size());
  lengths.resize(static_cast<std::size_t>(size_of(own_)));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, root, own_);
  std::vector<int> starts(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, root, own_);
  return all;
}

void CallRecorder::judge(const std::vector<RankLogs>& by_rank) const {
  const std::string difference = first_difference(by_rank);
  if (!difference.empty()) {
    end_job(difference);
    return;
  }
  const RankLogs& mine = by_rank.front();
  say(std::to_string(calls_in(mine)) + " collective calls on " + std::to_string(mine.size()) +
      " communicators, the same on " + std::to_string(by_rank.size()) + " ranks");
}

void CallRecorder::compare() {
  std::vector<int> lengths;
  const std::string all = gathered(kJudge, lengths);
  if (world_rank() == kJudge) judge(split_by_rank(all, lengths));
  PMPI_Barrier(own_);  // nobody leaves before the judgement
}

}  // namespace loadstone::test
