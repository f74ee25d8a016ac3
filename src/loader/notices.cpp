#include "loader/notices.hpp"

#include <mutex>
#include <set>

namespace loadstone::loader {
namespace {

/// True the first time in this process.
bool is_news(const std::string& reason) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::scoped_lock lock(mutex);
  return told.insert(reason).second;
}

}  // namespace

void announce(const std::map<std::string, std::int64_t>& fallbacks, const Log& log) {
  if (!log) return;
  for (const auto& [reason, times] : fallbacks) {
    if (times > 0 && is_news(reason)) log(reason);
  }
}

}  // namespace loadstone::loader
