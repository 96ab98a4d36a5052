#include "verify/verify_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "run/outcome.h"
#include "verify/candidate_file.h"
#include "verify/extensions.h"
#include "verify/findings.h"
#include "verify/launch.h"
#include "verify/memory_need.h"
#include "verify/no_device.h"
#include "verify/other_check.h"
#include "verify/other_state.h"
#include "verify/sanitize.h"
#include "verify/which_families.h"

namespace assay {
namespace {

// How many times smaller the whole numbers are made until sums of them stay whole.
constexpr int kIntegerAttempts = 3;

// How long the telling families may take where all would take too long.
constexpr int64_t kFewNs = 120'000'000'000;

class Verification {
 public:
  Verification(const VerifyJob& job, const VerifyTools& tools, Children& children,
               MemoryGate& memory, NativeLibraries& libraries)
      : job_(job),
        tools_(tools),
        children_(children),
        memory_(memory),
        libraries_(libraries),
        extensions_(tools, children, libraries, job),
        found_(job.flushes_denormals(), job.form->is_emulated()) {}

  Result<Verified> run(std::optional<Oracle>* keep) {
    int64_t begin_ns = system_clock().now_ns();
    ASSAY_ASSIGN(seed_, job_.seed.empty() ? Seed::secret() : Seed::from_hex(job_.seed));
    random_.emplace(seed_, "verify");
    StageRecord record;
    if (Step<void> done = go(keep); done) {
      record = found_.conclusion();  // nothing else accepts
    } else {
      ASSAY_ASSIGN(record, finding_of(std::move(done.error())));
    }
    leave_to_devices(job_, job_.has_run || found_.has_judged(), record);
    if (record.stage != Stage::verify) {  // it was not built
      ASSAY_TRY(add_check(record));
      return Verified{{std::move(record)}, isolation(), ""};
    }
    ASSAY_ASSIGN(Json sanitizers, pass_sanitizers(subject(), libraries_, record, found_));
    record.evidence = found_.evidence();
    record.evidence["isolation"] = isolation();
    record.evidence["seed"] = seed_.hex();
    if (!sanitizers.empty()) record.evidence["sanitizers"] = std::move(sanitizers);
    ASSAY_TRY(add_check(record));
    took(record, system_clock().now_ns() - begin_ns - taken_.building_ns, extensions_.wall_ns());
    if (extensions_.builds()) stages_.push_back(*extensions_.builds());
    stages_.push_back(std::move(record));
    Verified verified{std::move(stages_), isolation(), seed_.hex()};
    struct stat left{};
    verified.shares = taken_.left && ::fstat(taken_.left.get(), &left) == 0 && left.st_size > 0;
    return verified;
  }

 private:
  std::string isolation() const { return std::string(to_word(kIsolationWords, tools_.isolation)); }

  Subject subject() {
    return {job_, tools_, children_, *random_, taken_.file.get(), extensions_, taken_.left.get()};
  }

  Status add_check(StageRecord& record) {
    if (!tools_.check) return {};
    ASSAY_ASSIGN(Json check, other_check(*tools_.check, record, subject()));
    if (!check.is_null()) record.evidence["check"] = std::move(check);
    return {};
  }

  Step<void> go(std::optional<Oracle>* keep) {
    ASSAY_TRY(take_candidate());
    if (job_.has_no_model)
      found_.add_weaker("no torch says what error is usual: it is held to KernelBench's tolerance");
    if (std::string shown = shown_with(tools_, job_.problem_path); !shown.empty())
      found_.add_weaker("the candidate could read the problem's file: its jail shows " + shown);
    ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject()));
    if (std::string why = why_not_judged(oracle.description(), *job_.form); !why.empty())
      return std::unexpected(
          Stop(blamed_on(Fault::assay, unsupported_stage(Stage::verify, std::move(why)))));
    found_.set_inputs(inputs_in_words(oracle.description()));
    for (const StateTensor& each : oracle.description().state)
      if (each.changed)
        found_.add_weaker("what a call leaves in '" + each.name + "' is not looked at");
    Launch::Context context{subject(), oracle};
    product_ = product_of(job_.product, oracle.description());
    // Up to there every family is tried at the problem's own size.
    if (oracle.description().bytes() <= kAtOnceBytes || product_) {
      ASSAY_TRY(take_memory(oracle.description(), nullptr));
      ASSAY_TRY(all_families(context, kFullSize));
      const bool is_light = oracle.description().bytes() <= kAtOnceBytes && !job_.on_card;
      if (keep != nullptr && is_light) keep->emplace(std::move(oracle));
      return {};
    }
    if (job_.form->is_artifact())
      return few_families(context, "an artifact has the shapes that it was compiled for");
    if (job_.own_model != OwnModel::none)
      ASSAY_TRY(admit_model(oracle.description(), job_.own_model, job_.memory_bytes, memory_));
    ASSAY_ASSIGN(Smaller smaller, oracle.shrink(kShrunkBytes));
    if (smaller.constants.empty())
      return few_families(context, "no constant of the file makes it smaller");
    ASSAY_TRY(oracle.describe_at(smaller.constants));
    ASSAY_TRY(take_memory(oracle.description(), nullptr));
    Step<void> small = all_families(context, smaller.in_words());
    auto* why = small ? nullptr : std::get_if<StageRecord>(&small.error().why);
    bool declined = why && found_.calls() <= 1 && is_of_another_size(*why);
    if (!small && !declined) return small;
    if (found_.is_rejected()) return {};
    ASSAY_TRY(oracle.describe_at(Json::object()));
    return declined ? few_families(context, why->error) : two_rounds(context);
  }

  // A large problem at its own size, after all at another. A candidate may do otherwise here.
  Step<void> two_rounds(const Launch::Context& context) {
    ASSAY_ASSIGN(Launch::Setting setting, full_size(context));
    int64_t begin_ns = system_clock().now_ns();
    // With other parameters than it had before: those that are loaded, if there are some.
    const bool loads = Launch::loads_weights(job_, setting);
    std::optional<Launch> launch;
    ASSAY_TRY(restart(launch, context, setting, !loads));
    ASSAY_ASSIGN(Launch::Outcome own, round(context, *launch, {.family = Family::own}, false));
    if (!own.result.complaints.empty()) return {};
    if (2 * (system_clock().now_ns() - begin_ns) >= std::min(kFewNs, job_.timeout_ns)) {
      found_.add_weaker("at its full size it was called once: twice would take too long");
      return {};
    }
    setting.draws_weights = true;
    if (loads) ASSAY_TRY(restart(launch, context, setting, true));
    ASSAY_TRY(round(context, *launch, {.family = Family::moderate}, false));
    return watch(*launch);
  }

  Step<void> take_candidate() {
    ASSAY_ASSIGN(taken_, take_candidate_file(job_, tools_, children_, libraries_));
    if (taken_.build) stages_.push_back(std::move(*taken_.build));
    return {};
  }

  Step<void> take_memory(const ProblemDescription& problem, const ChunkPlan* chunks) {
    ProblemDescription computed = problem;
    if (is_probed(product_)) computed.double_bytes = computed.forward_bytes;  // nothing in double
    admitted_ = MemoryPass();
    const MemoryNeed need = memory_need(computed, *job_.form, chunks, job_.own_model);
    ASSAY_ASSIGN(admitted_, admit(need, job_.memory_bytes, memory_));
    return {};
  }

  // How the full size of a large problem is gone about: in chunks where that may be.
  Step<Launch::Setting> full_size(const Launch::Context& context) {
    Launch::Setting how = setting(kFullSize);
    ASSAY_ASSIGN(auto chunks, plan_chunks(context.oracle, job_.memory_bytes));
    if (auto* plan = std::get_if<ChunkPlan>(&chunks))
      how.chunks = std::move(*plan);
    else
      at_once_ = std::get<std::string>(chunks);
    ASSAY_TRY(take_memory(context.oracle.description(), how.chunks ? &*how.chunks : nullptr));
    return how;
  }

  // Of both models: another one for each launch.
  uint32_t model_seed() const {
    std::string name = fmt::format("model {}", found_.launches());
    return static_cast<uint32_t>(random_->named(name).seed_for_others());
  }
  int fresh_byte() { return fresh_memory_byte(*random_, bytes_drawn_++); }

  Launch::Setting setting(const std::string& size) {
    return {.size = size, .seed = model_seed(), .perturb = fresh_byte()};
  }

  // The launches at one size: everything once, one round again in a new process, and whole numbers.
  Step<void> all_families(const Launch::Context& context, const std::string& size) {
    ASSAY_ASSIGN(Launch launch, start(context, setting(size)));
    Launch::Ask own{.family = Family::own};
    ASSAY_ASSIGN(Launch::Outcome first, round(context, launch, own, true));
    if (!first.result.complaints.empty()) return {};
    for (Family family : families_in_order()) {
      for (int number = 0; number < rounds_of(family, context.oracle.description()); ++number) {
        Launch::Ask ask{.family = family, .number = number};
        if (family == Family::tiny) ask.attempt = number;
        if (is_of_own(family)) ask.earlier = launch.draw_name(own);
        ASSAY_ASSIGN(Launch::Outcome outcome, round(context, launch, ask, false));
        if (!outcome.result.complaints.empty()) return {};
      }
    }
    ASSAY_TRY(again(context, launch, first));
    if (found_.is_rejected()) return {};
    ASSAY_TRY(other_parameters(context, setting(size), std::move(launch)));
    return other_driver(context, setting(size), [] { return true; });
  }

  // By IREE's other driver for CPUs, which has an order of its own: the most telling families.
  Step<void> other_driver(const Launch::Context& context, Launch::Setting how,
                          const std::function<bool()>& time_is_left) {
    if (!job_.runner().has_other_driver || found_.is_rejected()) return {};
    how.other_driver = true;
    ASSAY_ASSIGN(Launch launch, start(context, how));
    const Launch::Ask own{.family = Family::own};
    ASSAY_TRY(round(context, launch, own, false));
    for (Family family : telling_families(context.oracle.description())) {
      if (found_.is_rejected()) return {};
      if (family == Family::own || family == Family::integers) continue;
      if (!time_is_left()) {
        found_.add_weaker("not all of that was tried with IREE's driver " +
                          std::string(iree_driver(job_.threads, true)) +
                          ", too: that would take too long");
        return {};
      }
      Launch::Ask ask{.family = family};
      if (is_of_own(family)) ask.earlier = launch.draw_name(own);
      ASSAY_TRY(round(context, launch, ask, false));
    }
    return {};
  }

  // Whole numbers, and other values for parameters that have one throughout. Both: of the few
  // elements of a small parameter, whole numbers may be the very ones that it had.
  Step<void> other_parameters(const Launch::Context& context, Launch::Setting how,
                              std::optional<Launch> first) {
    how.draws_weights = true;
    fixed_ = FixedState(context.oracle.description(), first->state());
    const bool had_loaded = Launch::loads_weights(job_, first->setting());
    first.reset();  // memory was admitted for one at a time
    ASSAY_TRY(whole_numbers(context, how));
    if (found_.is_rejected() || !(fixed_.any() || had_loaded)) return {};
    return other_state(context, how);
  }

  // The same where each round takes long: the most telling families, as far as time allows.
  Step<void> few_families(const Launch::Context& context, const std::string& why) {
    ASSAY_ASSIGN(Launch::Setting how, full_size(context));
    int64_t begin_ns = system_clock().now_ns();
    ASSAY_ASSIGN(Launch launch, start(context, how));
    Launch::Ask own{.family = Family::own};
    ASSAY_ASSIGN(Launch::Outcome first, round(context, launch, own, true));
    if (!first.result.complaints.empty()) return {};
    int64_t round_ns = system_clock().now_ns() - begin_ns;
    auto time_is_left = [&] { return system_clock().now_ns() - begin_ns + round_ns < kFewNs; };
    std::vector<Family> left_out, telling = telling_families(context.oracle.description());
    for (Family family : families_in_order()) {
      if (std::ranges::find(telling, family) == telling.end() || !time_is_left()) {
        left_out.push_back(family);
        continue;
      }
      const int rounds =
          family == Family::touched ? rounds_of(family, context.oracle.description()) : 1;
      for (int number = 0; number < rounds && time_is_left(); ++number) {
        Launch::Ask ask{.family = family, .number = number};
        if (is_of_own(family)) ask.earlier = launch.draw_name(own);
        ASSAY_ASSIGN(Launch::Outcome outcome, round(context, launch, ask, false));
        if (!outcome.result.complaints.empty()) return {};
      }
    }
    found_.add_weaker("at its full size, which alone was tried (" + why +
                      "), these families were left out: " + in_words(left_out));
    if (!time_is_left()) {
      ASSAY_TRY(found_.end(launch));
      found_.add_weaker("the same inputs a second time, and whole numbers, would take too long");
      if (job_.is_watched())
        found_.add_weaker("what it leaves to torch was not seen: that would take too long");
      return {};
    }
    ASSAY_TRY(again(context, launch, first));
    if (found_.is_rejected()) return {};
    if (!time_is_left()) {
      found_.add_weaker("whole numbers would take too long");
      return {};
    }
    ASSAY_TRY(other_parameters(context, how, std::move(launch)));
    return other_driver(context, how, time_is_left);
  }

  // The first round in a new process.
  Step<void> again(const Launch::Context& context, Launch& launch, const Launch::Outcome& first) {
    ASSAY_TRY(launch.start_again(fresh_byte()));
    found_.add_printed(launch.printed_before());
    ASSAY_ASSIGN(Launch::Outcome again, round(context, launch, {.family = Family::own}, true));
    found_.add(first, again);
    return watch(launch);
  }

  // Whatever comes of it: the verdict is made of what was before.
  Step<void> watch(Launch& launch) {
    if (!job_.is_watched() || found_.is_rejected()) return {};
    ASSAY_ASSIGN(auto watched, launch.watch());
    if (watched)
      found_.add_watched(*watched);
    else
      found_.add_weaker("what it leaves to torch was not seen: it did not say, size " +
                        launch.setting().size);
    return {};
  }

  Step<Launch> start(const Launch::Context& context, const Launch::Setting& setting,
                     const std::function<void(const SharedTensors&)>& state = nullptr) {
    ASSAY_ASSIGN(Launch launch, Launch::start(context, setting, state));
    note(launch);
    return launch;
  }

  // A launch whose candidate has been started.
  void note(const Launch& launch) {
    Json known = launch.in_words();
    if (launch.setting().size == kFullSize && !at_once_.empty()) known["at_once"] = at_once_;
    facts_ = launch.facts();
    found_.add_launch(std::move(known));
  }

  // Parameters and inputs that are small whole numbers, where the run in double proves that all in
  // between are such, too: then every order of computing gives the same bits. Where the candidate
  // makes its parameters itself, or something of them, both models draw whole ones while they are
  // built; what is the same in all launches then, such as a scale of one, is no part of that.
  Step<void> whole_numbers(const Launch::Context& context, Launch::Setting how) {
    const ProblemDescription& problem = context.oracle.description();
    how.integer_draws = Launch::makes_parameters(facts_);
    std::string why;
    for (int attempt = 0; attempt < kIntegerAttempts; ++attempt) {
      std::function<void(const SharedTensors&)> state;
      if (!how.integer_draws)
        state = [&](const SharedTensors& values) {
          fixed_.compare(problem, values);
          draw_whole_state(problem, values, *random_, attempt);
        };
      how.seed = model_seed();
      how.perturb = fresh_byte();
      // Most problems show in a run of their own that there is nothing to call the candidate for.
      ASSAY_ASSIGN(Launch launch, Launch::prepare(context, how, state));
      Launch::Ask ask{.family = Family::integers, .number = attempt, .attempt = attempt};
      auto outcome = round(context, launch, ask, false);
      if (launch.is_started()) note(launch);
      if (!outcome) return std::unexpected(std::move(outcome.error()));
      if (outcome->integers_proven) return {};
      why = outcome->not_integers;
      if (!outcome->too_large) break;
    }
    found_.add_label("no whole numbers: " + why);
    return {};
  }

  // Once more with others in place of scales of one, shifts of zero, and of what was loaded.
  Step<void> other_state(const Launch::Context& context, Launch::Setting how) {
    how.seed = model_seed();
    how.perturb = fresh_byte();
    ASSAY_ASSIGN(Launch launch, start_with_other_state(context, how));
    ASSAY_TRY(round(context, launch, {.family = Family::own, .number = 1}, false));
    return {};
  }

  // They are copied into the candidate. Where they cannot be, or would not reach what it has made
  // of its own, both models are built with others.
  Step<Launch> start_with_other_state(const Launch::Context& context, Launch::Setting how) {
    how.other_constants = fixed_.any() && Launch::makes_parameters(facts_);
    if (!fixed_.any() || how.other_constants) return start(context, how);
    return start(context, how, [&](const SharedTensors& values) {
      fixed_.draw(context.oracle.description(), values, *random_);
    });
  }

  Step<void> restart(std::optional<Launch>& launch, const Launch::Context& context,
                     const Launch::Setting& how, bool with_other_state) {
    launch.reset();  // memory was admitted for one at a time
    ASSAY_ASSIGN(Launch next,
                 with_other_state ? start_with_other_state(context, how) : start(context, how));
    launch.emplace(std::move(next));
    return {};
  }

  // A round, with what it shows kept. A crash is looked into: perhaps it wrote to its inputs.
  Step<Launch::Outcome> round(const Launch::Context& context, Launch& launch,
                              const Launch::Ask& ask, bool keep) {
    auto outcome = launch.round(ask, keep);
    if (!outcome) {
      auto* record = std::get_if<StageRecord>(&outcome.error().why);
      if (record) {
        record->error += launch.driver_in_words();
        record->detail += fmt::format("\nin the round {}", launch.draw_name(ask));
        ASSAY_ASSIGN(std::string printed, launch.end());
        found_.add_printed(*record, std::move(printed));
        if (job_.form->is_emulated()) leave_to_emulator(*record, job_);
        found_.add_end(launch, ask);
      }
      // Of the candidate, that is: the oracle may have been what crashed.
      const bool crashed = record && record->failure == FailureClass::crash &&
                           launch.is_started() && context.oracle.is_running();
      if (crashed) ASSAY_TRY(launch.look_for_writes(ask));
      return outcome;
    }
    for (Complaint& complaint : outcome->result.complaints)
      complaint.why += launch.driver_in_words();
    found_.add(ask, *outcome);
    if (outcome->draws)
      return std::unexpected(Stop(unsupported_stage(
          Stage::verify, "its forward draws random numbers: nobody can compute the same")));
    if (!outcome->skipped.empty()) {
      found_.add_weaker(fmt::format("{} not tried: {}", launch.draw_name(ask), outcome->skipped));
      return outcome;
    }
    if (!outcome->result.complaints.empty()) ASSAY_TRY(found_.end(launch, true));
    return outcome;
  }

  const VerifyJob& job_;
  const VerifyTools& tools_;
  Children& children_;
  MemoryGate& memory_;
  NativeLibraries& libraries_;
  Extensions extensions_;  // of the candidate, where it has some
  MemoryPass admitted_;    // for what is at work now
  Seed seed_;
  std::optional<RandomStream> random_;
  CandidateFile taken_;
  uint64_t bytes_drawn_ = 0;
  std::optional<ProductShape> product_;
  std::vector<StageRecord> stages_;
  Findings found_;
  FixedState fixed_;             // of the problem's state, as far as is known
  Json facts_ = Json::object();  // of the launch that was last
  std::string at_once_;          // why the full size is not computed in chunks
};

}  // namespace

Result<Verified> verify_problem(const VerifyJob& job, const VerifyTools& tools, Children& children,
                                MemoryGate& memory, NativeLibraries& libraries,
                                std::optional<Oracle>* keep) {
  return Verification(job, tools, children, memory, libraries).run(keep);
}

}  // namespace assay
