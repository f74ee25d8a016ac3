#include "comm/modules.hpp"

#include "comm/faults.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <system_error>

namespace loadstone::comm {
namespace {

namespace fs = std::filesystem;

/// The file that holds this code: the shared library, else the program.
fs::path own_file() {
  std::error_code ignored;
  Dl_info info{};
  void* extra = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&module_folders);
  if (dladdr1(here, &info, &extra, RTLD_DL_LINKMAP) != 0 && extra != nullptr) {
    const auto* const map = static_cast<const link_map*>(extra);
    if (map->l_name != nullptr && *map->l_name != '\0') return fs::canonical(map->l_name, ignored);
  }
  return fs::read_symlink("/proc/self/exe", ignored);
}

std::string module_file(Launcher stack) { return fmt::format("loadstone_mpi_{}.so", to_string(stack)); }

std::string name_of(Launcher stack) { return stack == Launcher::openmpi ? "Open MPI" : "MPICH"; }

Failure no_module(Launcher stack) {
  const Launcher other = stack == Launcher::openmpi ? Launcher::mpich : Launcher::openmpi;
  const bool has_other = !find_beside(module_file(other)).empty();
  return comm_failure(
      "comm.module",
      fmt::format("there is no module for {} here ({}); {}", name_of(stack), module_file(stack),
                  has_other ? "there is one for " + name_of(other) : "nor one for " + name_of(other)),
      has_other ? fmt::format("Use {}'s launcher, or install Loadstone built with {}.", name_of(other), name_of(stack))
                : fmt::format("Install Loadstone built with {}.", name_of(stack)));
}

const char* last_dl_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

Failure bad_module(const fs::path& path, std::string_view why) {
  Failure failure = comm_failure("comm.module", fmt::format("the module cannot be loaded: {}", why),
                                 "Install the MPI that it was built with, or Loadstone anew.");
  failure.faults.front().path = path.string();
  return failure;
}

}  // namespace

std::vector<fs::path> module_folders() {
  const fs::path beside = own_file().parent_path();
  std::vector<fs::path> folders;
  for (const char* way :
       {".", "loadstone", "../loadstone", "../lib/loadstone", "../../lib/loadstone", "../../../loadstone"})
    folders.push_back(beside / way);
  return folders;
}

fs::path find_beside(std::string_view file) {
  for (const fs::path& folder : module_folders()) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / file, ignored)) return folder / file;
  }
  return {};
}

Result<const MpiModule*> load_mpi_module(Launcher stack) {
  const fs::path path = find_beside(module_file(stack));
  if (path.empty()) return no_module(stack);
  // Kept loaded: its code runs at exit, and in objects that it made.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return bad_module(path, last_dl_error());
  using Entry = const MpiModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "loadstone_mpi_module"));
  if (entry == nullptr) return bad_module(path, last_dl_error());
  const MpiModule* const module = entry();
  if (std::string_view(module->abi) != kMpiModuleAbi) return bad_module(path, "it is of another version of Loadstone");
  if (to_string(stack) != module->stack) return bad_module(path, "it is of another MPI than its name says");
  return module;
}

}  // namespace loadstone::comm
