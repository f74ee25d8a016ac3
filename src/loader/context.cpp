#include "loader/context_state.hpp"

#include <fmt/format.h>
#include <loadstone/context.hpp>

#include <algorithm>
#include <utility>

#include "core/option_words.hpp"
#include "core/text.hpp"

namespace loadstone {

Context::Context(std::optional<std::int64_t> budget_bytes) : state_(std::make_shared<State>()) {
  if (budget_bytes && *budget_bytes < 1) {
    throw Error(Fault{.code = Code::bad_argument,
                      .kind = "option",
                      .message = fmt::format("a context with a budget of {} bytes", *budget_bytes),
                      .remedy = "Give 1 byte or more, or none",
                      .item = "budget",
                      .got = *budget_bytes});
  }
  state_->budget_bytes = budget_bytes;
}

Context::~Context() = default;

std::optional<std::int64_t> Context::budget_bytes() const noexcept { return state_->budget_bytes; }
std::int64_t Context::idle_bytes() const { return state_->slabs->idle_bytes(); }
void Context::trim() { state_->slabs->take_all(); }

namespace loader {

Result<Share> Share::take(std::shared_ptr<Context::State> context, std::optional<std::int64_t> wanted) {
  Share share;
  if (context == nullptr || !context->budget_bytes) return share;
  {
    const std::scoped_lock lock(context->mutex);
    const std::int64_t free = *context->budget_bytes - context->promised_bytes;
    const std::int64_t bytes = wanted.value_or(free);
    if (bytes > free || bytes < 1) {
      const std::string wish = wanted ? "this load is given " + grouped(*wanted) : "a load without one takes the rest";
      return Fault{
          .code = Code::budget,
          .kind = "budget.context",
          .message = fmt::format("the context has {} free of its budget of {}; {}", counted(free, "byte"),
                                 grouped(*context->budget_bytes), wish),
          .remedy = fmt::format("Give the loads and streams in it {} that fits, each its own, or the context a larger "
                                "budget, or wait for those under way",
                                named(Option::budget)),
          .item = "budget",
          .wanted = bytes,
          .got = free};
    }
    context->promised_bytes += bytes;
    share.bytes_ = bytes;
  }
  share.context_ = std::move(context);
  return share;
}

Share::Share(Share&& other) noexcept : context_(std::move(other.context_)), bytes_(std::exchange(other.bytes_, 0)) {}

Share& Share::operator=(Share&& other) noexcept {
  if (this == &other) return *this;
  release();
  context_ = std::move(other.context_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

std::optional<std::int64_t> Share::budget_bytes() const noexcept {
  return context_ == nullptr ? std::nullopt : std::optional(bytes_);
}

void Share::shrink_to(std::int64_t bytes) noexcept {
  if (context_ == nullptr || bytes >= bytes_) return;
  const std::scoped_lock lock(context_->mutex);
  context_->promised_bytes -= std::exchange(bytes_, bytes) - bytes;
}

void Share::release() noexcept {
  if (context_ == nullptr) return;
  shrink_to(0);
  context_.reset();
}

}  // namespace loader
}  // namespace loadstone
