// A run without an engine around it: its parts are the test's, and so is what the file system is said to ask for.
#pragma once

#include "core/ledger.hpp"
#include "io/run.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

namespace loadstone::test {

struct RunBench {
  io::EngineSettings settings;
  io::FsGate gate = io::FsGate::parse("").value();
  io::ResidencyQuestions questions;
  Interrupt interrupt;
  std::int64_t descriptors = 8;
  int threads = 1;
  io::Opener opener;
  Ledger ledger{std::int64_t{256} << 20};
  io::Counters counters;

  Status carry_out(std::span<const io::InputFile> files, io::ReadSource& source, io::Backend& backend) {
    const std::string name = "test";
    io::WayChooser chooser(io::WayRules::from(settings), counters, questions);
    io::Copiers copiers(ledger, threads);
    io::Prefaulter prefaulter;
    io::WayTrial copy_trial(io::Way::buffered, io::Way::mapped, 4, 1, io::Judged::by_best);
    std::unordered_map<std::uint64_t, io::WayTrial> network_trials;
    io::SlabShelf shelf(ledger, nullptr);
    io::InFlightMemory memory;
    io::Run run({settings, opener, ledger, shelf, backend, name, gate, chooser, copiers, prefaulter, copy_trial,
                 network_trials, memory, counters, descriptors},
                files, source, interrupt);
    return run.carry_out();
  }
};

}  // namespace loadstone::test
