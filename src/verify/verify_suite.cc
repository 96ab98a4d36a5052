#include "verify/verify_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "run/outcome.h"
#include "verify/decide.h"
#include "verify/memory_need.h"
#include "verify/random.h"
#include "verify/suite_run.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

// As TritonBench's evaluation seeds before each run.
constexpr uint32_t kSuiteSeed = 42;
constexpr int kSecretSeeds = 3;
// How long it may go on to further seeds.
constexpr int64_t kFewSeedsNs = 30'000'000'000;
// Of a process with torch and Triton that runs small tests, beside what forks share.
constexpr uint64_t kRunBytes = uint64_t{512} << 20;
constexpr std::string_view kUnverifiable = "unverifiable here: ";

std::string_view rule_of(Differs how) {
  switch (how) {
    case Differs::parts:
    case Differs::shape:
      return to_word(kRuleWords, Rule::shape);
    case Differs::type:
      return to_word(kRuleWords, Rule::dtype);
    case Differs::non_finite:
      return to_word(kRuleWords, Rule::non_finite);
    case Differs::value:
      break;
  }
  return to_word(kRuleWords, Rule::wrong);
}

std::string in_words(const std::string& variable, const ResultDifference& difference) {
  return fmt::format("{}{}: {}", variable, difference.where, difference.why);
}

StageRecord passed() {
  StageRecord record;
  record.stage = Stage::smoke;
  return record;
}

class SuiteVerification {
 public:
  SuiteVerification(const VerifyJob& job, const VerifyTools& tools, Children& children,
                    MemoryGate& memory)
      : job_(job), task_(*job.tests), tools_(tools), children_(children), memory_(memory) {}

  Result<Verified> run() {
    ASSAY_ASSIGN(seed_, job_.seed.empty() ? Seed::secret() : Seed::from_hex(job_.seed));
    random_.emplace(seed_, "suite");
    code_ = without_tests(job_.candidate);
    verified_.isolation = to_word(kIsolationWords, tools_.isolation);
    if (!tools_.no_triton.empty()) return only(not_judged_stage(Stage::smoke, tools_.no_triton));
    limits_ = tools_.limits;
    limits_.timeout_ns = job_.timeout_ns;
    limits_.memory_bytes = job_.memory_bytes;
    Step<MemoryPass> admitted =
        admit({.oracle_bytes = 0, .all_bytes = kRunBytes}, job_.memory_bytes, memory_);
    if (!admitted) {
      ASSAY_ASSIGN(StageRecord why, finding_of(std::move(admitted.error())));
      why.stage = Stage::smoke;
      return only(std::move(why));
    }
    if (job_.gpu) {
      ASSAY_TRY(compile());
      if (!job_.smoke || verified_.stages.back().status != StageStatus::ok)
        return std::move(verified_);
    }
    const int64_t begin_ns = system_clock().now_ns();
    ASSAY_ASSIGN(StageRecord record, smoke());
    record.stage = Stage::smoke;
    took(record, system_clock().now_ns() - begin_ns);
    record.evidence = {
        {"suite", std::move(said_)}, {"isolation", verified_.isolation}, {"seed", seed_.hex()}};
    verified_.seed = seed_.hex();
    verified_.stages.push_back(std::move(record));
    return std::move(verified_);
  }

 private:
  bool is_own() const { return job_.own_model == OwnModel::as_it_is; }

  Result<Verified> only(StageRecord record) {
    verified_.stages.push_back(std::move(record));
    return std::move(verified_);
  }

  Result<SuiteRun> run(std::string_view code, const SuiteRunSetting& setting) {
    return run_suite_tests(task_, code, setting, tools_, limits_, children_);
  }

  Status compile() {
    ASSAY_ASSIGN(SuiteRun compiled, run(code_, {.seed = kSuiteSeed,
                                                .is_secret = false,
                                                .drops_tests = !is_own(),
                                                .gpu = job_.gpu,
                                                .phases = job_.phases}));
    StageRecord record = std::move(compiled.record);
    if (compiled.kernels) {
      GpuKernels& kernels = *compiled.kernels;
      const auto wall_ns = record.wall_ns, began_us = record.began_us;
      record = std::move(kernels.record);
      record.wall_ns = wall_ns.value_or(0);
      record.began_us = began_us;
      if (record.status == StageStatus::ok && kernels.list.empty())
        record = failed_stage(Stage::compile, FailureClass::build,
                              kernels.stopped.empty()
                                  ? "its tests launch no kernel for a GPU"
                                  : "before its first kernel for a GPU: " + kernels.stopped);
      if (record.status == StageStatus::ok) {
        record.evidence = {{"architecture", job_.gpu->architecture},
                           {"kernels", std::move(kernels.list)},
                           {"compiler", "Triton " + tools_.triton}};
        if (!kernels.stopped.empty()) record.evidence["stopped"] = kernels.stopped;
        verified_.files = std::move(kernels.files);
      }
    }
    record.stage = Stage::compile;
    verified_.stages.push_back(std::move(record));
    return {};
  }

  // What is said of it in the words of the suites, and what it is in assay's.
  Result<StageRecord> smoke() {
    said_ = {{"format", task_.format},
             {"difficulty", or_null(task_.difficulty)},
             {"category", or_null(task_.category)},
             {"call", nullptr},
             {"exec", nullptr},
             {"assay", nullptr},
             {"time", "needs a card"}};
    ASSAY_ASSIGN(SuiteRun first, run(code_, {.seed = kSuiteSeed, .drops_tests = !is_own()}));
    tell(first);
    if (first.record.failure == FailureClass::timeout) {
      ASSAY_ASSIGN(const bool takes_long, takes_long_itself());
      if (takes_long)
        return unverifiable("Triton's interpreter takes too long for the suite's own code, too");
    }
    if (first.record.status == StageStatus::failed) {
      said_["call"] = said_["exec"] = said_["assay"] = false;
      said_["why"] = first.record.error;
      return first.record;
    }
    if (first.record.status != StageStatus::ok) {
      // What stops there is not said to run, nor not to.
      if (first.record.status == StageStatus::unsupported) return unverifiable(first.record.error);
      return first.record;
    }
    said_["call"] = true;
    if (is_own()) return judge_own(first);
    ASSAY_ASSIGN(SuiteRun reference, run(task_.kernel, own_setting()));
    if (std::string why = why_unusable(reference); !why.empty()) return unverifiable(why);
    if (std::string why = why_not_computed(first, reference); !why.empty())
      return unverifiable(why);
    ASSAY_ASSIGN(auto theirs,
                 difference(reference, first, as_suites_do(task_.tolerance), own_setting()));
    if (theirs && theirs->is_opaque) return unverifiable(in_words(first.told.found, *theirs));
    said_["exec"] = !theirs;
    if (theirs) {
      said_["assay"] = false;
      return wrong(first, *theirs, "under the suite's own seed");
    }
    return judge_beyond(reference, first);
  }

  Result<bool> takes_long_itself() {
    if (is_own()) return true;
    ASSAY_ASSIGN(const SuiteRun reference, run(task_.kernel, own_setting()));
    return reference.record.failure == FailureClass::timeout;
  }

  SuiteRunSetting own_setting() const { return {.seed = kSuiteSeed, .drops_tests = false}; }

  void tell(const SuiteRun& run) {
    said_["parses"] = run.parses;
    said_["launches"] = run.told.launches;
    said_["kernels"] = run.told.kernels;
    if (!run.told.replaced.empty()) said_["replaced"] = run.told.replaced;
    if (!run.told.outside.empty()) said_["outside"] = run.told.outside;
    if (!run.told.narrow.empty()) said_["types"] = run.told.narrow;
  }

  StageRecord unverifiable(const std::string& why) {
    said_["why"] = why;
    return not_judged_stage(Stage::smoke, std::string(kUnverifiable) + why);
  }

  // A suite's own code, that is: whether its tests say anything.
  Result<StageRecord> judge_own(const SuiteRun& run) {
    if (std::string why = why_not_computed(run, run); !why.empty()) return unverifiable(why);
    if (std::string why = why_unusable(run); !why.empty()) return unverifiable(why);
    ASSAY_ASSIGN(SuiteRun again, this->run(task_.kernel, own_setting()));
    if (auto differs = compare_trees(
            run.result->root, again.result ? again.result->root : ResultNode{}, as_types_allow()))
      return unverifiable("two runs of the suite's own code differ: " +
                          in_words(run.told.found, *differs));
    said_["exec"] = said_["assay"] = true;
    return passed();
  }

  static std::string why_unusable(const SuiteRun& reference) {
    if (reference.record.status != StageStatus::ok)
      return "the suite's own code does not run to its end: " + reference.record.error;
    const ResultCount count = count_of(reference.result->root);
    if (count.values + count.flags == 0)
      return reference.told.found.empty() ? "its tests leave no result"
                                          : "its tests leave nothing in " + reference.told.found;
    return "";
  }

  static bool writes_outside(const SuiteRun& run) {
    return std::ranges::find(run.told.outside, "written") != run.told.outside.end();
  }

  static std::string why_not_computed(const SuiteRun& run, const SuiteRun& reference) {
    std::vector<std::string> types = run.told.narrow;
    for (const std::string& each : reference.told.narrow)
      if (std::ranges::find(types, each) == types.end()) types.push_back(each);
    if (types.empty() && ((run.result && count_of(run.result->root).narrow) ||
                          (reference.result && count_of(reference.result->root).narrow)))
      types.emplace_back("bf16 or fp8");
    if (types.empty()) return "";
    return fmt::format("Triton's interpreter computes {} otherwise than GPUs do",
                       fmt::join(types, " and "));
  }

  // Where the suite's own code gives another result each time, nothing can be held to it.
  Result<std::optional<ResultDifference>> difference(const SuiteRun& reference,
                                                     const SuiteRun& found,
                                                     const CompareElements& elements,
                                                     const SuiteRunSetting& setting) {
    auto differs = compare_trees(reference.result->root, found.result->root, elements);
    if (!differs || differs->is_opaque) return differs;
    ASSAY_ASSIGN(SuiteRun again, run(task_.kernel, setting));
    if (!again.result) return differs;
    if (auto itself = compare_trees(reference.result->root, again.result->root, elements)) {
      itself->is_opaque = true;
      itself->why = "two runs of the suite's own code differ: " + itself->why;
      return itself;
    }
    return differs;
  }

  // Beyond what tests return: where that is right, a variable of theirs may be wrong. What differs
  // between two runs of the suite's own code is left out.
  Result<std::optional<ResultDifference>> variables_differ(const SuiteRun& reference,
                                                           const SuiteRun& found,
                                                           const SuiteRunSetting& setting) {
    auto differs = compare_trees(reference.variables, found.variables, as_types_allow());
    if (!differs || differs->is_opaque) return std::optional<ResultDifference>{};
    ASSAY_ASSIGN(const SuiteRun again, run(task_.kernel, setting));
    if (compare_trees(reference.variables, again.variables, as_types_allow()))
      return std::optional<ResultDifference>{};
    return differs;
  }

  StageRecord wrong(const SuiteRun& run, const ResultDifference& difference,
                    const std::string& under) {
    const std::string what = run.told.found.empty() && difference.where.empty()
                                 ? "its tests leave no result"
                                 : in_words(run.told.found, difference);
    said_["why"] = fmt::format("{} ({})", what, under);
    return rejected_stage(Stage::smoke, rule_of(difference.how), said_["why"].get<std::string>());
  }

  // It does what the suite asks. Does it compute, or has it learnt?
  Result<StageRecord> judge_beyond(const SuiteRun& reference, const SuiteRun& first) {
    const int64_t begin_ns = system_clock().now_ns();
    said_["assay"] = false;
    if (first.told.launches == 0) return no_kernel("its tests launch no kernel of it");
    if (auto differs = compare_trees(reference.result->root, first.result->root, as_types_allow());
        differs && !differs->is_opaque)
      return wrong(first, *differs, "under the suite's own seed, by assay's tolerance");
    ASSAY_ASSIGN(const auto variable, variables_differ(reference, first, own_setting()));
    if (variable) {
      said_["why"] = fmt::format("variables{}: {}", variable->where, variable->why);
      return rejected_stage(Stage::smoke, rule_of(variable->how), said_["why"].get<std::string>());
    }
    if (writes_outside(first) && !writes_outside(reference)) {
      said_["why"] = "it writes to memory that no tensor has";
      return rejected_stage(Stage::smoke, to_word(kRuleWords, Rule::out_of_bounds),
                            said_["why"].get<std::string>());
    }
    if (!first.told.replaced.empty())
      return no_kernel(
          fmt::format("it has its own in the place of {}", fmt::join(first.told.replaced, ", ")));
    int seeds = 0;
    for (; seeds < kSecretSeeds; ++seeds) {
      if (seeds > 0 && system_clock().now_ns() - begin_ns > kFewSeedsNs) break;
      const SuiteRunSetting setting{
          .seed = static_cast<uint32_t>(
              random_->named(fmt::format("seed {}", seeds)).seed_for_others()),
          .is_secret = true,
          .drops_tests = false};
      ASSAY_ASSIGN(SuiteRun expected, run(task_.kernel, setting));
      if (!why_unusable(expected).empty()) break;  // its tests take their own seed alone
      SuiteRunSetting theirs = setting;
      theirs.drops_tests = true;
      ASSAY_ASSIGN(SuiteRun found, run(code_, theirs));
      if (found.record.status == StageStatus::failed) {
        said_["why"] = "under a secret seed: " + found.record.error;
        return found.record;
      }
      if (!found.result) break;
      ASSAY_ASSIGN(auto differs, difference(expected, found, as_types_allow(), setting));
      if (differs && differs->is_opaque) break;
      if (differs) return wrong(found, *differs, "under a secret seed");
    }
    said_["seeds"] = seeds;
    said_["assay"] = true;
    const ResultCount count = count_of(reference.result->root);
    said_["compared"] = {
        {"tensors", count.tensors}, {"values", count.values}, {"flags", count.flags}};
    return passed();
  }

  StageRecord no_kernel(std::string why) {
    said_["why"] = why;
    return rejected_stage(Stage::smoke, to_word(kRuleWords, Rule::wrong), std::move(why));
  }

  const VerifyJob& job_;
  const SuiteTask& task_;
  const VerifyTools& tools_;
  Children& children_;
  MemoryGate& memory_;
  std::string_view code_;
  Limits limits_;
  Seed seed_;
  std::optional<RandomStream> random_;
  Verified verified_;
  Json said_;
};

}  // namespace

Result<Verified> verify_suite(const VerifyJob& job, const VerifyTools& tools, Children& children,
                              MemoryGate& memory) {
  return SuiteVerification(job, tools, children, memory).run();
}

}  // namespace assay
