// What the patterns have in common: headers first, then pieces of the result handed to threads, whole or in batches.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "memory.hpp"
#include "ranges.hpp"

namespace bench {

/// How a pattern brings one piece to its place. Called by several threads at once; `scratch` is the thread's own.
using Fetch = std::function<void(const Layout& layout, const Range& piece, std::byte* destination, Memory& scratch)>;

class Pattern : public Contender {
 public:
  Pattern(std::int64_t block_bytes, std::int64_t threads, Fetch fetch);
  void prepare(const Job& job) override;
  Report run(const Job& job) override;
  std::string digest(const Job& job) override;

 private:
  void fill(const Layout& layout, const Job& job, std::int64_t begin, std::span<std::byte> into) const;
  void stream(const Layout& layout, const Job& job);

  std::int64_t block_bytes_;
  std::int64_t threads_;
  Fetch fetch_;
  Memory result_;
  StreamDigest streamed_;
};

}  // namespace bench
