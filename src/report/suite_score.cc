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
    return SuiteVerdict{.attempt = &attempt,
                        .format = suite_text(suite, "format"),
                        .difficulty = suite_text(suite, "difficulty"),
                        .category = suite_text(suite, "category"),
                        .parses = told(suite, "parses"),
                        .call = told(suite, "call"),
                        .exec = told(suite, "exec"),
                        .assay = told(suite, "assay"),
                        .why = suite_text(suite, "why")};
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

template <class Holds>
double pass_at_k(size_t k, size_t passes, const Kernels& kernels, Holds holds) {
  double sum = 0;
  size_t count = 0;
  for (const auto& [name, answers] : kernels) {
    const auto left_out = static_cast<size_t>(
        std::ranges::count_if(answers, [](const auto* each) { return !each->is_counted(); }));
    const auto right = static_cast<size_t>(
        std::ranges::count_if(answers, [&](const auto* each) { return (each->*holds)(); }));
    if (left_out == answers.size()) continue;
    sum += pass_at(k, passes - left_out, right);
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
    kernels[each->attempt->path].push_back(each);
    if (!each->is_counted()) {
      ++score.unverifiable;
      continue;
    }
    score.call.add(each->calls());
    score.exec.add(each->executes());
    score.assay.add(each->is_right());
  }
  score.answers = answers.size();
  score.kernels = kernels.size();
  score.passes = passes;
  for (size_t k = 1; passes > 1 && score.exec.of > 0 && k <= passes; ++k) {
    if (!ks.empty() && std::ranges::find(ks, k) == ks.end()) continue;
    score.at_k.push_back({k, pass_at_k(k, passes, kernels, &SuiteVerdict::calls),
                          pass_at_k(k, passes, kernels, &SuiteVerdict::executes),
                          pass_at_k(k, passes, kernels, &SuiteVerdict::is_right)});
  }
  return score;
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
    } else if (attempt.verdict == Verdict::failed && fault_of(attempt) == Fault::candidate) {
      // There is no code in it, or none that can be run.
      SuiteVerdict failed = verdict.value_or(SuiteVerdict{.attempt = &attempt});
      failed.parses = failed.call = failed.exec = failed.assay = false;
      if (const StageRecord* deciding = attempt.deciding_stage()) failed.why = deciding->error;
      verdicts.push_back(std::move(failed));
    }
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
  std::map<std::pair<std::string, std::string>, std::set<int>> passes;  // by author and target
  for (const SuiteVerdict& each : verdicts)
    passes[{each.attempt->author, each.attempt->target}].insert(each.attempt->candidate);
  std::vector<SuiteScore> scores;
  for (const auto& [group, answers] : groups)
    scores.push_back(score_of(answers, group[3], passes[{group[0], group[1]}].size(), ks));
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
  for (const SuiteVerdict& each : verdicts) passes[each.attempt->candidate].push_back(&each);
  return passes;
}

std::optional<std::string> code_of(const Attempt& attempt, RunReader* reader) {
  const std::string path = candidate_file(attempt);
  if (reader == nullptr || path.empty()) return std::nullopt;
  auto text = reader->text(path);
  if (!text) return std::nullopt;
  if (sha256(*text) == attempt.origin.candidate_sha256) return text;
  auto entries = read_answers(*text, path);
  if (!entries) return std::nullopt;
  for (const AnswerEntry& entry : *entries) {
    const auto& code = entry.answer.candidate.code;
    if (code && sha256(*code) == attempt.origin.candidate_sha256) return *code;
  }
  return std::nullopt;
}

}  // namespace assay
