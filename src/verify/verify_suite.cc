#include "verify/verify_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "run/outcome.h"
#include "verify/decide.h"
#include "verify/known_references.h"
#include "verify/memory_need.h"
#include "verify/random.h"
#include "verify/suite_reasons.h"
#include "verify/suite_run.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

constexpr int kSecretSeeds = 3;
// How long it may go on to further seeds.
constexpr int64_t kFewSeedsNs = 30'000'000'000;
// Of a process with torch and Triton that runs small tests, beside what forks share.
constexpr uint64_t kRunBytes = uint64_t{512} << 20;
constexpr std::string_view kUnverifiable = "unverifiable here: ";
constexpr std::string_view kTakesLong =
    "Triton's interpreter takes too long for the suite's own code";

constexpr std::string_view kNoneForGpu = "its tests launch no kernel for a GPU";
// What is right in all but the suites' words for it, and what differs to the last bit.
constexpr Strictness kMeant{.nan_agrees = true, .takes_tolerance = true};
constexpr Strictness kToTheBit{.nan_agrees = true};

StageRecord passed() {
  StageRecord record;
  record.stage = Stage::smoke;
  return record;
}

// What a stage came to after all: it took as long.
StageRecord instead_of(const StageRecord& before, StageRecord record) {
  record.wall_ns = before.wall_ns;
  record.began_us = before.began_us;
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
      if (!job_.smoke) return std::move(verified_);
      // What is not compiled may run in the interpreter all the same: call and exec are of that.
    }
    const int64_t begin_ns = system_clock().now_ns();
    ASSAY_ASSIGN(StageRecord record, smoke());
    record.stage = Stage::smoke;
    took(record, system_clock().now_ns() - begin_ns);
    if (job_.gpu) hold_to_compile(verified_.stages.back());
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
    SuiteRunSetting setting = own_setting();
    setting.drops_tests = !is_own();
    setting.gpu = job_.gpu;
    setting.phases = job_.phases;
    ASSAY_ASSIGN(SuiteRun compiled, run(code_, setting));
    StageRecord record = std::move(compiled.record);
    if (compiled.kernels) {
      GpuKernels& kernels = *compiled.kernels;
      const auto wall_ns = record.wall_ns, began_us = record.began_us;
      record = std::move(kernels.record);
      record.wall_ns = wall_ns.value_or(0);
      record.began_us = began_us;
      // Where nothing is launched, nothing is to be compiled: smoke says whether something should
      // be. A suite's own code may be plain torch.
      if (record.status == StageStatus::ok && kernels.list.empty()) {
        if (!kernels.stopped.empty())
          record = failed_stage(Stage::compile, FailureClass::build,
                                "before its first kernel for a GPU: " + kernels.stopped);
        else if (!job_.smoke && !is_own())
          record = failed_stage(Stage::compile, FailureClass::build, std::string(kNoneForGpu));
      }
      if (record.status == StageStatus::ok) {
        record.evidence = {{"architecture", job_.gpu->architecture},
                           {"kernels", std::move(kernels.list)},
                           {"compiler", "Triton " + tools_.triton}};
        if (!kernels.stopped.empty()) record.evidence["stopped"] = kernels.stopped;
        verified_.files = std::move(kernels.files);
      }
    }
    if (record.status == StageStatus::failed && !is_own()) {
      ASSAY_ASSIGN(const std::string why, why_reference_stops(setting));
      if (!why.empty()) {
        record = instead_of(record, unsupported_stage(Stage::compile, why));
      }
    }
    record.stage = Stage::compile;
    verified_.stages.push_back(std::move(record));
    return {};
  }

  // What runs in the interpreter is not right on a GPU that it does not compile for. What it is on
  // the suite's own terms, call and exec, is left alone.
  void hold_to_compile(StageRecord& compiled) {
    if (compiled.status == StageStatus::ok && compiled.evidence["kernels"].empty() &&
        said_.value("launches", int64_t{0}) > 0)
      compiled = instead_of(
          compiled, failed_stage(Stage::compile, FailureClass::build, std::string(kNoneForGpu)));
    if (said_["assay"] != true) return;
    if (compiled.status == StageStatus::failed) said_["assay"] = false;
    if (compiled.status == StageStatus::not_judged) said_["assay"] = nullptr;
    if (said_["assay"] != true) said_["why"] = compiled.error;
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
    ASSAY_ASSIGN(SuiteRun first, run(code_, {.seed = task_.seed, .drops_tests = !is_own()}));
    tell(first);
    if (first.record.status != StageStatus::ok) return judge_stopped(first);
    said_["call"] = true;
    if (is_own()) return judge_own(first);
    ASSAY_ASSIGN(SuiteRun reference, run(task_.kernel, own_setting()));
    if (std::string why = why_unusable(reference); !why.empty()) return unverifiable(why);
    if (std::string why = why_not_computed(first, reference); !why.empty())
      return unverifiable(why);
    const CompareElements meaning = as_suites_do(task_.tolerance, kMeant);
    ASSAY_ASSIGN(auto meant, difference(reference, first, meaning, meaning, own_setting()));
    if (meant && meant->is_opaque) return unverifiable(in_words(first.told.found, *meant));
    if (meant) {
      said_["exec"] = said_["assay"] = false;
      return wrong(first, *meant, "under the suite's own seed");
    }
    // Suites hold no NaN to be another one, and floats of Python's to be the same to the last bit.
    // Where that alone is not so, exec is not, and what is right beyond that is judged all the
    // same.
    ASSAY_ASSIGN(const auto theirs,
                 difference(reference, first, as_suites_do(task_.tolerance),
                            as_suites_do(task_.tolerance, kToTheBit), own_setting()));
    if (theirs && theirs->is_opaque) return unverifiable(in_words(first.told.found, *theirs));
    said_["exec"] = !theirs;
    if (theirs) said_["why"] = in_words(first.told.found, *theirs) + " (as the suite compares it)";
    return judge_beyond(reference, first);
  }

  Result<StageRecord> judge_stopped(const SuiteRun& first) {
    // What stops there is not said to run, nor not to.
    if (first.record.status == StageStatus::unsupported) return unverifiable(first.record.error);
    if (first.record.status != StageStatus::failed) return first.record;
    // What does not parse runs nowhere.
    std::string why;
    if (is_own() && first.record.failure == FailureClass::timeout) {
      why = kTakesLong;
    } else if (!is_own() && first.parses) {
      ASSAY_ASSIGN(why, why_reference_stops(own_setting()));
    }
    if (!why.empty()) return unverifiable(why);
    said_["call"] = said_["exec"] = said_["assay"] = false;
    said_["why"] = first.record.error;
    return first.record;
  }

  // Why nothing can be held to the suite's own code: it does not run to its end. "": it does.
  Result<std::string> why_reference_stops(SuiteRunSetting setting) {
    setting.drops_tests = false;
    setting.phases = false;
    const std::string key = sha256(fmt::format(
        "{} {} {} {} {} {} {}", setting.gpu ? setting.gpu->architecture : "", limits_.timeout_ns,
        limits_.memory_bytes, sha256(task_.name), sha256(task_.kernel), sha256(task_.tests),
        sha256(dump_json(modules_of(task_)))));
    if (auto known = known_references().find(key)) return *known;
    ASSAY_ASSIGN(const SuiteRun reference, run(task_.kernel, setting));
    const StageRecord& record = reference.kernels ? reference.kernels->record : reference.record;
    std::string why;
    if (record.failure == FailureClass::timeout && !setting.gpu)
      why = kTakesLong;
    else if (record.status != StageStatus::ok)
      why = stops_in_words(record);
    known_references().keep(key, why);
    return why;
  }

  SuiteRunSetting own_setting() const { return {.seed = task_.seed, .drops_tests = false}; }

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
    said_["exec"] =
        !compare_trees(run.result->root, again.result->root, as_suites_do(task_.tolerance));
    said_["assay"] = true;
    return passed();
  }

  // Where the suite's own code gives another result each time, as `steady` compares it, nothing can
  // be held to it.
  Result<std::optional<ResultDifference>> difference(const SuiteRun& reference,
                                                     const SuiteRun& found,
                                                     const CompareElements& elements,
                                                     const CompareElements& steady,
                                                     const SuiteRunSetting& setting) {
    auto differs = compare_trees(reference.result->root, found.result->root, elements);
    if (!differs || differs->is_opaque) return differs;
    ASSAY_ASSIGN(SuiteRun again, run(task_.kernel, setting));
    if (!again.result) return differs;
    if (auto itself = compare_trees(reference.result->root, again.result->root, steady)) {
      itself->is_opaque = true;
      itself->why = "two runs of the suite's own code differ: " + itself->why;
      return itself;
    }
    return differs;
  }

  // Beyond what tests return: where that is right, a variable of theirs may be wrong. Those that
  // differ between two runs of the suite's own code say nothing; the others do.
  //
  // But for workspaces: what a test makes by torch.empty(), never looks at, and hands to calls
  // whose value it takes (scratch_in() in suite_tests.py). Each kernel lays them out as it likes.
  // They are left out only where the tests leave values, so something of each run is compared. Who
  // forges can use no more than the suite's own blindness: a result that a test asks for in a
  // buffer is handed to a launch, or to a call for its own sake, and stays compared, and so does
  // all that a test returns the shape of. Which names these are, the run of the suite's own code
  // says, in a process that no candidate sees.
  Result<std::optional<ResultDifference>> variables_differ(const SuiteRun& reference,
                                                           const SuiteRun& found,
                                                           const SuiteRunSetting& setting) {
    const auto differ = parts_that_differ(reference.variables, found.variables, as_types_allow());
    if (differ.empty()) return std::optional<ResultDifference>{};
    ASSAY_ASSIGN(const SuiteRun again, run(task_.kernel, setting));
    const auto unsteady = parts_that_differ(reference.variables, again.variables, as_types_allow());
    const ResultCount count = count_of(reference.result->root);
    const auto is_workspace = [&](const std::string& name) {
      return count.tensors + count.numbers > 0 &&
             std::ranges::find(reference.told.scratch, name) != reference.told.scratch.end();
    };
    for (const auto& [name, difference] : differ)
      if (!unsteady.contains(name) && !difference.is_opaque && !is_workspace(name))
        return std::optional(difference);
    return std::optional<ResultDifference>{};
  }

  StageRecord wrong_variable(const ResultDifference& difference, const std::string& under) {
    said_["why"] = fmt::format("variables{}: {} ({})", difference.where, difference.why, under);
    return rejected_stage(Stage::smoke, rule_of(difference.how), said_["why"].get<std::string>());
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
    // Tests may reach a way of the suite's own kernel that launches none. An answer that has a
    // kernel as well need not launch it there; one of plain torch is no answer to that.
    const bool none_is_reached = reference.told.launches == 0 && has_kernel(task_.kernel);
    if (first.told.launches == 0 && !(none_is_reached && has_kernel(code_)))
      return no_kernel("its tests launch no kernel of it");
    if (auto differs = compare_trees(reference.result->root, first.result->root, as_types_allow());
        differs && !differs->is_opaque)
      return wrong(first, *differs, "under the suite's own seed, by assay's tolerance");
    ASSAY_ASSIGN(const auto variable, variables_differ(reference, first, own_setting()));
    if (variable) return wrong_variable(*variable, "under the suite's own seed");
    if (auto record = misbehaves(first, reference, "")) return *record;
    int seeds = 0;
    std::string why_none;
    for (int drawn = 0; drawn < kSecretSeeds; ++drawn) {
      if (drawn > 0 && system_clock().now_ns() - begin_ns > kFewSeedsNs) break;
      const SuiteRunSetting setting{
          .seed = static_cast<uint32_t>(
              random_->named(fmt::format("seed {}", drawn)).seed_for_others()),
          .is_secret = true,
          .drops_tests = false};
      ASSAY_ASSIGN(SuiteRun expected, run(task_.kernel, setting));
      if (std::string why = why_unusable(expected); !why.empty()) {
        why_none = std::move(why);  // its tests take their own seed alone
        continue;
      }
      SuiteRunSetting theirs = setting;
      theirs.drops_tests = true;
      ASSAY_ASSIGN(SuiteRun found, run(code_, theirs));
      if (found.record.status != StageStatus::ok) return stopped_in_secret(std::move(found.record));
      ASSAY_ASSIGN(auto differs,
                   difference(expected, found, as_types_allow(), as_types_allow(), setting));
      if (differs && differs->is_opaque) {
        why_none = in_words(found.told.found, *differs);
        continue;
      }
      if (differs) return wrong(found, *differs, "under a secret seed");
      ASSAY_ASSIGN(const auto other, variables_differ(expected, found, setting));
      if (other) return wrong_variable(*other, "under a secret seed");
      if (auto record = misbehaves(found, expected, ", under a secret seed")) return *record;
      const bool may_launch_none =
          expected.told.launches == 0 && (reference.told.launches > 0 || none_is_reached);
      if (found.told.launches == 0 && !may_launch_none)
        return no_kernel("its tests launch no kernel of it, under a secret seed");
      ++seeds;
    }
    said_["seeds"] = seeds;
    const ResultCount count = count_of(reference.result->root);
    said_["compared"] = {
        {"tensors", count.tensors}, {"values", count.values}, {"flags", count.flags}};
    if (seeds == 0) {
      said_["assay"] = nullptr;
      said_["why"] = "nothing is known beyond the suite's own seed: " + why_none;
      return not_judged_stage(Stage::smoke, said_["why"].get<std::string>());
    }
    said_["assay"] = true;
    return passed();
  }

  // What it does beside results that are right.
  std::optional<StageRecord> misbehaves(const SuiteRun& found, const SuiteRun& reference,
                                        std::string_view under) {
    if (writes_outside(found) && !writes_outside(reference)) {
      said_["why"] = fmt::format("it writes to memory that no tensor has{}", under);
      return rejected_stage(Stage::smoke, to_word(kRuleWords, Rule::out_of_bounds),
                            said_["why"].get<std::string>());
    }
    if (found.told.replaced.empty()) return std::nullopt;
    return no_kernel(fmt::format("it has its own in the place of {}{}",
                                 fmt::join(found.told.replaced, ", "), under));
  }

  // It ran under the suite's seed, and the suite's own code runs under this one.
  StageRecord stopped_in_secret(StageRecord record) {
    said_["why"] = "under a secret seed: " + record.error;
    if (record.status == StageStatus::not_judged) said_["assay"] = nullptr;
    if (record.status != StageStatus::unsupported) return record;
    return rejected_stage(Stage::smoke, to_word(kRuleWords, Rule::wrong),
                          said_["why"].get<std::string>());
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
