#include "loader/discover.hpp"

#include "core/guarded.hpp"
#include "core/text.hpp"
#include "loader/listing.hpp"
#include "loader/option_checks.hpp"
#include "loader/paths.hpp"
#include "loader/report.hpp"
#include "loader/scan.hpp"
#include "loader/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace loadstone::loader {
namespace {

constexpr std::string_view kPhase = "discover";

std::string text_of(const std::optional<std::int64_t>& number) { return number ? fmt::format("{}", *number) : "-"; }

/// What changes the dataset: compared over ranks.
std::string options_text(const OpenOptions& options, const std::optional<DType>& cast) {
  const auto first = options.any_first_index ? "any" : text_of(options.first_index);
  const auto trailing = options.trailing_shape ? shape_text(*options.trailing_shape) : "-";
  std::string text = fmt::format(
      "format {}, order {}, first index {}, ignore {}, roots {}, expect shards {}, expect rows {}, strict {}, "
      "max header bytes {}",
      options.format, static_cast<int>(options.order), first, joined(options.ignore), joined(options.roots),
      text_of(options.expect_shards), text_of(options.expect_rows), options.strict, options.max_header_bytes);
  text += fmt::format(
      ", sidecar {}, raw dtype {}, trailing shape {}, byteorder {}, header bytes {}, allow tail {}, cast {}",
      options.sidecar, options.raw_dtype, trailing, options.byteorder, text_of(options.header_bytes),
      options.allow_tail, cast ? cast->str() : "-");
  return text;
}

Limits limits_of(const OpenOptions& options) {
  Limits limits;
  limits.max_npy_header_bytes = options.max_header_bytes;
  return limits;
}

Fault garbled() {
  Fault fault;
  fault.kind = "internal";
  fault.message = "what another rank sent cannot be read";
  fault.remedy = "Start all ranks with the same version of Loadstone.";
  return fault;
}

/// One call on one rank.
class Discovery {
 public:
  Discovery(const OpenOptions& options, const std::optional<DType>& cast, comm::Agreement& agreement, const View* view)
      : given_(options), cast_(cast ? cast : options.cast), agreement_(agreement), view_(view) {}

  Result<Survey> run(const Paths& paths, Manifests manifests) {
    if (Status same = compare_arguments(paths); !same.ok()) return same;
    if (Status status = find(paths, manifests); !status.ok()) return status;
    if (Status status = compare_listing(paths, manifests); !status.ok()) return status;
    if (Status status = scan_share(); !status.ok()) return status;
    if (Status status = gather(); !status.ok()) return status;
    Survey survey;
    Status status = guarded([&]() -> Status {
      survey = assemble(std::move(found_), std::move(scanned_), options_, cast_, manifests);
      return {};
    });
    if (Status agreed = agreement_.verdict(kPhase, std::move(status)); !agreed.ok()) return agreed;
    return survey;
  }

 private:
  /// The first step: memory that it lacks is told with it.
  Status compare_arguments(const Paths& paths) {
    std::string paths_text;
    std::string text;
    Status ready = guarded([&] {
      options_ = given_;
      options_.cast = cast_;
      opener_.emplace(options_.roots);
      paths_text = joined(paths, "\n");
      text = options_text(options_, cast_);
      return check_options(options_);
    });
    if (Status same = agreement_.same_everywhere("the paths", paths_text, kPhase, std::move(ready)); !same.ok()) {
      return same;
    }
    return agreement_.same_everywhere("the options", text, kPhase);
  }

  /// Rank 0 looks, all get what it found. A rank that cannot read it says so at the next verdict.
  Status find(const Paths& paths, Manifests manifests) {
    std::vector<std::byte> bytes;
    Status mine;
    if (agreement_.rank() == 0) {
      mine = guarded([&]() -> Status {
        found_ = expand(paths, context_of(manifests), std::cin);
        if (agreement_.size() > 1) bytes = encode(found_);
        return {};
      });
    }
    if (Status agreed = agreement_.verdict(kPhase, std::move(mine)); !agreed.ok()) return agreed;
    if (agreement_.size() == 1) return {};
    if (Status sent = agreement_.broadcast(bytes, 0, kPhase); !sent.ok()) return sent;
    if (agreement_.rank() == 0) return {};
    decoded_ = guarded([&]() -> Status {
      std::optional<Found> found = decode_found(bytes);
      if (!found) return garbled();
      found_ = std::move(*found);
      return {};
    });
    return {};
  }

  [[nodiscard]] ExpandContext context_of(Manifests manifests) const {
    return {options_, *opener_, limits_of(options_), manifests == Manifests::renew};
  }

  /// One rank of each other node finds the same. What was typed into rank 0 nobody else can read.
  Status compare_listing(const Paths& paths, Manifests manifests) {
    if (agreement_.size() == 1 || std::ranges::find(paths, "@-") != paths.end()) return {};
    View view;
    Status mine = std::move(decoded_);
    if (mine.ok()) mine = guarded_action([&] { view = view_ != nullptr ? *view_ : own_view(); });
    auto comparers = choose_comparers(agreement_, kPhase, view.host, std::move(mine));
    if (!comparers.ok()) return std::move(comparers).status();
    if (!comparers->any) return {};
    Status compared;
    if (comparers->me) {
      compared = guarded([&] {
        return compare_listings(found_, view.look(paths, context_of(manifests)), agreement_.rank(), view.host);
      });
    }
    return agreement_.verdict(kPhase, std::move(compared));
  }

  /// A balanced, contiguous share of the files a rank, with all shards in them.
  Status scan_share() {
    const std::size_t files = found_.files.size();
    const auto cut = [&](int rank) {
      return files * static_cast<std::size_t>(rank) / static_cast<std::size_t>(agreement_.size());
    };
    Status mine = guarded([&]() -> Status {
      if (!decoded_.ok()) return std::move(decoded_);
      ScanSettings settings;
      settings.limits = limits_of(options_);
      shards_.emplace(found_);
      auto scanned = scan(found_, *shards_, cut(agreement_.rank()), cut(agreement_.rank() + 1), *opener_, settings,
                          agreement_.interrupt());
      if (!scanned.ok()) return std::move(scanned).status();
      scanned_ = std::move(scanned).value();
      if (agreement_.size() > 1) share_ = encode(scanned_);
      if (agreement_.size() == 1) scanned_.in_shard_order(*shards_);
      return {};
    });
    return agreement_.verdict(kPhase, std::move(mine));
  }

  Status gather() {
    if (agreement_.size() == 1) return {};
    auto all = agreement_.allgather(share_, kPhase);
    if (!all.ok()) return std::move(all).status();
    Status mine = guarded([&] { return merge(*all); });
    return agreement_.verdict(kPhase, std::move(mine));
  }

  Status merge(const comm::Gathered& all) {
    share_ = {};
    scanned_ = {};
    scanned_.files.reserve(found_.files.size());
    scanned_.records.reserve(found_.shards());
    bool sound = true;
    all.for_each([&](std::span<const std::byte> part) {
      std::optional<Scanned> scanned = decode_scanned(part);
      sound = sound && scanned.has_value();
      if (scanned) scanned_.append(std::move(*scanned));
    });
    if (!sound) return garbled();
    if (scanned_.files.size() != found_.files.size() || scanned_.records.size() != found_.shards()) return garbled();
    scanned_.in_shard_order(*shards_);
    return {};
  }

  const OpenOptions& given_;
  OpenOptions options_;
  std::optional<DType> cast_;
  comm::Agreement& agreement_;
  const View* view_;  ///< null: this machine's
  std::optional<io::Opener> opener_;
  Found found_;
  std::optional<FileShards> shards_;
  Scanned scanned_;
  std::vector<std::byte> share_;
  Status decoded_;
};

}  // namespace

Result<Survey> survey(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                      comm::Agreement& agreement, Manifests manifests, const View* view) {
  return Discovery(options, cast, agreement, view).run(paths, manifests);
}

Result<Dataset> discover(const Paths& paths, const OpenOptions& options, const std::optional<DType>& cast,
                         comm::Agreement& agreement) {
  Result<Survey> found = survey(paths, options, cast, agreement);
  if (!found.ok()) return std::move(found).status();
  if (!found->faults.empty()) return patiently([&] { return make_report(found->faults); });
  return std::move(found->dataset);
}

}  // namespace loadstone::loader
