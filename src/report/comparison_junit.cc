// A comparison as CI servers read it: a case per attempt. What is broken or known to be slower is a
// failure, what passed in A and could not be judged in B an error, what only one run has is
// skipped.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/comparison.h"
#include "report/format.h"
#include "report/xml.h"

namespace assay {
namespace {

struct Case {
  std::string element, type, text;  // "" element: nothing is wrong
};

Case case_of(const ComparedAttempt& pair) {
  switch (pair.change) {
    case Change::broken:
      return {"failure", "broken", end_in_words(*pair.b)};
    case Change::only_a:
      return {"skipped", "", "only in A"};
    case Change::only_b:
      return {"skipped", "", "only in B"};
    case Change::unjudged:
      if (!pair.a->deciding_stage()) return {"error", "unjudged", end_in_words(*pair.b)};
      break;
    case Change::fixed:
    case Change::changed:
    case Change::unchanged:
      break;
  }
  if (pair.speed && pair.speed->verdict == SpeedVerdict::slower)
    return {"failure", "slower", in_words(*pair.speed)};
  return {};
}

std::string test_case(const ComparedAttempt& pair, const Case& found) {
  const Attempt& attempt = pair.either();
  std::string text = fmt::format(
      "  <testcase classname=\"{}\" name=\"{}\" time=\"0\">\n   <properties><property "
      "name=\"id\" value=\"{}\"/><property name=\"change\" value=\"{}\"/>",
      xml(level_name(attempt) + "/" + attempt.target), xml(attempt.workload), xml(attempt.id),
      to_word(kChangeWords, pair.change));
  if (pair.speed)
    text += fmt::format("<property name=\"speed\" value=\"{}\"/>",
                        xml(printable(in_words(*pair.speed), false)));
  text += "</properties>\n";
  if (!found.element.empty())
    text += fmt::format("   <{0}{1} message=\"{2}\">{2}</{0}>\n", found.element,
                        found.type.empty() ? "" : fmt::format(" type=\"{}\"", found.type),
                        xml(printable(found.text, false)));
  return text + "  </testcase>\n";
}

}  // namespace

void render_junit_comparison(const Comparison& comparison, ReportSink& sink) {
  size_t failures = 0, errors = 0, skipped = 0;
  std::string cases;
  for (const ComparedAttempt& pair : comparison.attempts) {
    const Case found = case_of(pair);
    failures += found.element == "failure" ? 1 : 0;
    errors += found.element == "error" ? 1 : 0;
    skipped += found.element == "skipped" ? 1 : 0;
    cases += test_case(pair, found);
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
                  comparison.attempts.size(), failures, errors, skipped);
  sink.write(fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay compare\" {0}>\n "
      "<testsuite name=\"{1}\" {0}>\n{2} </testsuite>\n</testsuites>\n",
      counts,
      xml(printable("B " + comparison.folder_b + " against A " + comparison.folder_a, false)),
      cases));
}

}  // namespace assay
