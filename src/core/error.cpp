#include <fmt/format.h>
#include <loadstone/error.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/status.hpp"
#include "core/text.hpp"

namespace loadstone {
namespace {

constexpr std::array<std::string_view, 23> kCodeNames = {
    "not_found",   "not_regular",   "outside_root", "malformed", "truncated",    "too_large", "checksum", "refused",
    "unsupported", "no_data",       "mismatch",     "lossy",     "bad_argument", "io",        "changed",  "no_space",
    "budget",      "out_of_memory", "cancelled",    "deadline",  "comm",         "released",  "internal"};

constexpr int kFaultsOfAKind = 20;

/// With a full stop, unless the sentence ends by itself.
void close(std::string& text) {
  if (!text.empty() && std::string_view(".?!").find(text.back()) == std::string_view::npos) text += '.';
}

std::string sentence(const Fault& fault, Audience audience) {
  std::string text;
  if (!fault.path.empty()) text += escape_path(fault.path) + ": ";
  text += fault.message;
  close(text);
  if (!fault.remedy.empty()) {
    text += ' ' + fault.remedy.text(audience);
    close(text);
  }
  return text;
}

std::string bracket(const Failure& failure) {
  std::string text = fmt::format("[{}", to_string(failure.code()));
  if (failure.rank >= 0) text += fmt::format("; rank {}", failure.rank);
  if (!failure.phase.empty()) text += "; " + failure.phase;
  if (failure.round >= 0) text += fmt::format(" round {}", failure.round);
  return text + ']';
}

std::string list_of_faults(const Failure& failure, Audience audience) {
  std::string text = fmt::format("{} faults:", failure.total_faults);
  std::map<std::string, int> shown;
  for (const Fault& fault : failure.faults) {
    if (++shown[fault.kind] <= kFaultsOfAKind) text += "\n  " + sentence(fault, audience) + " [" + fault.kind + ']';
  }
  for (const auto& [kind, count] : shown) {
    if (count > kFaultsOfAKind) text += fmt::format("\n  +{} more of {}", count - kFaultsOfAKind, kind);
  }
  return text + "\n";
}

}  // namespace

std::string_view to_string(Code code) noexcept { return kCodeNames[static_cast<std::size_t>(code)]; }

std::optional<Code> parse_code(std::string_view text) noexcept {
  const auto* const found = std::find(kCodeNames.begin(), kCodeNames.end(), text);
  if (found == kCodeNames.end()) return std::nullopt;
  return static_cast<Code>(found - kCodeNames.begin());
}

std::string describe(const Failure& failure, Audience audience) {
  std::string text =
      failure.total_faults > 1 ? list_of_faults(failure, audience) : sentence(failure.first(), audience) + ' ';
  text += bracket(failure);
  for (const std::string& note : failure.notes) text += "\n  also: " + note;
  return text;
}

Failure failure_of(Fault fault) {
  std::vector<Fault> faults;
  faults.push_back(std::move(fault));
  return failure_of(std::move(faults));
}

Failure failure_of(std::vector<Fault> faults) {
  Failure failure;
  failure.total_faults = static_cast<std::int64_t>(faults.size());
  failure.faults = std::move(faults);
  return failure;
}

struct Error::State {
  Failure failure;
  std::string text;
  std::unique_ptr<Failure> local;
};

Error::Error(Failure failure) : state_(std::make_shared<State>()) {
  if (failure.faults.empty()) failure.faults.push_back({.kind = "internal", .message = "a failure without a fault"});
  failure.total_faults = std::max(failure.total_faults, static_cast<std::int64_t>(failure.faults.size()));
  state_->text = describe(failure);
  state_->failure = std::move(failure);
}

Error::Error(Fault fault) : Error(failure_of(std::move(fault))) {}

const char* Error::what() const noexcept { return state_->text.c_str(); }
Code Error::code() const noexcept { return state_->failure.code(); }
const Failure& Error::failure() const noexcept { return state_->failure; }
const std::vector<Fault>& Error::faults() const noexcept { return state_->failure.faults; }
const Failure* Error::local() const noexcept { return state_->local.get(); }
void Error::set_local(Failure failure) { state_->local = std::make_unique<Failure>(std::move(failure)); }

Status::Status(Fault fault) : Status(failure_of(std::move(fault))) {}

Status Status::clone() const { return ok() ? Status() : Status(*failure_); }

void throw_if_failed(Status status) {
  if (!status.ok()) throw Error(std::move(status).take());
}

}  // namespace loadstone
