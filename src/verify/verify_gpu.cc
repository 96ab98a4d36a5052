#include "verify/verify_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "author/gpu_code.h"
#include "base/clock.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"
#include "verify/candidate_file.h"
#include "verify/extensions.h"
#include "verify/findings.h"
#include "verify/gpu_build.h"
#include "verify/launch.h"
#include "verify/memory_need.h"
#include "verify/no_device.h"
#include "verify/other_state.h"
#include "verify/which_families.h"

namespace assay {
namespace {

// What a problem is shrunk to before an interpreter has to go through it.
constexpr uint64_t kSmokeBytes = uint64_t{256} << 10;
// How long it may go on to further families of inputs.
constexpr int64_t kFewGpuNs = 30'000'000'000;

class GpuVerification {
 public:
  GpuVerification(const VerifyJob& job, const VerifyTools& tools, Children& children,
                  MemoryGate& memory, NativeLibraries& libraries)
      : job_(job),
        gpu_(*job.gpu),
        tools_(tools),
        children_(children),
        memory_(memory),
        libraries_(libraries),
        extensions_(tools, children, libraries, job),
        found_(job.flushes_denormals()) {}

  Result<Verified> run() {
    ASSAY_ASSIGN(seed_, job_.seed.empty() ? Seed::secret() : Seed::from_hex(job_.seed));
    random_.emplace(seed_, "gpu");
    if (job_.form->gpu) return compile_source();
    const GpuCode code = gpu_code_of(*job_.form, job_.candidate);
    if (code.triton && !tools_.no_triton.empty())
      return only(not_judged_stage(Stage::compile, tools_.no_triton));
    ASSAY_ASSIGN(candidate_, sealed_memory_file("assay-candidate", job_.candidate));
    ASSAY_TRY(stage(Stage::compile, [&] { return compile(); }));
    const bool goes_on = job_.smoke && verified_.stages.back().status == StageStatus::ok;
    if (goes_on && interpreted_) ASSAY_TRY(stage(Stage::smoke, [&] { return smoke(); }));
    verified_.isolation = isolation();
    if (verified_.stages.size() > 1) verified_.seed = seed_.hex();
    return std::move(verified_);
  }

 private:
  std::string isolation() const { return std::string(to_word(kIsolationWords, tools_.isolation)); }

  Subject subject() { return {job_, tools_, children_, *random_, candidate_.get(), extensions_}; }

  Result<Verified> only(StageRecord record) {
    verified_.stages.push_back(std::move(record));
    verified_.isolation = isolation();
    return std::move(verified_);
  }

  Result<Verified> compile_source() {
    if (is_of_torch(job_.candidate))
      return only(failed_stage(Stage::compile, FailureClass::load,
                               "it is an extension of PyTorch and exports no assay_kernel: hand it "
                               "in as an argument of load_inline() in a file NAME.py"));
    ASSAY_ASSIGN(NativeBuild build,
                 make_for_gpu(gpu_, job_.candidate, tools_, children_, libraries_));
    if (build.record.status == StageStatus::ok) {
      using namespace std::string_view_literals;
      ASSAY_ASSIGN(std::string library, read_memory_file(build.library));
      if (library.contains("\0assay_kernel\0"sv))  // in its table of names
        keep({fmt::format("{}/kernel.so", kKernelsFolder), std::move(library)});
      else
        build.record = failed_stage(Stage::compile, FailureClass::load,
                                    "it exports no assay_kernel, as assay/kernel.h has it");
    }
    if (build.record.status != StageStatus::ok)
      name_source(gpu_.kind == GpuKind::cuda ? "kernel.cu" : "kernel.hip", job_.candidate_path,
                  build.record);
    return only(std::move(build.record));
  }

  // Runs one and keeps its record.
  template <class Go>
  Status stage(Stage stage, Go go) {
    const int64_t begin_ns = system_clock().now_ns();
    Step<StageRecord> done = go();
    StageRecord record;
    if (done) {
      record = std::move(*done);
    } else {
      ASSAY_ASSIGN(record, finding_of(std::move(done.error())));
    }
    record.stage = stage;
    took(record, system_clock().now_ns() - begin_ns);
    verified_.stages.push_back(std::move(record));
    return {};
  }

  Step<void> take_memory(const MemoryNeed& need) {
    admitted_ = MemoryPass();
    ASSAY_ASSIGN(admitted_, admit(need, job_.memory_bytes, memory_));
    return {};
  }

  Launch::Setting setting(OnGpu gpu, const std::string& size) {
    std::string name = fmt::format("model {}", found_.launches());
    return {.size = size,
            .seed = static_cast<uint32_t>(random_->named(name).seed_for_others()),
            .perturb = fresh_memory_byte(*random_, bytes_drawn_++),
            .gpu = gpu};
  }

  // At the problem's own size: kernels are compiled for the sizes that they are called with.
  Step<StageRecord> compile() {
    ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject()));
    oracle_.emplace(std::move(oracle));
    found_.set_inputs(inputs_in_words(oracle_->description()));
    if (std::string why = why_not_judged(oracle_->description(), *job_.form); !why.empty())
      return std::unexpected(
          Stop(blamed_on(Fault::assay, unsupported_stage(Stage::compile, std::move(why)))));
    ASSAY_TRY(take_memory(memory_to_compile(oracle_->description(), *job_.form)));
    Launch::Context context{subject(), *oracle_};
    ASSAY_ASSIGN(Launch launch, Launch::start(context, setting(OnGpu::compile, kFullSize)));
    ASSAY_ASSIGN(GpuKernels kernels, launch.compile_kernels());
    StageRecord record = std::move(kernels.record);
    std::vector<CompiledFile> libraries = extensions_.take_gpu_libraries();
    if (record.status == StageStatus::ok && kernels.list.empty() && libraries.empty())
      record = failed_stage(Stage::compile, FailureClass::build,
                            kernels.stopped.empty()
                                ? "its forward launches no kernel for a GPU"
                                : "before its first kernel for a GPU: " + kernels.stopped);
    if (record.status != StageStatus::ok) return record;
    interpreted_ = !kernels.list.empty();
    narrow_ = kernels.narrow || job_.precision == Precision::bf16;
    record.evidence = {{"architecture", gpu_.architecture}, {"kernels", std::move(kernels.list)}};
    if (interpreted_) record.evidence["compiler"] = "Triton " + tools_.triton;
    if (extensions_.builds())
      record.evidence["extensions"] = extensions_.builds()->evidence["extensions"];
    if (const std::string& printed = launch.printed_before(); !printed.empty())
      record.evidence["printed"] = shortened_print(printed);
    if (!kernels.stopped.empty()) record.evidence["stopped"] = kernels.stopped;
    for (std::vector<CompiledFile>* files : {&kernels.files, &libraries})
      for (CompiledFile& file : *files) keep(std::move(file));
    return record;
  }

  // Under a name of its own: two extensions may have one.
  void keep(CompiledFile file) {
    const size_t dot = file.name.rfind('.');
    const std::string stem = file.name.substr(0, dot), ending = file.name.substr(dot);
    for (int number = 2; std::ranges::find(verified_.files, file.name, &CompiledFile::name) !=
                         verified_.files.end();
         ++number)
      file.name = fmt::format("{}_{}{}", stem, number, ending);
    verified_.files.push_back(std::move(file));
  }

  // Small where its code takes it small: most are made for one size. What is not right there is
  // tried at its own, which alone counts.
  Step<StageRecord> smoke() {
    ASSAY_ASSIGN(Smaller smaller, oracle_->shrink(kSmokeBytes));
    if (!smaller.constants.empty()) {
      ASSAY_TRY(oracle_->describe_at(smaller.constants));
      const uint64_t bytes = oracle_->description().bytes();
      ASSAY_ASSIGN(StageRecord small, interpreted_at(smaller.in_words(), false));
      ASSAY_TRY(oracle_->describe_at(Json::object()));
      if (small.status == StageStatus::ok) {
        // Once at its own, where that cannot take long.
        const auto times = static_cast<int64_t>(oracle_->description().bytes() / (bytes + 1) + 1);
        if (times > kFewGpuNs / (small_ns_ + 1)) return small;
        ASSAY_ASSIGN(StageRecord full, interpreted_at(kFullSize, true));
        return full.status == StageStatus::not_judged ? small : full;
      }
      found_ = Findings(job_.flushes_denormals());
      judged_ = 0;
      found_.add_weaker("only its own size was looked at: it is not made for " +
                        smaller.in_words() + ": " + small.error);
    }
    return interpreted_at(kFullSize, false);
  }

  Step<StageRecord> interpreted_at(const std::string& size, bool once) {
    Step<void> done = interpret(size, once);
    StageRecord record;
    if (done) {
      record = conclusion();
    } else {
      auto* finding = std::get_if<StageRecord>(&done.error().why);
      if (!finding) return std::unexpected(std::move(done.error()));
      record = finding->failure == FailureClass::timeout
                   ? not_judged_stage(Stage::smoke,
                                      "Triton's interpreter takes too long: " + finding->error)
                   : std::move(*finding);
    }
    record.stage = Stage::smoke;
    record.evidence = found_.evidence();
    record.evidence["isolation"] = isolation();
    record.evidence["seed"] = seed_.hex();
    return record;
  }

  StageRecord conclusion() {
    if (!cannot_.empty()) {
      if (judged_ == 0) return not_judged_stage(Stage::smoke, cannot_);
      found_.add_weaker("no further inputs were tried: " + cannot_);
    }
    StageRecord record = found_.conclusion();
    // What cannot be compared has not been found wrong.
    if (record.status == StageStatus::unsupported)
      return not_judged_stage(Stage::smoke, record.error);
    if (record.rule == to_word(kRuleWords, Rule::precision))
      return not_judged_stage(
          Stage::smoke,
          "Triton's interpreter adds up in another order than GPUs do: " + record.error);
    if (record.status == StageStatus::rejected && narrow_)
      return not_judged_stage(
          Stage::smoke,
          "Triton's interpreter computes bf16 and types of eight bits otherwise than "
          "GPUs do: " +
              record.error);
    return record;
  }

  // The problem's own inputs, and the most telling others as far as time allows.
  Step<void> interpret(const std::string& size, bool once) {
    const int64_t begin_ns = system_clock().now_ns();
    cannot_.clear();
    ASSAY_TRY(take_memory(memory_need(oracle_->description(), *job_.form, nullptr)));
    Launch::Context context{subject(), *oracle_};
    ASSAY_ASSIGN(Launch launch, Launch::start(context, setting(OnGpu::interpret, size)));
    found_.add_launch(launch.in_words());
    ASSAY_TRY(round(context, launch, Family::own));
    if (launch.last_call()) small_ns_ = launch.last_call()->wall_ns;
    if (once || !cannot_.empty() || found_.is_rejected()) return {};
    const int64_t round_ns = system_clock().now_ns() - begin_ns;
    auto goes_on = [&] {
      return system_clock().now_ns() - begin_ns + round_ns <= kFewGpuNs && cannot_.empty() &&
             !found_.is_rejected();
    };
    for (Family family : telling_families(oracle_->description())) {
      if (!goes_on()) return {};
      // What becomes of NaN is a matter of the device's own instructions.
      if (family == Family::own || family == Family::integers || family == Family::nonfinite)
        continue;
      ASSAY_TRY(round(context, launch, family));
    }
    if (!goes_on()) return {};
    return with_other_parameters(context, launch, size);
  }

  // Scales of one and shifts of zero, which who leaves them out does not miss; and others than
  // those that were loaded, which somebody may know by heart.
  Step<void> with_other_parameters(const Launch::Context& context, const Launch& first,
                                   const std::string& size) {
    const ProblemDescription& problem = oracle_->description();
    FixedState fixed(problem, first.state());
    if (!fixed.any() && !Launch::loads_weights(job_, first.setting())) return {};
    Launch::Setting how = setting(OnGpu::interpret, size);
    how.draws_weights = true;
    how.other_constants = fixed.any() && Launch::makes_parameters(first.facts());
    std::function<void(const SharedTensors&)> draw;
    if (fixed.any() && !how.other_constants)
      draw = [&](const SharedTensors& values) { fixed.draw(problem, values, *random_); };
    ASSAY_ASSIGN(Launch launch, Launch::start(context, how, draw));
    found_.add_launch(launch.in_words());
    return round(context, launch, Family::own);
  }

  Step<void> round(const Launch::Context& context, Launch& launch, Family family) {
    Launch::Ask ask{.family = family};
    if (is_of_own(family)) ask.earlier = launch.draw_name({.family = Family::own});
    auto outcome = launch.round(ask);
    if (outcome) {
      found_.add(ask, *outcome);
      if (outcome->draws) cannot_ = "its forward draws random numbers";
      if (!outcome->draws && outcome->skipped.empty()) ++judged_;
      return {};
    }
    auto* record = std::get_if<StageRecord>(&outcome.error().why);
    if (!record || !context.oracle.is_running()) return std::unexpected(std::move(outcome.error()));
    const bool called = launch.last_call().has_value();
    if (called && (launch.last_call()->not_here || record->failure == FailureClass::timeout)) {
      cannot_ = record->failure == FailureClass::timeout
                    ? "one call took Triton's interpreter too long: " + record->error
                    : record->error;
      return {};
    }
    record->detail += fmt::format("\nin the round {}", launch.draw_name(ask));
    ASSAY_ASSIGN(std::string printed, launch.end());
    add_printed(*record, printed);
    found_.add_printed(std::move(printed), true);
    found_.add_end(launch, ask);
    return std::unexpected(std::move(outcome.error()));
  }

  const VerifyJob& job_;
  const Gpu& gpu_;
  const VerifyTools& tools_;
  Children& children_;
  MemoryGate& memory_;
  NativeLibraries& libraries_;
  Extensions extensions_;
  MemoryPass admitted_;
  Seed seed_;
  std::optional<RandomStream> random_;
  UniqueFd candidate_;
  std::optional<Oracle> oracle_;
  Verified verified_;
  Findings found_;
  uint64_t bytes_drawn_ = 0;
  int64_t small_ns_ = 0;      // what its call took at the small size
  bool narrow_ = false;       // they compute in types that it does not
  bool interpreted_ = false;  // there are kernels that Triton's interpreter can run
  int judged_ = 0;            // rounds that came to an end
  std::string cannot_;        // why the one that was last did not
};

}  // namespace

Result<Verified> verify_gpu(const VerifyJob& job, const VerifyTools& tools, Children& children,
                            MemoryGate& memory, NativeLibraries& libraries) {
  return GpuVerification(job, tools, children, memory, libraries).run();
}

}  // namespace assay
