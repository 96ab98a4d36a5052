#include "report/memory_points.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/disk.h"
#include "base/text.h"
#include "model/words.h"

namespace assay {
namespace {

// More than any machine has, and longer than any attempt: it fits into integers of 64 bits.
constexpr double kMostHeldBytes = 1e18, kMostHeldMs = 1e12;

std::optional<double> number_in(std::string_view field, double most) {
  double value = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool is_whole = problem == std::errc() && end == field.data() + field.size();
  // What is not a number is neither.
  if (!is_whole || !(value >= 0 && value <= most)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<MemoryPoint> memory_points(std::string_view csv) {
  std::vector<MemoryPoint> points;
  for (std::string_view line : lines_of(csv)) {
    std::array<std::string_view, 5> fields;  // time_ms, stage, process, pss_bytes, rss_bytes
    for (size_t i = 0; i < fields.size(); ++i) {
      const size_t end = std::min(line.find(','), line.size());
      fields[i] = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    const auto ms = number_in(fields[0], kMostHeldMs), pss = number_in(fields[3], kMostHeldBytes),
               rss = number_in(fields[4], kMostHeldBytes);
    const auto stage = from_word(kStageWords, fields[1]);
    if (!ms || !rss || !stage) continue;
    const bool is_same = !points.empty() && points.back().ms == *ms && points.back().stage == stage;
    if (!is_same) points.push_back({*ms, *stage});
    double& bytes = points.back().bytes;
    bytes = std::min(bytes + pss.value_or(*rss), kMostHeldBytes);
  }
  return points;
}

bool is_tracked(const Attempt& attempt) {
  return std::ranges::any_of(attempt.artifacts,
                             [](const ArtifactRecord& each) { return each.name == kMemoryName; });
}

std::vector<MemoryPoint> memory_points_of(const Attempt& attempt, const std::string& folder,
                                          RunReader* reader) {
  if (!is_tracked(attempt) || reader == nullptr) return {};
  const auto csv = reader->text(join_path(join_path(folder, attempt.id), std::string(kMemoryName)));
  return csv ? memory_points(*csv) : std::vector<MemoryPoint>{};
}

std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, size_t most) {
  if (points.size() <= most) return points;
  std::set<Stage> stages;
  for (const MemoryPoint& each : points) stages.insert(each.stage);
  // Those of several stages come in turn, and each may end with a group that is not full.
  const size_t groups = most > stages.size() ? most - (stages.size() - 1) : 1;
  const size_t together = (points.size() + groups - 1) / groups;
  std::vector<MemoryPoint> few;
  std::map<Stage, std::pair<size_t, size_t>> last;  // of a stage: its place in few, and how many
  for (const MemoryPoint& each : points) {
    auto& [place, count] = last[each.stage];
    if (count == 0 || count == together) {
      place = few.size();
      count = 0;
      few.push_back(each);
    } else if (each.bytes > few[place].bytes) {
      few[place] = each;
    }
    ++count;
  }
  return few;
}

}  // namespace assay
