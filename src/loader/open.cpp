// open: the first step of the walk as a call of its own.
#include "loader/discover.hpp"
#include "loader/session.hpp"

#include <loadstone/load.hpp>

namespace loadstone {
namespace {

loader::SessionOptions asked_by(const OpenOptions& options) {
  loader::SessionOptions asked;
  asked.roots = options.roots;
  asked.strict = options.strict;
  asked.deadline_s = options.deadline_s;
  return asked;
}

}  // namespace

Dataset open(const Paths& paths, const OpenOptions& options, const CommPtr& comm) {
  loader::Session session(comm, patiently([&] { return asked_by(options); }));
  const OpenOptions open = patiently([&] { return session.with_roots(options); });
  Result<Dataset> dataset = loader::discover(paths, open, std::nullopt, session.agreement());
  if (!dataset.ok()) session.fail(std::move(dataset).status());
  return std::move(dataset).value();
}

}  // namespace loadstone
