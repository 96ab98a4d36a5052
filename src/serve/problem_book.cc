#include "serve/problem_book.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/units.h"
#include "base/words.h"
#include "search/quick_look.h"
#include "search/verdicts.h"

namespace assay {

ProblemBook::ProblemBook(const McpSettings& settings, const Disk& disk)
    : settings_(settings),
      disk_(disk),
      target_(settings.grade.targets.front()),
      timing_(settings.grade.run.timing) {
  if (target_.gpu && !target_.card) timing_.reset();
  terms_.allowed = settings.allowed;
  terms_.is_timed = timing_.has_value();
}

Status ProblemBook::load() {
  for (const Workload& workload : settings_.problems) {
    ASSAY_ASSIGN(LoadedWorkload loaded, load_workload(disk_, workload));
    problems_.push_back({workload.selection_path(), workload, std::move(loaded)});
  }
  return {};
}

Result<size_t> ProblemBook::find(const std::string& id) const {
  const auto found = std::ranges::find(problems_, id, &Problem::id);
  if (found != problems_.end()) return static_cast<size_t>(found - problems_.begin());
  // The end of one, whole: "chain" of "problems/chain".
  std::vector<size_t> ends;
  std::vector<std::string> ids;
  for (size_t i = 0; i < problems_.size(); ++i) {
    ids.push_back(problems_[i].id);
    if (!id.empty() && problems_[i].id.ends_with("/" + id)) ends.push_back(i);
  }
  if (ends.size() == 1) return ends.front();
  if (ends.size() > 1)
    return error(Code::not_found, fmt::format("'{}' is {} problems: `list` has their ids",
                                              printable(id, false), ends.size()));
  return error(Code::not_found, fmt::format("there is no problem '{}'{}; `list` has the ids",
                                            printable(id, false), did_you_mean(id, ids)));
}

Precision ProblemBook::precision_of(const Problem& problem) const {
  return problem.workload.precision.value_or(
      settings_.grade.run.precision.value_or(target_.precision));
}

Served ProblemBook::begin(ToBeJudged& judged, std::string id) {
  const Problem& problem = problems_[judged.problem];
  Served served{.id = std::move(id),
                .workload = problem.workload,
                .loaded = problem.loaded,
                .candidate = judged.candidate,
                .target = &target_,
                .precision = precision_of(problem),
                .terms = {.settings = settings_.grade.run, .are_limits_options = false},
                .comparisons = 1};
  std::optional<TimingSettings>& timing = served.terms.settings.timing;
  timing.reset();
  if (timing_ && judged.tool->does == McpTool::Does::time) timing = quick_look(*timing_);
  if (judged.tool->does == McpTool::Does::submit) {
    timing = timing_;
    judged.submission = submissions_.begin();
    served.comparisons =
        Submissions::comparisons(judged.submission, settings_.grade.baselines.size());
  }
  return served;
}

ToolAnswer ProblemBook::take(const ToBeJudged& judged, Attempt& attempt) {
  Problem& problem = problems_[judged.problem];
  ToolAnswer answer{.fields = {{"problem", utf8(problem.id)}}};
  std::string counted;
  if (judged.submission > 0) {
    const NodeVerdict alone = verdict_for(attempt, {});
    const bool is_one = counts(alone, terms_);
    submissions_.add({.number = judged.submission,
                      .problem = judged.problem,
                      .language = judged.language,
                      .code = judged.candidate.code,
                      .verdict = alone,
                      .counts = is_one},
                     attempt);
    attempt.timing = submissions_.timing(judged.submission);
    answer.fields["submission"] = judged.submission;
    answer.fields["of"] = submissions_.begun();
    answer.fields["counts"] = is_one;
    counted = words_of_submission(judged.submission, alone);
  }
  const FeedbackTerms words = feedback_terms(terms_, judged.language);
  const NodeVerdict verdict =
      verdict_for(attempt, feedback_on(attempt, *judged.candidate.code, words));
  problem.feedback = fmt::format("{} of {}: {}", judged.tool->name, printable(problem.id, false),
                                 verdict.feedback);
  last_judged_ = judged.problem;
  answer.fields.update(judged_fields(attempt, verdict));
  answer.text = judged_in_words(attempt) + "\n" + counted;
  if (verdict.verdict != Verdict::accepted) answer.text += "`feedback` says more\n";
  return answer;
}

std::string ProblemBook::words_of_submission(int number, const NodeVerdict& verdict) const {
  std::string words = fmt::format("submission {}", number);
  if (verdict.outcome)
    words += fmt::format("; its outcome is that of one of {}, by Holm's correction",
                         format_count(static_cast<size_t>(submissions_.begun()), "submission"));
  return words + (verdict.verdict == Verdict::accepted && !counts(verdict, terms_)
                      ? "; it does not count: torch computes its results\n"
                      : "\n");
}

ToolAnswer ProblemBook::list() const {
  Json ids = Json::array();
  std::string text;
  for (const Problem& each : problems_) {
    ids.push_back(utf8(each.id));
    text += printable(each.id, false) + "\n";
  }
  return {.text = std::move(text), .fields = {{"problems", std::move(ids)}}};
}

Result<std::string> ProblemBook::prompt_for(const Problem& problem, const std::string& language) {
  std::unique_ptr<Prompts>& prompts = prompts_[language];
  if (!prompts) {
    PromptSetting setting = settings_.prompts;
    setting.language = language;
    setting.target = &target_;
    setting.allow_library = terms_.allows("library");
    if (timing_) setting.against = timing_->against.front();
    ASSAY_ASSIGN(prompts, Prompts::open(disk_, std::move(setting)));
  }
  ASSAY_ASSIGN(Prompt prompt,
               prompts->write({.problem = problem.workload.name, .source = problem.loaded.text()}));
  return prompt.system + "\n\n" + prompt.user + "\n";
}

ToolAnswer ProblemBook::get(size_t place, const std::string& language) {
  const Problem& problem = problems_[place];
  const int threads = settings_.grade.run.threads;
  const std::string_view precision = to_word(kPrecisionWords, precision_of(problem));
  const std::vector<std::string> against = timing_ ? timing_->against : std::vector<std::string>{};
  ToolAnswer answer{.fields = {{"problem", utf8(problem.id)},
                               {"source", problem.loaded.text()},
                               {"target", target_.name},
                               {"precision", precision},
                               {"threads", threads},
                               {"against", against}}};
  answer.text =
      fmt::format("{}: for {}, in {}, with {}; {}\n\n", printable(problem.id, false), target_.name,
                  precision, format_count(static_cast<size_t>(threads), "thread"),
                  against.empty() ? "nothing is timed"
                                  : fmt::format("timed against {}", fmt::join(against, ", ")));
  if (language.empty()) {
    answer.text += problem.loaded.text();
    return answer;
  }
  auto prompt = prompt_for(problem, language);
  if (!prompt) return refused_call(prompt.error().message);
  answer.text += *prompt + "\nHere the code is sent alone, by `check`, `time` or `submit`.\n";
  return answer;
}

ToolAnswer ProblemBook::feedback(std::optional<size_t> problem) const {
  if (!problem) problem = last_judged_;
  const std::string text = problem ? problems_[*problem].feedback : "";
  if (text.empty()) return {.text = "nothing was judged yet", .fields = {{"feedback", nullptr}}};
  return {.text = text, .fields = {{"problem", utf8(problems_[*problem].id)}, {"feedback", text}}};
}

ToolAnswer ProblemBook::best(std::optional<size_t> problem) const {
  Json all = Json::array();
  std::string text;
  for (size_t i = 0; i < problems_.size(); ++i) {
    if (problem && *problem != i) continue;
    const Submission* found = submissions_.best(i);
    if (!found) continue;
    Attempt said;
    said.verdict = found->verdict.verdict;
    said.timing = submissions_.timing(found->number);
    text += fmt::format("{}, submission {}: {}\n", printable(problems_[i].id, false), found->number,
                        judged_in_words(said));
    Json fields{{"problem", utf8(problems_[i].id)}, {"submission", found->number}};
    fields.update(judged_fields(said, found->verdict));
    if (problem) {
      text += fmt::format("\n```{}\n{}\n```\n", found->language, *found->code);
      fields["language"] = found->language;
      fields["code"] = *found->code;
    }
    all.push_back(std::move(fields));
  }
  if (all.empty()) text = "no submission counts yet";
  return {.text = std::move(text),
          .fields = {{"best", std::move(all)}, {"of", submissions_.begun()}}};
}

}  // namespace assay
