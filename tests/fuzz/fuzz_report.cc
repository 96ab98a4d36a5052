// Reports and comparisons of attempts whose every text is a stranger's: nothing that acts on a
// terminal or breaks a format comes out, and a record survives the way into JSON and back.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "report/attempt_writer.h"
#include "report/causes.h"
#include "report/comparison.h"
#include "report/example_run.h"
#include "report/format.h"
#include "report/show.h"

namespace {

using namespace assay;

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  abort();
}

// The input in pieces, each ended by a zero byte; after the last, empty ones.
class Pieces {
 public:
  explicit Pieces(std::string_view bytes) : rest_(bytes) {}
  std::string text() {
    size_t end = std::min(rest_.find('\0'), rest_.size());
    std::string piece = utf8(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return piece;
  }
  Json json() {
    auto value = parse_json(text(), "a piece");
    return value ? *value : Json();
  }

 private:
  std::string_view rest_;
};

StageRecord make_stage(Stage stage, Pieces& pieces) {
  StageRecord record;
  record.stage = stage;
  record.detail = pieces.text();
  record.reuse = pieces.text();
  record.evidence = pieces.json();
  return record;
}

Attempt make_attempt(Pieces& pieces) {
  Attempt attempt;
  std::string error = pieces.text();
  attempt.author = "iree";
  attempt.workload = pieces.text();
  attempt.suite = pieces.text();
  attempt.level = pieces.text();
  attempt.target = pieces.text();
  attempt.path = pieces.text();
  attempt.reproduce = pieces.text();
  attempt.stages = {make_stage(Stage::export_, pieces), make_stage(Stage::compile, pieces)};
  if (!error.empty()) {
    attempt.stages[1].status = StageStatus::failed;
    attempt.stages[1].failure = FailureClass::codegen;
    attempt.stages[1].error = error;
  }
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, attempt.author != "iree");
  return attempt;
}

// By the name of the file that is rendered. What geak-eval calls out.json is a log.
bool holds_json(std::string_view name) {
  if (name == "out.json" || name.ends_with("/out.json")) return false;
  return name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".sarif");
}

bool is_for_programs(std::string_view name) {
  return holds_json(name) || name.ends_with(".xml") || name.ends_with(".csv") ||
         name.ends_with(".html");
}

// Nothing that acts on a terminal: line breaks and tabs stand in tables, other controls nowhere.
// JSON and XML cannot hold those below a space, and may hold the others.
bool is_tame(std::string_view text, bool for_programs = false) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    bool line_ends = c == '\n' || (c == '\r' && next == '\n');
    if (c < 0x20 && !line_ends && c != '\t') return false;
    if (for_programs) continue;
    if (c == 0x7f || (c == 0xc2 && next < 0xa0)) return false;
  }
  return true;
}

bool is_json(std::string_view name, std::string_view text) {
  if (!name.ends_with(".jsonl")) return Json::accept(text);
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos || !Json::accept(text.substr(0, end))) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

extern "C" int fuzz_report(const uint8_t* data, size_t size) {
  Pieces pieces({reinterpret_cast<const char*>(data), size});
  ReportInput a;
  a.folder = "A";
  a.run.settings.require_isolation = pieces.text();
  a.run.settings.flags = {pieces.text()};
  a.run.machine = pieces.json();
  a.attempts = {make_attempt(pieces)};
  a.all = true;
  ReportInput b = a;
  b.folder = "B";
  b.run.machine = pieces.json();
  b.attempts = {make_attempt(pieces)};

  for (const ReportInput* input : {&a, &b}) {
    const Attempt& attempt = input->attempts[0];
    require(check(attempt).has_value(), "check()");
    std::string written;
    append_json(written, attempt);
    require(written == dump_json(to_json(attempt)), "append_json()");
    require(is_tame(show_attempt(attempt, "A", "/A")), "show");
    std::string cause = cause_of(attempt.stages[1].error);
    require(!cause.empty() && cause == printable(cause, false), "cause_of()");
    for (const Format& format : report_formats())
      for (const ReportFile& file : rendered(format, *input)) {
        require(is_tame(file.text, is_for_programs(file.name)), file.name);
        if (holds_json(file.name)) require(is_json(file.name, file.text), file.name);
      }
  }
  (void)same_settings(a.run.settings, b.run.settings);
  Comparison comparison = compare(a, b, {});
  for (const Format& format : comparison_formats()) {
    const std::string name = comparison_file(format), text = rendered(format, comparison);
    require(is_tame(text, is_for_programs(name)), name);
    if (holds_json(name)) require(is_json(name, text), name);
  }
  return 0;
}
