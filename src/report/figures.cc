#include "report/figures.h"

#include <algorithm>

#include "base/json.h"
#include "base/units.h"

namespace assay {

AttemptFigures figures_of(const Attempt& attempt) {
  AttemptFigures figures;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage == Stage::export_) figures.export_ns = stage.wall_ns;
    if (stage.stage == Stage::compile) figures.compile_ns = stage.wall_ns;
    if (stage.stage == Stage::verify) figures.verify_ns = stage.wall_ns;
    if (stage.stage == Stage::compile) figures.compile_peak_bytes = stage.peak_bytes;
    if (stage.peak_bytes)
      figures.peak_bytes = std::max(figures.peak_bytes.value_or(0), *stage.peak_bytes);
    if (!stage.evidence.is_object()) continue;
    const auto dispatches = stage.evidence.find("dispatches");
    if (stage.stage == Stage::compile && dispatches != stage.evidence.end() &&
        dispatches->is_number_integer())
      figures.dispatches = dispatches->get<int64_t>();
    // Of who compiles in the process that calls it.
    if (const auto parts = stage.evidence.find("compiling");
        parts != stage.evidence.end() && parts->is_object()) {
      auto part = [&](const char* name) {
        const int64_t ns = field_or<int64_t>(*parts, name, -1);
        return ns < 0 ? std::optional<int64_t>() : ns;
      };
      figures.export_ns = part("export_ns");
      figures.compile_ns = part("compile_ns");
    }
    const auto rms_ratio = stage.evidence.find("rms_ratio");
    if (stage.stage == Stage::verify && rms_ratio != stage.evidence.end() && rms_ratio->is_number())
      figures.rms_ratio = rms_ratio->get<double>();
  }
  for (const ArtifactRecord& artifact : attempt.artifacts)
    if (artifact.name == "artifact.vmfb") figures.artifact_bytes = artifact.bytes;
  return figures;
}

std::string duration_cell(const std::optional<int64_t>& ns) {
  return ns ? format_duration(*ns) : "-";
}

std::string bytes_cell(const std::optional<uint64_t>& bytes) {
  return bytes ? format_bytes(*bytes) : "-";
}

std::string count_cell(const std::optional<int64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

}  // namespace assay
