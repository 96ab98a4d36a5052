// `assay grade`: one candidate, one verdict.
#include <fmt/format.h>
#include <unistd.h>

#include "author/answer.h"
#include "author/file_name.h"
#include "base/escape.h"
#include "cli/command.h"
#include "cli/grade_settings.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/write_rendered.h"
#include "measure/counter.h"
#include "measure/rocprof_output.h"
#include "model/evaluation.h"
#include "search/feedback.h"
#include "search/verdicts.h"
#include "serve/grade.h"
#include "session/workplace.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

constexpr const char* kStandardInput = "-";

Result<std::string> read_standard_input() {
  constexpr size_t kMostBytes = size_t{32} << 20;
  std::string text;
  char piece[1 << 16];
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("read standard input");
    if (got == 0) return text;
    text.append(piece, static_cast<size_t>(got));
    if (text.size() > kMostBytes)
      return error(Code::invalid_input, "standard input holds more than 32 MiB",
                   "a candidate is one file of code, or one answer with code in it");
  }
}

// Where an answer has its code in a fenced block, or none is said to be: what a model has answered.
bool is_answer(const std::string& text) { return text.contains("```") || text.contains("~~~"); }

// The candidate as a request has it: "code" and "language", or "text".
Result<Json> read_candidate(const Arguments& arguments, const std::string& given) {
  const bool is_file = given != kStandardInput;
  auto text = is_file ? system_disk().read(absolute_path(given)) : read_standard_input();
  if (!text) return std::unexpected(text.error());
  const auto name = read_file_name(given);
  const bool is_source =
      (is_file && name && name->content == Content::code) || is_file_of_code(*text);
  Candidate fenced;
  if (!is_source) take_code_of_answer(*text, fenced);
  if (arguments.given("--lang")) {
    const Form* named = form_of_language(arguments.text("--lang"));
    const bool is_block = fenced.code && named && named->is_kernel() == fenced.form->is_kernel();
    return Json{{"code", is_block ? *fenced.code : *text}, {"language", arguments.text("--lang")}};
  }
  if (!is_file) {
    if (fenced.code) return Json{{"text", *text}};
    if (const Form* form = form_of_code(*text))
      return Json{{"code", *text}, {"language", form->languages.front()}};
    if (is_answer(*text)) return Json{{"text", *text}};
    return error(Code::invalid_input,
                 "standard input defines neither ModelNew nor assay_kernel, and has no fenced code "
                 "in it",
                 "--lang says what it is; `assay grade --help` has the languages");
  }
  if (!name || name->content == Content::answers)
    return error(Code::invalid_input, fmt::format("'{}' is no candidate's file", given),
                 "a candidate is code, or one answer with code in it: " + known_endings());
  if (name->content == Content::answer) return Json{{"text", *text}};
  if (name->form->languages.empty())
    return error(Code::invalid_input, fmt::format("'{}' is no source", given),
                 "`assay run --by file:PATH` judges it");
  return Json{{"code", *text}, {"language", name->form->languages.front()}};
}

// Of a request as read_candidate() makes it. An answer without code has that of its text.
std::pair<std::string, std::string> code_and_language(const Json& request) {
  if (request.contains("code")) return {request["code"], request["language"]};
  Candidate candidate;
  take_code_of_answer(request["text"].get<std::string>(), candidate);
  if (!candidate.code) return {request["text"], ""};
  const auto& languages = candidate.form->languages;
  return {*candidate.code, languages.empty() ? "" : std::string(languages.front())};
}

// One request, and what is said of it.
class OneRequest final : public LineStream {
 public:
  explicit OneRequest(std::string request) : request_(std::move(request)) {}

  std::optional<Line> take() override {
    if (is_taken_) return std::nullopt;
    is_taken_ = true;
    return Line{request_, "assay grade"};
  }
  Status check() const override { return {}; }
  bool has_ended() const override { return is_taken_; }
  void judged(const Attempt& attempt) override { attempt_ = attempt; }
  void put(const std::string& line) override { said_ = line; }
  bool is_clogged() const override { return false; }

  const std::string& said() const { return said_; }
  const Attempt& attempt() const { return attempt_; }

 private:
  const std::string request_;
  bool is_taken_ = false;
  std::string said_;
  Attempt attempt_;
};

// In the keys of HipKittens' eval.py, then all that `assay serve` says.
Json result_of(const std::string& candidate, const std::string& language, const Attempt& attempt,
               const NodeVerdict& verdict, Json said) {
  const Evaluation evaluation = evaluation_of(attempt);
  Json result{{"problem", attempt.workload},
              {"code_path", candidate == kStandardInput ? Json(nullptr) : Json(candidate)},
              {"backend", or_null(language)}};
  result.update(to_json(evaluation));
  result["perf_analysis"] = evaluation.is_right ? or_null(verdict.feedback) : Json(nullptr);
  result["rocprof_metrics"] = rocprof_metrics(counted_by(kRocprof, attempt));
  result["feedback"] = or_null(verdict.feedback);
  result["labels"] = verdict.labels;
  result["schema"] = 1;
  said.erase("id");
  said.erase("error");
  result.update(said);
  return result;
}

// As eval.py's: 0 right and as fast, 1 right and slower, or right in a way that does not count,
// 2 wrong; and 3 where nothing can be said, as the fault is not the candidate's.
int status_of(const Json& result, bool is_timed, bool counts) {
  const std::string verdict = result.value("verdict", "");
  const Json fault = result.value("fault", Json());
  if (verdict == "not_judged" ||
      (!fault.is_null() && fault != to_word(kFaultWords, Fault::candidate)))
    return 3;
  if (verdict == "compiled") return 3;  // it cannot be run here, so nothing is known of it
  if (verdict != "accepted") return 2;
  if (!counts) return 1;
  if (!is_timed) return 0;
  const Json outcome = result.value("outcome", Json());
  return outcome == "faster" || outcome == "equal" ? 0 : 1;
}

}  // namespace

Result<int> grade_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(Places places, find_places());
  const std::string problem = arguments.positional("PROBLEM").front();
  const std::string candidate = arguments.positional("CANDIDATE").front();
  ASSAY_ASSIGN(Json request, read_candidate(arguments, candidate));
  request["problem"] = problem;
  ASSAY_ASSIGN(GradeSettings settings, parse_grade_settings(arguments, places));
  SearchTerms terms;
  ASSAY_ASSIGN(terms.allowed, parse_allowed(arguments));
  output.remark(missing_in_words(settings.run));
  ASSAY_ASSIGN(auto place, Workplace::create(settings.tools, CachedLibraries::Use::all));
  ASSAY_ASSIGN(std::string scratch, make_scratch_folder());
  ASSAY_TRY(place->have_children_in(scratch));
  OneRequest stream(dump_json(request));
  Events nobody;
  ASSAY_TRY(grade(settings, place->world(nobody), stream));
  ASSAY_ASSIGN(Json said, parse_json(stream.said(), "what was judged"));
  if (said.contains("invalid"))
    return error(Code::invalid_input, said["invalid"].get<std::string>());
  const auto [code, language] = code_and_language(request);
  const Attempt& attempt = stream.attempt();
  const NodeVerdict verdict = verdict_for(
      attempt, feedback_on(attempt, code, feedback_terms(terms, language, counted_of(attempt))));
  const Json result = result_of(candidate, language, attempt, verdict, std::move(said));
  const std::string text = dump_json(result, 2) + "\n";
  ASSAY_TRY(write_rendered({"json",
                            {"result.json"},
                            [&](ReportSink& sink) {
                              sink.begin_file("result.json");
                              sink.write(text);
                            }},
                           arguments.text("--to"), output));
  return status_of(result, settings.run.timing.has_value(), counts(verdict, terms));
}

}  // namespace assay
