#include "report/suite_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "author/answer.h"
#include "base/hash.h"
#include "report/estimators.h"
#include "report/run_reader.h"
#include "report/user_files.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

constexpr std::string_view kReference = "reference";

std::optional<bool> told(const Json& suite, const char* field) {
  if (!suite.contains(field) || !suite[field].is_boolean()) return std::nullopt;
  return suite[field].get<bool>();
}

int small_number(const Json& suite, const char* field) {
  constexpr int64_t kMost = 1'000'000;
  if (!suite.contains(field) || !suite[field].is_number_integer()) return 0;
  return static_cast<int>(std::clamp<int64_t>(suite[field].get<int64_t>(), 0, kMost));
}

std::string suite_text(const Json& suite, const char* field) {
  return suite.contains(field) && suite[field].is_string() ? suite[field].get<std::string>() : "";
}

// What the record of a stage says of the kernel, and of its tests where they were run.
std::optional<SuiteVerdict> verdict_in(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages) {
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object() || !evidence.contains("suite") || !evidence["suite"].is_object())
      continue;
    const Json& suite = evidence["suite"];
    const int pass = small_number(suite, "pass");
    return SuiteVerdict{.attempt = &attempt,
                        .format = suite_text(suite, "format"),
                        .difficulty = suite_text(suite, "difficulty"),
                        .category = suite_text(suite, "category"),
                        .parses = told(suite, "parses"),
                        .call = told(suite, "call"),
                        .exec = told(suite, "exec"),
                        .assay = told(suite, "assay"),
                        .why = suite_text(suite, "why"),
                        .pass = pass > 0 ? pass : attempt.candidate,
                        .passes = small_number(suite, "passes"),
                        .is_repeat = told(suite, "repeats").value_or(false)};
  }
  return std::nullopt;
}

bool was_run(const Attempt& attempt) {
  return std::ranges::any_of(attempt.stages, [](const StageRecord& stage) {
    if (stage.stage != Stage::smoke) return false;
    const Json evidence = evidence_of(stage);
    return evidence.is_object() && evidence.contains("suite") && evidence["suite"].is_object();
  });
}

using Kernels = std::map<std::string, std::vector<const SuiteVerdict*>>;

using Holds = bool (SuiteVerdict::*)() const;

double pass_at_k(size_t k, size_t passes, const Kernels& kernels, Holds is_told, Holds holds) {
  double sum = 0;
  size_t count = 0;
  for (const auto& [name, answers] : kernels) {
    const auto left_out = static_cast<size_t>(
        std::ranges::count_if(answers, [&](const auto* each) { return !(each->*is_told)(); }));
    const auto right = static_cast<size_t>(
        std::ranges::count_if(answers, [&](const auto* each) { return (each->*holds)(); }));
    if (left_out == answers.size()) continue;
    const size_t of = std::max(passes, answers.size()) - left_out;
    sum += pass_at(k, of, right);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

SuiteScore score_of(const std::vector<const SuiteVerdict*>& answers, std::string group,
                    size_t passes, std::span<const size_t> ks) {
  SuiteScore score{.author = answers.front()->attempt->author,
                   .target = answers.front()->attempt->target,
                   .group = std::move(group)};
  Kernels kernels;
  for (const SuiteVerdict* each : answers) {
    auto& passes_of_it = kernels[each->attempt->path];
    if (!each->is_repeat) passes_of_it.push_back(each);
    if (!each->is_counted()) {
      ++score.unverifiable;
      continue;
    }
    score.call.add(each->calls());
    score.exec.add(each->executes());
    if (each->is_told_by_assay()) score.assay.add(each->is_right());
  }
  score.answers = answers.size();
  score.kernels = kernels.size();
  score.passes = passes;
  for (size_t k = 1; passes > 1 && score.exec.of > 0 && k <= passes; ++k) {
    if (!ks.empty() && std::ranges::find(ks, k) == ks.end()) continue;
    const auto at_k = [&](Holds is_told, Holds holds) {
      return pass_at_k(k, passes, kernels, is_told, holds);
    };
    score.at_k.push_back({k, at_k(&SuiteVerdict::is_counted, &SuiteVerdict::calls),
                          at_k(&SuiteVerdict::is_counted, &SuiteVerdict::executes),
                          at_k(&SuiteVerdict::is_told_by_assay, &SuiteVerdict::is_right)});
  }
  return score;
}

// An answer without code in it.
bool hands_in_none(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  return deciding != nullptr && deciding->error.starts_with(kNoCandidate);
}

// Of each author and target. Those that say how many there are may have none of these answers.
using PassesOf = std::map<std::pair<std::string, std::string>, size_t>;
PassesOf passes_of(const std::vector<SuiteVerdict>& verdicts) {
  std::map<std::pair<std::string, std::string>, std::set<int>> seen;
  PassesOf passes;
  for (const SuiteVerdict& each : verdicts) {
    const std::pair key{each.attempt->author, each.attempt->target};
    seen[key].insert(each.pass);
    passes[key] = std::max({passes[key], seen[key].size(), static_cast<size_t>(each.passes)});
  }
  return passes;
}

}  // namespace

bool is_of_suite(const Attempt& attempt) { return attempt.path.starts_with(kTritonPrefix); }

bool passes_suite(const Attempt& attempt) {
  const std::optional<SuiteVerdict> verdict = verdict_in(attempt);
  return verdict && verdict->is_right();
}

std::vector<SuiteVerdict> suite_verdicts(const std::vector<Attempt>& attempts,
                                         bool with_reference) {
  std::vector<SuiteVerdict> verdicts;
  for (const Attempt& attempt : attempts) {
    if (!is_of_suite(attempt) || (attempt.author == kReference && !with_reference)) continue;
    auto verdict = verdict_in(attempt);
    if (was_run(attempt)) {
      verdicts.push_back(std::move(*verdict));
      continue;
    }
    const StageRecord* deciding = attempt.deciding_stage();
    if (!verdict && fault_of(attempt) != Fault::candidate) continue;  // its kernel was not read
    SuiteVerdict unrun =
        verdict.value_or(SuiteVerdict{.attempt = &attempt, .pass = attempt.candidate});
    // Without code, or with none that can be loaded, it is wrong. Where its tests were not run for
    // another reason, nobody knows; it is of its pass all the same.
    const bool is_wrong = attempt.verdict == Verdict::failed &&
                          fault_of(attempt) == Fault::candidate &&
                          deciding->stage != Stage::compile;
    if (is_wrong) unrun.parses = unrun.call = unrun.exec = unrun.assay = false;
    unrun.why = deciding ? deciding->error : "its tests were not run";
    verdicts.push_back(std::move(unrun));
  }
  return verdicts;
}

std::vector<SuiteScore> suite_scores(const std::vector<Attempt>& attempts,
                                     std::span<const size_t> ks) {
  const std::vector<SuiteVerdict> verdicts = suite_verdicts(attempts);
  using Group = std::array<std::string, 4>;  // author, target, its kind's place, its name
  std::map<Group, std::vector<const SuiteVerdict*>> groups;
  for (const SuiteVerdict& each : verdicts) {
    const Attempt& attempt = *each.attempt;
    groups[{attempt.author, attempt.target, "", ""}].push_back(&each);
    if (!each.difficulty.empty())
      groups[{attempt.author, attempt.target, "1", "difficulty " + each.difficulty}].push_back(
          &each);
    if (!each.category.empty())
      groups[{attempt.author, attempt.target, "2", "category " + each.category}].push_back(&each);
  }
  const PassesOf passes = passes_of(verdicts);
  std::vector<SuiteScore> scores;
  for (const auto& [group, answers] : groups)
    scores.push_back(score_of(answers, group[3], passes.at({group[0], group[1]}), ks));
  return scores;
}

Json to_json(const SuiteScore& score) {
  const auto rate = [](const SuiteRate& each) -> Json {
    return {{"right", each.count}, {"of", each.of}};
  };
  Json at_k = Json::array();
  for (const SuitePassAt& at : score.at_k)
    at_k.push_back({{"k", at.k}, {"call", at.call}, {"exec", at.exec}, {"assay", at.assay}});
  return {{"author", score.author},        {"target", score.target},
          {"group", or_null(score.group)}, {"kernels", score.kernels},
          {"answers", score.answers},      {"passes", score.passes},
          {"call", rate(score.call)},      {"exec", rate(score.exec)},
          {"assay", rate(score.assay)},    {"unverifiable", score.unverifiable},
          {"pass_at_k", std::move(at_k)}};
}

std::map<int, std::vector<const SuiteVerdict*>> by_pass(const std::vector<SuiteVerdict>& verdicts) {
  std::map<int, std::vector<const SuiteVerdict*>> passes;
  for (const SuiteVerdict& each : verdicts) {
    for (int pass = 1; pass <= each.passes; ++pass) passes[pass];
    passes[each.pass].push_back(&each);
  }
  return passes;
}

Result<std::string> code_of(const Attempt& attempt, RunReader* reader) {
  if (hands_in_none(attempt) || reader == nullptr) return "";
  const std::string path = candidate_file(attempt);
  const auto text = path.empty() ? std::nullopt : reader->text(path);
  const std::string& judged = attempt.origin.candidate_sha256;
  const auto missing = [&](std::string_view what) {
    return error(Code::not_found,
                 fmt::format("'{}' {} that {} was judged by", path, what, attempt.id),
                 "this format has it in its files: put the file back as it was, or run it again");
  };
  if (!text) return missing("is no longer there, which had the code");
  // One with sources beside it was judged by all of them together, and nobody reads these here.
  if (sha256(*text) == judged || text->contains("cpp_extension")) return *text;
  std::vector<std::string> odd;
  const auto entries = read_answers(*text, path, &odd);
  for (const AnswerEntry& entry : entries.value_or(std::vector<AnswerEntry>{})) {
    const auto& code = entry.answer.candidate.code;
    if (code && sha256(*code) == judged) return *code;
  }
  return missing("has no longer the code");
}

}  // namespace assay
