#include "search/feedback.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "search/feedback_parts.h"

namespace assay {
namespace {

// Rules whose breach is no mistake in a result, but something that may not be done at all.
constexpr std::string_view kForbidden[] = {"aliased", "input-changed", "library", "fallback"};
// Who else looks hints up uses other words for the same: those of seed users' config.json.
struct Titles {
  std::string_view kind, others;
};
constexpr Titles kTitles[] = {{"compile error", "Compile error, COMPILER ERROR"},
                              {"exception", "Runtime error"},
                              {"crash", "Runtime error, Memory access fault"},
                              {"timeout", "Runtime error, timed out"},
                              {"memory", "Runtime error, out of memory"},
                              {"wrong", "Accuracy check failed: max diff"},
                              {"forbidden", "No custom kernels, PyTorch internals"},
                              {"library", "No custom kernels, PyTorch internals"},
                              {"fallback", "No custom kernels, PyTorch internals"},
                              {"slow", "PERFORMANCE TOO SLOW"}};

Feedback said(std::string kind, const std::string& text, const std::string& error) {
  Feedback feedback{.kind = std::move(kind), .text = without_paths(text)};
  feedback.for_hints = feedback.kind;
  for (const Titles& titles : kTitles)
    if (titles.kind == feedback.kind) feedback.for_hints += fmt::format(" ({})", titles.others);
  feedback.for_hints += '\n' + error;
  return feedback;
}

Feedback on_failed(const StageRecord& stage, const std::string& code) {
  const std::string error = printable(stage.error, false);
  const std::string all = stage.error + '\n' + stage.detail;
  // The oracle says of what it runs that it is the problem's.
  if (stage.error.starts_with("the problem"))
    return said("problem", "The problem itself breaks, and no answer to it can be judged: " + error,
                all);
  switch (stage.failure.value_or(FailureClass::protocol)) {
    case FailureClass::build:
    case FailureClass::link:
    case FailureClass::codegen:
    case FailureClass::import: {
      std::string log = log_excerpt(stage.detail, code);
      std::string trace = trace_excerpt(stage.detail, code);
      return said("compile error",
                  fmt::format("It does not compile: {}\n{}", error, trace.empty() ? log : trace),
                  all);
    }
    case FailureClass::load:
    case FailureClass::setup:
    case FailureClass::exception:
    case FailureClass::export_: {
      const bool is_call = stage.failure == FailureClass::exception;
      if (error.starts_with("the library does not load"))
        return said("compile error", "It compiles, and cannot be loaded: " + error + ".", all);
      if (code.empty() && stage.failure == FailureClass::load)
        return said("no code", "There is no code in the answer that can be judged: " + error, all);
      return said("exception",
                  fmt::format("{} raises an exception: {}\n{}",
                              is_call ? "A call" : "To load or to make it", error,
                              trace_excerpt(stage.detail, code)),
                  all);
    }
    case FailureClass::crash: {
      const std::string printed = log_excerpt(stage.detail, "");
      const char* cause =
          error.contains("by itself with status")
              ? "Its process has ended itself: leave out exit() and its like, and return."
              : "A read or write where there is no memory is the usual cause: an index beyond an "
                "end, a pointer of another type, a write to an input, which is read-only, or an "
                "instruction that needs aligned memory.";
      return said(
          "crash",
          fmt::format("It {}.\n- {}{}{}", error, cause, printed.empty() ? "" : "\n", printed), all);
    }
    case FailureClass::timeout:
      return said("timeout", "It takes too long: " + error + ".", all);
    case FailureClass::out_of_memory:
      return said("memory", "It takes too much memory: " + error + ".", all);
    default:
      return said("exception", "It does not come to a result: " + error + ".", all);
  }
}

Feedback on_rejected(const StageRecord& stage) {
  const bool is_forbidden = std::ranges::find(kForbidden, stage.rule) != std::end(kForbidden);
  const std::string all = fmt::format("{} {}\n{}", stage.rule, stage.error, stage.detail);
  if (!is_forbidden) return said("wrong", words_of_wrong(stage), all);
  std::string text = "It does what no answer may: " + printable(stage.error, false) + ".";
  if (stage.rule == "aliased") text += " Return memory of its own: copy what is passed on.";
  if (stage.rule == "input-changed")
    text += " Inputs are read-only: put intermediate results into memory of your own.";
  const bool is_torch = stage.rule == "library" || stage.rule == "fallback";
  return said(is_torch ? stage.rule : "forbidden", text, all);
}

// What torch computed in the place of the candidate, as its own process has it.
std::string by_torch(const Attempt& attempt) {
  std::vector<std::string> names;
  for (const StageRecord& stage : attempt.stages) {
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object() || !evidence.contains("watched")) continue;
    const Json watched = evidence["watched"];
    if (!watched.is_object()) continue;
    if (!watched.contains("operations")) continue;
    for (const Json& operation : watched["operations"])
      if (operation.is_object() && operation.contains("name") && operation["name"].is_string())
        names.push_back(printable(operation["name"].get<std::string>(), false));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool has_label(const Attempt& attempt, const std::string& label) {
  for (const StageRecord& stage : attempt.stages) {
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object() || !evidence.contains("labels")) continue;
    for (const Json& each : evidence["labels"])
      if (each == label) return true;
  }
  return attempt.timing &&
         std::ranges::find(attempt.timing->labels, label) != attempt.timing->labels.end();
}

Feedback on_accepted(const Attempt& attempt, const FeedbackTerms& terms) {
  const bool hides = has_label(attempt, "fallback");
  if (terms.allow_library && hides && !terms.allow_fallback)
    return said("fallback",
                "Its results are right, but it hides an error that was raised before, and computes "
                "them in another way: that is no answer. Mend what raises it.",
                "");
  if (!terms.allow_library && (has_label(attempt, "library") || hides)) {
    const std::string operations = by_torch(attempt);
    return said(hides ? "fallback" : "library",
                fmt::format("Its results are right, but torch computes them{}{}: that is no "
                            "answer. What computes has to be code of your own; of torch only what "
                            "makes, views, copies or converts tensors.",
                            operations.empty() ? "" : " (" + operations + ")",
                            hides ? ", and it hides an error that was raised before" : ""),
                operations);
  }
  if (!attempt.timing || attempt.timing->speedups.empty())
    return said("right", "Its results are right. It was not timed.", "");
  const Speedup& first = attempt.timing->speedups.front();
  std::string text = words_of_speed(attempt, terms);
  std::string error =
      fmt::format("speedup={:.2f}x (need >= {:g}x) {}", first.ratio, terms.goal, first.reason);
  if (looks_too_slow(first, terms)) return said("slow", text, error);
  if (first.outcome == Outcome::undecided) return said("undecided", text, error);
  const bool is_there = terms.goal <= 1
                            ? first.outcome == Outcome::faster || first.outcome == Outcome::equal
                            : first.low >= terms.goal;
  return said(is_there ? "fast" : "slow", text, error);
}

Feedback on_compiled(const Attempt& attempt) {
  std::string text = "It compiles for the target.";
  if (reached(attempt) == "smoke")
    text += " Triton's interpreter found nothing wrong with its results.";
  for (const StageRecord& stage : attempt.stages)
    if (stage.status == StageStatus::not_judged && !stage.error.empty())
      text += " Its results could not be looked at: " + printable(stage.error, false) + ".";
  return said("right", text + " Nothing is said of its speed.", "");
}

}  // namespace

std::string as_list(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    if (!line.empty()) text += (text.empty() ? "- " : "\n- ") + line;
  return text;
}

FeedbackTerms feedback_terms(const SearchTerms& terms, std::string language,
                             std::vector<std::string> counted) {
  return {.goal = terms.goal,
          .language = std::move(language),
          .allow_library = terms.allows("library"),
          .allow_fallback = terms.allows("fallback"),
          .counted = std::move(counted)};
}

bool is_for_another_device(const Attempt& attempt) {
  const StageRecord* stage = attempt.deciding_stage();
  return stage != nullptr && stage->status == StageStatus::not_judged &&
         stage->rule.starts_with("needs ");
}

Feedback feedback_on(const Attempt& attempt, const std::string& code, const FeedbackTerms& terms) {
  const StageRecord* stage = attempt.deciding_stage();
  switch (attempt.verdict) {
    case Verdict::accepted:
      return on_accepted(attempt, terms);
    case Verdict::compiled:
      return on_compiled(attempt);
    case Verdict::rejected:
      if (stage != nullptr) return on_rejected(*stage);
      break;
    case Verdict::failed:
      if (stage != nullptr) return on_failed(*stage, code);
      break;
    case Verdict::unsupported: {
      const std::string error = stage ? printable(stage->error, false) : "";
      if (stage && stage->stage == Stage::compile && fault_of(attempt) == Fault::candidate)
        return said("compile error", "It cannot be built for the target: " + error + ".", error);
      const bool declines = error.starts_with("the kernel declines");
      return said(declines ? "wrong" : "problem",
                  declines ? "It computes nothing for the problem's own inputs: " + error +
                                 ". Look at what it checks before it begins."
                           : "It cannot be judged: " + error + ".",
                  error);
    }
    case Verdict::exported:  // a run that ended before there was anything to judge
    case Verdict::not_judged:
      break;
  }
  if (is_for_another_device(attempt))
    return said("not judged",
                "It is for a device that the target is not, and was not judged: " +
                    printable(stage->error, false) + ".",
                "");
  return said("not judged",
              "It could not be judged, for reasons that are not its own: " +
                  (stage ? printable(stage->error, false) : "nothing is known") + ".",
              "");
}

}  // namespace assay
