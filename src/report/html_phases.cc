// What the program of an attempt became in the compiler, phase by phase, for the page: of runs that
// keep phases (--phases).
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/escape.h"
#include "report/diff.h"
#include "report/html.h"
#include "report/phases.h"
#include "report/table.h"

namespace assay {
namespace {

// Texts beyond this are shown by their sizes alone: a diff of two of them would take too long.
constexpr size_t kMostOfPhase = size_t{1} << 20;
constexpr size_t kMostOfPhaseDiff = size_t{64} << 10;

struct KeptPhase {
  Phase phase;
  const ArtifactRecord* artifact;
};

std::vector<KeptPhase> kept_phases(const Attempt& attempt) {
  std::vector<KeptPhase> kept;
  for (const ArtifactRecord& artifact : attempt.artifacts) {
    Phase phase;
    if (artifact.name.starts_with(std::string(kPhasesFolder) + "/") &&
        read_phase_name(std::filesystem::path(artifact.name).filename().string(), phase))
      kept.push_back({std::move(phase), &artifact});
  }
  std::ranges::sort(kept, {}, [](const KeptPhase& each) { return each.phase.number; });
  return kept;
}

}  // namespace

PagePhases page_phases(const Attempt& attempt, const std::string& folder, RunReader& reader,
                       size_t& bytes_left) {
  PagePhases page;
  std::optional<std::string> before;  // nothing: it was not read
  for (const auto& [phase, artifact] : kept_phases(attempt)) {
    const bool has_room = bytes_left > 0;
    std::optional<std::string> text;
    if (has_room && artifact->bytes <= kMostOfPhase)
      text = reader.text(join_path(folder, artifact->name));
    const OperationsSeen seen = text ? operations_seen(*text) : OperationsSeen();
    Json& json = page.all.emplace_back(Json{{"number", phase.number},
                                            {"name", terminal_text(phase.name)},
                                            {"bytes", artifact->bytes},
                                            {"operations", text ? std::to_string(seen.all) : ""},
                                            {"most", terminal_text(seen.most)},
                                            {"cut", 0},
                                            {"diff", nullptr}});
    if (before && text) {
      const auto diff =
          cut_text(unified_diff(*before, *text), std::min(kMostOfPhaseDiff, bytes_left));
      page.lacks_room |= diff.cut > 0 && diff.text.size() == bytes_left;
      bytes_left -= diff.text.size();
      json["cut"] = diff.cut;
      json["diff"] = printable(utf8(diff.text), true);
    }
    page.lacks_room |= !has_room;
    before = std::move(text);
  }
  return page;
}

}  // namespace assay
