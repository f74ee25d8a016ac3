#include "comm/faults.hpp"
#include "comm/modules.hpp"

#include <loadstone/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace loadstone {
namespace comm {
namespace {

/// The stack of a library version text; none if it is neither.
Launcher stack_of(std::string_view library_version) {
  if (library_version.starts_with("Open MPI")) return Launcher::openmpi;
  return library_version.starts_with("MPICH") ? Launcher::mpich : Launcher::none;
}

/// First line, blanks squeezed: as modules tell their version.
std::string normalized(std::string_view text) {
  std::string squeezed;
  for (const char c : text.substr(0, text.find_first_of(std::string_view("\n\0", 2)))) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += blank ? ' ' : c;
  }
  while (!squeezed.empty() && squeezed.back() == ' ') squeezed.pop_back();
  return squeezed;
}

Failure other_stack(std::string_view library, Launcher launcher) {
  return comm_failure("comm.stack",
                      fmt::format("mpi4py uses {}, but the launcher of {} started this process as one of {} ranks",
                                  library, to_string(launcher), launched_ranks()),
                      "Import loadstone before mpi4py, or start the job with the launcher of mpi4py's MPI.");
}

/// Why a communicator of this library cannot be one of the job's; success if it can.
Status check_library(const std::string& library) {
  const Launcher stack = stack_of(library);
  const Launcher launcher = launcher_of_environment();
  if (stack == Launcher::none)
    return comm_failure("comm.stack", fmt::format("{} is neither Open MPI nor MPICH", library));
  if (launched_ranks() > 1 && launcher != stack) return other_stack(library, launcher);
  return {};
}

/// Errors that cross from a module are failures like others here.
Result<std::shared_ptr<Communicator>> wrap_with(const MpiModule& module, const void* handle, std::size_t nbytes) {
  try {
    return module.wrap(handle, nbytes);
  } catch (const Error& error) {
    return Failure(error.failure());
  }
}

Capability capability_of(Launcher stack) {
  Capability row{std::string(to_string(stack)), false, false, {}};
  row.built = !find_beside(fmt::format("loadstone_mpi_{}.so", row.name)).empty();
  if (!row.built) {
    row.reason = "not built";
    return row;
  }
  const auto module = load_mpi_module(stack);
  row.usable = module.ok();
  row.reason = module.ok() ? (*module)->library_version() : module.status().failure().first().message;
  return row;
}

}  // namespace

Result<std::shared_ptr<Communicator>> wrap_mpi4py(std::string_view library_version, const void* handle,
                                                  std::size_t handle_bytes) {
  const std::string library = normalized(library_version);
  if (Status status = check_library(library); !status.ok()) return status;
  Result<const MpiModule*> module = load_mpi_module(stack_of(library));
  if (!module.ok()) return std::move(module).status();
  const std::string own = normalized((*module)->library_version());
  if (own != library)
    return comm_failure("comm.stack", fmt::format("mpi4py uses {}, Loadstone's module {}", library, own),
                        "Use one MPI for both.");
  return wrap_with(**module, handle, handle_bytes);
}

void finalize_world() noexcept {
  const Launcher launcher = launcher_of_environment();
  if (launcher == Launcher::none || launched_ranks() < 2) return;
  try {
    const auto module = load_mpi_module(launcher);
    if (module.ok()) (*module)->finalize_if_ours();
    // NOLINTNEXTLINE(bugprone-empty-catch): then there is no module, and so nothing that it could have initialised
  } catch (const std::exception&) {
  }
}

}  // namespace comm

std::shared_ptr<Communicator> world_communicator() {
  const int ranks = comm::launched_ranks();
  if (ranks < 2) return self_communicator();
  const comm::Launcher launcher = comm::launcher_of_environment();
  const comm::MpiModule* const module = value_or_throw(comm::load_mpi_module(launcher));
  auto world = module->world();
  if (world->size() != ranks) {
    throw Error(
        comm::comm_failure("comm.stack",
                           fmt::format("the launcher of {} started {} ranks, but {} sees {}", comm::to_string(launcher),
                                       ranks, module->library_version(), world->size()),
                           "Use the launcher and the library of one MPI."));
  }
  return world;
}

std::vector<Capability> communicators() {
  return {{"self", true, true, "this process alone"},
          {"threads", true, true, "ranks as threads of one process"},
          comm::capability_of(comm::Launcher::openmpi),
          comm::capability_of(comm::Launcher::mpich)};
}

}  // namespace loadstone
