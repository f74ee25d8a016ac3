// What is behind loadstone::Context.
#pragma once

#include "io/slabs.hpp"

#include <loadstone/context.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace loadstone {

struct Context::State {
  std::optional<std::int64_t> budget_bytes;
  std::shared_ptr<io::SlabStore> slabs = std::make_shared<io::SlabStore>();
  std::mutex mutex;
  std::int64_t promised_bytes = 0;  ///< budgets of the loads under way
};

namespace loader {

/// A load's part of its context's budget, while it lives. Move-only.
class Share {
 public:
  Share() = default;
  /// @param wanted  the load's own budget; empty: all that is free
  /// Error{budget} if it is not free. Without a budget of the context, whatever is wanted.
  static Result<Share> take(std::shared_ptr<Context::State> context, std::optional<std::int64_t> wanted);
  Share(Share&& other) noexcept;
  Share& operator=(Share&& other) noexcept;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { release(); }

  /// Of this load; empty if the context does not say.
  [[nodiscard]] std::optional<std::int64_t> budget_bytes() const noexcept;
  /// Gives back what lies beyond this.
  void shrink_to(std::int64_t bytes) noexcept;

 private:
  void release() noexcept;
  std::shared_ptr<Context::State> context_;
  std::int64_t bytes_ = 0;
};

}  // namespace loader
}  // namespace loadstone
