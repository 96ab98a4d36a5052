#include "report/suite_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "author/answer.h"
#include "base/hash.h"
#include "report/estimators.h"
#include "report/run_reader.h"
#include "report/user_files.h"

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

// Of an answer that was never run, since there is no code in it.
std::optional<SuiteVerdict> verdict_in(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::smoke) continue;
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

void add(std::optional<bool> is, SuiteRate& rate) {
  if (!is) return;
  ++rate.of;
  if (*is) ++rate.count;
}

// Over the kernels, of the answers of which it is told.
template <class Member>
double pass_at_k(size_t k, const std::map<std::string, std::vector<const SuiteVerdict*>>& kernels,
                 Member member) {
  double sum = 0;
  size_t count = 0;
  for (const auto& [name, answers] : kernels) {
    const auto of = static_cast<size_t>(std::ranges::count_if(
        answers, [&](const SuiteVerdict* each) { return (each->*member).has_value(); }));
    const auto right = static_cast<size_t>(std::ranges::count_if(
        answers, [&](const SuiteVerdict* each) { return (each->*member).value_or(false); }));
    if (of == 0) continue;
    sum += pass_at(k, of, right);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

SuiteScore score_of(const std::vector<const SuiteVerdict*>& answers, std::string group,
                    std::span<const size_t> ks) {
  SuiteScore score{.author = answers.front()->attempt->author,
                   .target = answers.front()->attempt->target,
                   .group = std::move(group)};
  std::map<std::string, std::vector<const SuiteVerdict*>> kernels;
  for (const SuiteVerdict* each : answers) {
    kernels[each->attempt->path].push_back(each);
    add(each->call, score.call);
    add(each->exec, score.exec);
    add(each->assay, score.assay);
    if (!each->exec) ++score.unverifiable;
  }
  score.answers = answers.size();
  score.kernels = kernels.size();
  size_t most = 0;
  for (const auto& [name, of_one] : kernels) most = std::max(most, of_one.size());
  for (size_t k = 1; most > 1 && k <= most; ++k) {
    if (!ks.empty() && std::ranges::find(ks, k) == ks.end()) continue;
    score.at_k.push_back({k, pass_at_k(k, kernels, &SuiteVerdict::call),
                          pass_at_k(k, kernels, &SuiteVerdict::exec),
                          pass_at_k(k, kernels, &SuiteVerdict::assay)});
  }
  return score;
}

}  // namespace

bool passes_suite(const Attempt& attempt) {
  const std::optional<SuiteVerdict> verdict = verdict_in(attempt);
  return verdict && verdict->assay.value_or(false);
}

std::vector<SuiteVerdict> suite_verdicts(const std::vector<Attempt>& attempts,
                                         bool with_reference) {
  std::vector<SuiteVerdict> verdicts;
  for (const Attempt& attempt : attempts) {
    if (attempt.author == kReference && !with_reference) continue;
    if (auto verdict = verdict_in(attempt)) {
      verdicts.push_back(std::move(*verdict));
    } else if (attempt.path.starts_with("triton:") && attempt.verdict == Verdict::failed &&
               fault_of(attempt) == Fault::candidate) {
      SuiteVerdict failed{.attempt = &attempt};
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
  std::vector<SuiteScore> scores;
  for (const auto& [group, answers] : groups) scores.push_back(score_of(answers, group[3], ks));
  return scores;
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
