// JUnit's XML as CI servers read it: a suite per level and target, a case per attempt. What was
// rejected or failed is a failure, what could not be judged an error, what assay's exporter
// declines is skipped.
#include <fmt/format.h>

#include <map>

#include "base/escape.h"
#include "report/causes.h"
#include "report/format.h"
#include "report/profile.h"
#include "report/speed.h"
#include "report/xml.h"

namespace assay {
namespace {

double seconds(const Attempt& attempt) {
  int64_t sum_ns = 0;
  for (const StageRecord& stage : attempt.stages) sum_ns += stage.wall_ns.value_or(0);
  return static_cast<double>(sum_ns) / 1e9;
}

std::string finding(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) return "";
  std::string_view element = attempt.verdict == Verdict::not_judged    ? "error"
                             : attempt.verdict == Verdict::unsupported ? "skipped"
                                                                       : "failure";
  std::string type = where_in_words(*deciding);
  if (element == "skipped") type = "";  // which has no type
  std::string message = xml(printable(deciding->error, false));
  return fmt::format("   <{0}{1} message=\"{2}\">{2}\n{3}</{0}>\n", element,
                     type.empty() ? "" : fmt::format(" type=\"{}\"", type), message,
                     xml(printable(attempt.reproduce, false)));
}

std::string property(std::string_view name, const std::string& value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", name, xml(value));
}

std::string timing_properties(const Attempt& attempt) {
  std::string text;
  if (!attempt.timing && !attempt.profile) return text;
  for (const auto& [name, value] :
       attempt.timing ? timing_fields(attempt) : profile_fields(attempt))
    if (!value.empty()) text += property(name, value);
  return text;
}

std::string properties(const Attempt& attempt) {
  const std::string far(reached(attempt));
  return property("id", attempt.id) + (far.empty() ? "" : property("reached", far)) +
         timing_properties(attempt);
}

std::string test_case(const Attempt& attempt) {
  std::string text = fmt::format(
      "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n"
      "   <properties>{}</properties>\n",
      xml(level_name(attempt) + "/" + attempt.target), xml(attempt.workload), seconds(attempt),
      properties(attempt));
  return text + finding(attempt) + "  </testcase>\n";
}

// The counts that <testsuites> and <testsuite> carry.
std::string counts(const Tally& tally, double time) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                     tally.total, tally.count(Verdict::failed) + tally.count(Verdict::rejected),
                     tally.count(Verdict::not_judged), tally.count(Verdict::unsupported), time);
}

}  // namespace

void render_junit(const ReportInput& input, ReportSink& sink) {
  struct Suite {
    Tally tally;
    double time = 0;
    std::vector<const Attempt*> attempts;
  };
  std::map<std::string, Suite> suites;
  Tally all;
  double time = 0;
  for (const Attempt& attempt : input.attempts) {
    Suite& suite = suites[level_name(attempt) + " on " + attempt.target];
    suite.tally.add(attempt.verdict);
    suite.time += seconds(attempt);
    suite.attempts.push_back(&attempt);
    all.add(attempt.verdict);
    time += seconds(attempt);
  }
  sink.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  sink.write(fmt::format("<testsuites name=\"assay\" {}>\n", counts(all, time)));
  for (const auto& [name, suite] : suites) {
    sink.write(
        fmt::format(" <testsuite name=\"{}\" {}>\n", xml(name), counts(suite.tally, suite.time)));
    for (const Attempt* attempt : suite.attempts) sink.write(test_case(*attempt));
    sink.write(" </testsuite>\n");
  }
  sink.write("</testsuites>\n");
}

}  // namespace assay
