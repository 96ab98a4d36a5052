// What KernelBench's scripts leave of a run in which models wrote kernels: each sample's file,
// eval_results.json and pass_at_k_results.json. Each answer is a sample, counted from 0.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "author/answer.h"
#include "base/escape.h"
#include "report/estimators.h"
#include "report/kernelbench.h"
#include "report/search_results.h"

namespace assay {
namespace {

// The number at the end of "KernelBench/level1"; 0 where it has none.
std::string level_number(const std::string& level) {
  const size_t end = level.find_last_not_of("0123456789");
  const std::string number = level.substr(end == std::string::npos ? 0 : end + 1);
  return number.empty() ? "0" : number;
}

struct Kernel {
  std::string file;
  std::shared_ptr<const std::string> code;
};

// Of one problem: how many, and how many of them are right.
struct FirstSamples {
  size_t samples = 0, correct = 0;
};

// One author's on one level and target. Theirs is a folder of runs/.
struct Evaluated {
  std::string folder;  // with a slash behind it; "": there is one alone
  std::vector<Kernel> kernels;
  std::map<std::string, Json> samples;        // by problem
  std::map<std::string, FirstSamples> first;  // of these, first answers
};

class Folders {
 public:
  explicit Folders(const ReportInput& input) {
    for (const Attempt& attempt : input.attempts) attempts_[attempt.id] = &attempt;
    const std::vector<SearchResult> results = search_results(input.search);
    std::map<std::string, Evaluated> by_name;
    for (const SearchResult& result : results) {
      const std::string name =
          escape_component(fmt::format("{}_{}_{}", result.author, result.level, result.target));
      add(result, by_name[name]);
    }
    for (auto& [name, evaluated] : by_name) {
      if (by_name.size() > 1) evaluated.folder = name + "/";
      folders.push_back(std::move(evaluated));
    }
  }

  std::vector<Evaluated> folders;

 private:
  void add(const SearchResult& result, Evaluated& to) {
    const std::string problem = kernelbench_problem(result.problem);
    for (const SearchNode& node : result.tree->nodes()) {
      if (node.is_start() || !node.answer || !node.known() ||
          node.known()->verdict == Verdict::not_judged)
        continue;
      const int id = node.number - 1;
      Candidate candidate;
      take_code_of_answer(node.answer->text, candidate);
      if (candidate.code)
        to.kernels.push_back(
            {fmt::format("level_{}_problem_{}_sample_{}_kernel{}", level_number(result.level),
                         problem, id, candidate.form->endings.front()),
             candidate.code});
      Json& samples = to.samples[problem];
      samples.push_back(sample(node, id));
      if (!is_first_answer(*result.tree, node)) continue;
      FirstSamples& first = to.first[problem];
      ++first.samples;
      first.correct += samples.back()["correctness"] == true ? 1 : 0;
    }
  }

  Json sample(const SearchNode& node, int id) const {
    auto attempt = attempts_.find(node.known()->attempt);
    if (attempt != attempts_.end()) return kernelbench_sample(*attempt->second, id);
    // There was nothing to be judged in the answer.
    return {{"sample_id", id},
            {"compiled", false},
            {"correctness", false},
            {"metadata",
             {{"assay_verdict", to_word(kVerdictWords, node.known()->verdict)},
              {"assay_error", utf8(node.known()->reason)}}},
            {"runtime", -1.0},
            {"runtime_stats", Json::object()}};
  }

  std::map<std::string, const Attempt*> attempts_;  // by id
};

Json results_json(const Evaluated& evaluated) {
  Json json = Json::object();
  for (const auto& [problem, samples] : evaluated.samples) json[problem] = samples;
  return json;
}

// Of first answers: what was told of another one is no draw of the same.
// Where there are fewer than k samples, all are drawn, and the key says how many, as there.
Json pass_at_k_json(const Evaluated& evaluated) {
  constexpr size_t kDrawn[] = {1, 5, 10};
  Json problems = Json::object();
  size_t all_samples = 0, all_correct = 0;
  for (const auto& [problem, first] : evaluated.first) {
    Json& json = problems[problem];
    json = {{"total_samples", first.samples}, {"correct_samples", first.correct}};
    for (size_t k : kDrawn) {
      k = std::min(k, first.samples);
      json[fmt::format("pass@{}", k)] = pass_at(k, first.samples, first.correct);
    }
    all_samples += first.samples;
    all_correct += first.correct;
  }
  Json averages = Json::object(), metadata{{"total_problems", problems.size()},
                                           {"problems_with_samples", problems.size()},
                                           {"total_evaluated_samples", all_samples},
                                           {"total_correct_samples", all_correct}};
  for (size_t k : kDrawn) {
    const std::string key = fmt::format("pass@{}", k);
    double sum = 0;
    size_t count = 0;
    for (const Json& problem : problems)
      if (problem.contains(key)) {
        sum += problem[key].get<double>();
        ++count;
      }
    if (count > 0) averages["avg_" + key] = sum / static_cast<double>(problems.size());
    metadata[key + "_count"] = count;
  }
  return {{"averages", std::move(averages)},
          {"metadata", std::move(metadata)},
          {"problems", std::move(problems)}};
}

}  // namespace

std::vector<std::string> kernelbench_search_files(const ReportInput& input) {
  std::vector<std::string> names;
  for (const Evaluated& each : Folders(input).folders) {
    names.push_back(each.folder + "eval_results.json");
    names.push_back(each.folder + "pass_at_k_results.json");
    for (const Kernel& kernel : each.kernels) names.push_back(each.folder + kernel.file);
  }
  return names;
}

void render_kernelbench_search(const ReportInput& input, ReportSink& sink) {
  for (const Evaluated& each : Folders(input).folders) {
    sink.begin_file(each.folder + "eval_results.json");
    sink.write(dump_json(results_json(each), 4) + "\n");
    sink.begin_file(each.folder + "pass_at_k_results.json");
    sink.write(dump_json(pass_at_k_json(each), 2) + "\n");
    for (const Kernel& kernel : each.kernels) {
      sink.begin_file(each.folder + kernel.file);
      sink.write(*kernel.code);
    }
  }
}

}  // namespace assay
