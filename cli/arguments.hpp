// What was typed, as plain values: no type of the command-line parser leaves arguments.cpp.
#pragma once

#include <loadstone/error.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadstone::cli {

using Text = std::optional<std::string>;

/// Every flag of every command, as typed; flags.cpp says which command takes which. Meaning is given by options.hpp.
struct Arguments {
  std::string command;
  std::vector<std::string> paths;

  // common
  bool json = false;
  bool strict = false;
  bool quiet = false;
  bool verbose = false;
  Text budget, threads, format;
  std::vector<std::string> roots;

  // how a dataset is opened
  Text order, first_index, expect_shards, expect_rows, sidecar, dtype, trailing_shape, byteorder, header_bytes,
      max_header_bytes;
  std::vector<std::string> ignore;
  bool allow_tail = false;

  // layout and selection
  Text ranks, rank, split, tiles, rows_per_rank, overdecompose, rows, select, casting;

  // how bytes are fetched
  Text io_backend, io_direct, io_mapped, io_huge_pages, io_page_cache, io_landing, io_fs_class, io_request, io_depth,
      io_open_files, io_retries, identity, deadline;

  // load
  Text device, verify;
  bool digest = false;
  bool stats = false;
  bool file_stats = false;

  // verify
  bool write_manifest = false;
  bool require_manifest = false;
  bool structure_only = false;

  // write
  Text shape, shards, seed, fill;
  bool force = false;

  // clean, inspect, probe
  bool yes = false;
  bool list = false;
  bool settings = false;
};

/// What parsing gave: arguments to run, or a text to print (help, version), or what is wrong with the words.
struct Parsed {
  Arguments arguments;  ///< `command` and `json` are set as far as they could be read, whatever else is wrong
  Text print;           ///< goes to standard output
  int exit_code = 0;    ///< with `print`: 2 if nothing was asked for
  std::optional<Failure> failure;
};

/// @param words  without the program's name
Parsed parse(std::span<const std::string> words);

}  // namespace loadstone::cli
