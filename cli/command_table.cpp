#include "cli/commands.hpp"

namespace loadstone::cli {
namespace {

const CommandEntry kTable[] = {
    {"inspect", kInspect, "PATH..", true, Crew::world, run_inspect, "what a dataset is: shards, shape, type, proof"},
    {"plan", kPlan, "PATH..", true, Crew::world, run_plan, "which rank would read which bytes; reads headers only"},
    {"load", kLoad, "PATH..", true, Crew::threads, run_load, "load into tiles, check, and say how it went"},
    {"verify", kVerify, "PATH..", true, Crew::world, run_verify, "compare every shard with the manifest, or write one"},
    {"write", kWrite, "DIR", false, Crew::world, run_write, "write a test dataset with its manifest"},
    {"clean", kClean, "DIR", false, Crew::world, run_clean, "remove what a manifest names, and nothing else"},
    {"demo", kDemo, "", false, Crew::world, run_demo, "write, inspect, plan, load and clean in a temporary directory"},
    {"formats", kFormats, "", false, Crew::alone, run_formats, "formats that can be read here"},
    {"probe", kProbe, "", false, Crew::alone, run_probe, "backends and communicators that work here; settings"},
};

}  // namespace

std::span<const CommandEntry> command_table() { return kTable; }

const CommandEntry* find_command(const std::string& name) {
  for (const CommandEntry& entry : kTable) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace loadstone::cli
