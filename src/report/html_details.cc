#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/escape.h"
#include "base/hash.h"
#include "report/attempt_writer.h"
#include "report/call_table.h"
#include "report/html.h"
#include "report/memory_points.h"
#include "report/show.h"
#include "report/source_lines.h"
#include "report/speed.h"
#include "report/table.h"
#include "report/user_files.h"

namespace assay {
namespace {

// "Rejected (verify: precision): output 0 is ..." or "Accepted: faster, 6.72x eager (6.33
// to 7.25)."
std::string sentence_of(const Attempt& attempt) {
  std::string sentence = verdict_in_words(attempt);
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  const StageRecord* deciding = attempt.deciding_stage();
  std::string why = deciding ? deciding->error : speed_in_words(attempt);
  return terminal_text(why.empty() ? sentence : sentence + ": " + why);
}

// With evidence that is a text as values, which words are made of.
Attempt with_evidence(const Attempt& attempt) {
  Attempt whole = attempt;
  for (StageRecord& stage : whole.stages) stage.evidence = evidence_of(stage);
  return whole;
}

// Of a call in the windows of each launch and side, evenly over their order.
Json quantiles(const Timing& timing, const std::vector<WindowRecord>& windows) {
  constexpr size_t kMost = 33;
  std::map<std::pair<int, int>, std::vector<int64_t>> by_launch;
  for (const WindowRecord& each : windows)
    if (each.use == WindowUse::pair && each.calls > 0)
      by_launch[{each.launch, each.side}].push_back(by(timing.metric, each.cpu_ns, each.wall_ns) /
                                                    each.calls);
  Json all = Json::array();
  for (auto& [key, ns] : by_launch) {
    std::ranges::sort(ns);
    const size_t count = std::min(ns.size(), kMost);
    Json some = Json::array();
    for (size_t i = 0; i < count; ++i)
      some.push_back(ns[count == 1 ? 0 : i * (ns.size() - 1) / (count - 1)]);
    all.push_back({{"launch", key.first}, {"side", key.second}, {"ns", std::move(some)}});
  }
  return all;
}

Result<Json> windows_of(const Attempt& attempt, RunReader* reader) {
  if (!attempt.timing || !reader) return Json();
  ASSAY_ASSIGN(const auto windows, reader->windows(attempt.id));
  Json sides{"this candidate"};
  for (const Speedup& each : attempt.timing->speedups) sides.push_back(each.baseline);
  return Json{{"clock", to_word(kMetricWords, attempt.timing->metric)},
              {"sides", std::move(sides)},
              {"quantiles", quantiles(*attempt.timing, windows)}};
}

// Where the time of a call goes, where that was counted. Of an attempt with evidence as values.
Json parts_of_call(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (stage.stage == Stage::verify && stage.evidence.is_object() &&
        stage.evidence.contains("counters")) {
      const auto found = parts_found(stage.evidence["counters"]);
      return found ? parts_in_cells(found->parts) : Json();
    }
  return nullptr;
}

// By stage: moments, and what was held at each.
Json memory_of(const Attempt& attempt, const ReportInput& input) {
  constexpr size_t kMost = 400;
  const auto points = memory_points_of(attempt, input.folder, input.reader);
  if (points.empty()) return nullptr;
  Json stages = Json::object();
  for (const MemoryPoint& each : thinned(points, kMost))
    stages[std::string(to_word(kStageWords, each.stage))].push_back(
        Json::array({each.ms, each.bytes}));
  return stages;
}

std::string_view language_of(std::string_view name) {
  const std::string_view ending = name.substr(std::min(name.rfind('.'), name.size()));
  if (ending == ".py") return "python";
  if (ending == ".mlir") return "mlir";
  for (std::string_view each : {".c", ".h", ".cc", ".cpp", ".cu", ".hip", ".cuh"})
    if (ending == each) return "c";
  return "";
}

Json errors_in(const Attempt& attempt, const std::string& name) {
  Json errors = Json::array();
  for (const SourceLine& each : lines_named(attempt, name))
    errors.push_back({{"line", each.line}, {"text", terminal_text(each.text)}});
  return errors;
}

bool is_worth_reading(const Attempt& attempt) {
  return attempt.deciding_stage() || outcome(attempt) == Outcome::faster;
}

}  // namespace

// The candidate's file, else the problem's; and the problem's beside a candidate.
Json PageDetails::files_of(const Attempt& attempt) {
  constexpr size_t kMostOfFile = 64 << 10;
  Json files = Json::array();
  if (!input_.reader || (input_.embed != Embed::all && !is_worth_reading(attempt))) return files;
  std::vector<std::pair<std::string, std::string>> wanted;  // path, hash that was judged
  if (std::string path = candidate_file(attempt); !path.empty())
    wanted.emplace_back(path, attempt.origin.candidate_sha256);
  wanted.emplace_back(attempt.path, attempt.origin.problem_sha256);
  for (const auto& [path, hash] : wanted) {
    std::optional<std::string> text = input_.reader->text(path);
    if (!text) continue;
    const size_t size = std::min(text->size(), kMostOfFile);
    if (size > bytes_left_) {
      ++without_source_;
      return files;
    }
    bytes_left_ -= size;
    const std::string name = std::filesystem::path(path).filename();
    files.push_back({{"name", terminal_text(name)},
                     {"language", language_of(name)},
                     {"changed", !hash.empty() && sha256(*text) != hash},
                     {"cut", text->size() - size},
                     {"errors", errors_in(attempt, name)}});
    text->resize(size);
    files.back()["text"] = utf8(*text);
  }
  return files;
}

Status PageDetails::append(std::string& text, const Attempt& attempt) {
  ASSAY_ASSIGN(Json windows, windows_of(attempt, input_.reader));
  const std::string folder = std::filesystem::path(input_.folder) / attempt.id;
  const Attempt whole = with_evidence(attempt);
  const Json files = files_of(attempt);  // before phases: these take what sources leave
  text += "{\"attempt\":";
  append_json(text, attempt);
  text += ",\"sentence\":" + dump_json(sentence_of(attempt));
  text += ",\"words\":" + dump_json(show_attempt(whole, folder, input_.folder));
  if (input_.search.is_there()) text += ",\"answer\":" + dump_json(answers_.of(attempt.id));
  text += ",\"windows\":" + dump_json(windows);
  text += ",\"parts\":" + dump_json(parts_of_call(whole));
  text += ",\"memory\":" + dump_json(memory_of(attempt, input_));
  if (input_.reader) {
    const PagePhases phases = page_phases(attempt, folder, *input_.reader, bytes_left_);
    if (phases.lacks_room) ++without_phases_;
    if (!phases.all.empty()) text += ",\"phases\":" + dump_json(phases.all);
  }
  text += ",\"files\":" + dump_json(files) + "}";
  return {};
}

}  // namespace assay
