// open: the first step of the walk as a call of its own.
#include "loader/discover.hpp"
#include "loader/session.hpp"

#include <loadstone/load.hpp>

namespace loadstone {

Dataset open(const Paths& paths, const OpenOptions& options, const CommPtr& comm) {
  loader::SessionOptions asked;
  asked.roots = options.roots;
  asked.strict = options.strict;
  asked.deadline_s = options.deadline_s;
  loader::Session session(comm, asked);
  Result<Dataset> dataset = loader::discover(paths, session.with_roots(options), std::nullopt, session.agreement());
  if (!dataset.ok()) session.fail(std::move(dataset).status());
  return std::move(dataset).value();
}

}  // namespace loadstone
