#include "verify/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/elf.h"
#include "compile/openmp_order.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// What they found of a candidate whose results are right.
struct Sanitized {
  std::optional<StageRecord> found;  // what it is not accepted for
  Json ran = Json::array();
  std::vector<std::string> weaker;  // what could not be tried, and why
};

// What one of them makes of one source.
struct TriedWith {
  std::optional<StageRecord> found;    // rejected: what, and where in the source
  std::optional<StageRecord> stopped;  // why it was not built, or did not come through its calls
  std::string unknown;                 // that orders threads in a way that nobody knows
};

// Whoever cannot be run with a sanitizer, where this can, has only itself to blame.
constexpr const char* kHarmless = R"(#include <assay/kernel.h>
int assay_kernel(const assay_call* call) { return call->abi != ASSAY_KERNEL_ABI; }
)";

// What a process ends with that a sanitizer ends; nobody else has a reason to.
constexpr int kFoundStatus = 86;

std::string name_of(SanitizerKind kind) {
  return kind == SanitizerKind::address ? "AddressSanitizer" : "ThreadSanitizer";
}

// The environment of a jail in which the sanitizer's library comes before all others.
void prepare(JailSpec& jail, const Sanitizer& sanitizer, int threads) {
  const bool is_address = sanitizer.kind == SanitizerKind::address;
  std::erase_if(jail.environment, [](const std::string& entry) {
    return entry.starts_with("OMP_NUM_THREADS=") || entry.starts_with("GLIBC_TUNABLES=");
  });
  const std::string options = fmt::format("exitcode={}:halt_on_error=1", kFoundStatus);
  jail.environment.push_back("LD_PRELOAD=" + sanitizer.library);
  jail.environment.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  jail.environment.push_back(is_address
                                 ? "ASAN_OPTIONS=detect_leaks=0:" + options
                                 // The library of OpenMP is not built for it.
                                 : "TSAN_OPTIONS=ignore_noninstrumented_modules=1:" + options);
  jail.processes += 8;  // it has threads of its own
}

// "heap-buffer-overflow at kernel.c:12", of what it printed. Nothing is decided by that.
std::string in_words(const std::string& printed, const std::string& name) {
  auto word_behind = [&](std::string_view mark, size_t from) {
    size_t begin = printed.find(mark, from);
    if (begin == std::string::npos) return std::string();
    begin += mark.size();
    return printed.substr(begin, printed.find_first_of(" \n", begin) - begin);
  };
  const size_t report = printed.find(name + ": ");
  if (report == std::string::npos) return "it says nothing of where";
  std::string what = word_behind(name + ": ", report);
  if (what == "data") what = "data race";
  if (what == "use-after-poison") what = "a read or write around a tensor";
  const std::string line = word_behind("kernel.c", report);
  return line.empty() ? what : fmt::format("{} at kernel.c{}", what, line);
}

// Of one launch with the sanitizer: what it found.
Step<std::optional<StageRecord>> call(const Subject& subject, const Sanitizer& sanitizer) {
  ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject));
  const Launch::Context context{subject, oracle};
  ASSAY_ASSIGN(Launch launch, Launch::prepare(context, {.seed = 1}));
  // Values matter little here; sizes are the same throughout.
  constexpr std::array kFamilies{Family::own, Family::moderate, Family::zeros};
  for (Family family : kFamilies) {
    auto outcome = launch.round({.family = family});
    if (outcome) continue;
    auto* record = std::get_if<StageRecord>(&outcome.error().why);
    if (record == nullptr) return std::unexpected(std::move(outcome.error()));
    const auto& window = launch.last_call();
    const bool found =
        window && window->kind == Window::Kind::ended && window->ending.exit_status == kFoundStatus;
    if (!found) return std::unexpected(std::move(outcome.error()));
    const std::string name = name_of(sanitizer.kind);
    const Rule rule = sanitizer.kind == SanitizerKind::address ? Rule::out_of_bounds : Rule::race;
    StageRecord rejected =
        rejected_stage(Stage::verify, to_word(kRuleWords, rule),
                       fmt::format("{}: {}", name, in_words(window->ending.output, name)));
    rejected.detail = window->ending.output;
    return std::optional(std::move(rejected));
  }
  return std::optional<StageRecord>();
}

Step<TriedWith> try_with(const Subject& subject, const Sanitizer& sanitizer,
                         NativeLibraries& libraries) {
  TriedWith tried;
  const bool is_c = subject.job.form->is_built_as_c();
  const NativeJob native =
      with_includes(kernel_job(is_c, subject.job.candidate, subject.tools.include, sanitizer.kind),
                    subject.tools);
  ASSAY_ASSIGN(NativeBuild build, make_library(native, subject.tools, subject.children, libraries));
  if (build.record.status != StageStatus::ok) {
    tried.stopped = std::move(build.record);
    return tried;
  }
  if (sanitizer.kind == SanitizerKind::thread) {
    ASSAY_ASSIGN(MappedFile library, MappedFile::map(build.library));
    ASSAY_ASSIGN(auto symbols, undefined_symbols_of_elf(library.bytes()));
    tried.unknown = unknown_openmp(symbols);
    if (!tried.unknown.empty()) return tried;
  }
  VerifyJob job = subject.job;
  job.threads = std::max(job.threads, 2);
  VerifyTools tools = subject.tools;
  if (!tools.limits.jail) tools.limits.jail.emplace().level = Isolation::L0;
  prepare(*tools.limits.jail, sanitizer, job.threads);
  const Subject its{
      job, tools, subject.children, subject.random, build.library.get(), subject.extensions};
  auto called = call(its, sanitizer);
  if (called) {
    tried.found = std::move(*called);
    return tried;
  }
  auto* record = std::get_if<StageRecord>(&called.error().why);
  if (record == nullptr) return std::unexpected(std::move(called.error()));
  tried.stopped = std::move(*record);
  return tried;
}

// Whether the machine can do it at all.
Step<bool> can_be_tried(const Subject& subject, const Sanitizer& sanitizer,
                        NativeLibraries& libraries) {
  VerifyJob job = subject.job;
  job.form = &c_form();
  job.candidate = kHarmless;
  const Subject harmless{job, subject.tools,     subject.children, subject.random,
                         -1,  subject.extensions};
  ASSAY_ASSIGN(TriedWith tried, try_with(harmless, sanitizer, libraries));
  return !tried.stopped;
}

// Of what the plain build came through.
StageRecord not_passed(const StageRecord& why, const std::string& name) {
  const std::string says = fmt::format(
      "{}: {}: {}", name,
      why.stage == Stage::compile ? "it does not build with it" : "it does not run with it",
      why.error);
  StageRecord record =
      why.status == StageStatus::not_judged
          ? not_judged_stage(Stage::verify, says)
          : rejected_stage(Stage::verify, to_word(kRuleWords, Rule::unsanitized), says);
  record.detail = why.detail;
  return record;
}

Step<Sanitized> sanitize(const Subject& subject, NativeLibraries& libraries) {
  Sanitized result;
  for (const Sanitizer& sanitizer : subject.tools.sanitizers) {
    const std::string name = name_of(sanitizer.kind);
    auto weaker = [&](const std::string& why) {
      result.weaker.push_back(fmt::format("{} was not tried: {}", name, why));
    };
    ASSAY_ASSIGN(TriedWith tried, try_with(subject, sanitizer, libraries));
    if (!tried.unknown.empty()) {
      weaker("nobody knows what " + tried.unknown + " orders");
      continue;
    }
    if (tried.stopped) {
      ASSAY_ASSIGN(const bool blamed, can_be_tried(subject, sanitizer, libraries));
      if (!blamed) {
        weaker("nothing can be run with it on this machine: " + tried.stopped->error);
        continue;
      }
      result.found = not_passed(*tried.stopped, name);
      return result;
    }
    result.ran.push_back(to_word(kSanitizerWords, sanitizer.kind));
    if (!tried.found) continue;
    result.found = std::move(tried.found);
    return result;
  }
  return result;
}

// Why there is no source that a sanitizer could build; empty: there is, or nothing native at all.
std::string why_no_source(const Subject& subject) {
  if (subject.job.gpu) return "none of them looks at what runs on a card";
  if (subject.job.form->is_kernel()) return "it was built before";
  if (subject.extensions.builds()) return "they do not build a candidate's extensions";
  return "";
}

}  // namespace

Result<Json> pass_sanitizers(const Subject& subject, NativeLibraries& libraries,
                             StageRecord& record, Findings& found) {
  if (record.status != StageStatus::ok || subject.tools.sanitizers.empty()) return Json();
  if (!subject.job.form->is_built_here()) {
    const std::string why = why_no_source(subject);
    if (!why.empty()) found.add_weaker("sanitizers were not tried: " + why);
    return Json();
  }
  auto sanitized = sanitize(subject, libraries);
  if (!sanitized) {
    auto& why = sanitized.error().why;
    if (auto* failure = std::get_if<Error>(&why)) return std::unexpected(std::move(*failure));
    found.add_weaker("sanitizers were not tried: " + std::get<StageRecord>(why).error);
    return Json();
  }
  for (std::string& each : sanitized->weaker) found.add_weaker(std::move(each));
  if (sanitized->found) record = std::move(*sanitized->found);
  return std::move(sanitized->ran);
}

}  // namespace assay
