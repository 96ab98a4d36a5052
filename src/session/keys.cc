#include "session/keys.h"

#include "author/files_beside.h"
#include "base/hash.h"
#include "base/units.h"
#include "compile/compile_job.h"
#include "compile/flags.h"
#include "measure/measure.h"
#include "run/workload_job.h"
#include "target/host_cpu.h"
#include "verify/verify.h"

namespace assay {
namespace {

using Ingredients = std::map<std::string, std::string>;

std::string on_or_off(bool given) { return given ? "on" : "off"; }

Ingredients export_ingredients(const ExportSubject& subject, const RunSettings& settings,
                               const Tools& tools) {
  Ingredients ingredients{{"source", subject.source_hash},
                          {"mode", settings.mode},
                          {"seed", std::to_string(kSeed)},
                          {"precision", std::string(to_word(kPrecisionWords, subject.precision))},
                          {"memory for tensors with values", exact_bytes(real_bytes(settings))},
                          {"Python packages", tools.python_environment},
                          {"torch", tools.torch_version},
                          {"iree-turbine", tools.turbine_version},
                          {"importer", tools.importer_version},
                          {"assay's worker", tools.worker_identity}};
  if (subject.route != Route::torch)
    ingredients["route"] = std::string(to_word(kRouteWords, subject.route));
  return ingredients;
}

Ingredients compile_ingredients(const Target& target, const RunSettings& settings,
                                const Tools& tools) {
  std::string flags;
  for (const std::string& flag : resolve_flags(target, tools.compiler_for(target).version))
    flags += flag + "\n";
  Ingredients ingredients{
      {"flags", flags},
      {"compiler", tools.compiler_for(target).identity},
      {"--compiler", std::string(to_word(kCompilerKindWords, settings.compiler))},
      {"--phases", on_or_off(settings.phases)},
      {"assay's compile job", std::to_string(kCompileJobVersion)}};
  if (compiles_for_host(target)) ingredients["host CPU"] = tools.host_cpu;
  if (target.tuning) {
    ingredients["configuration"] = target.tuning->configuration;
    ingredients["library of lowerings"] = target.tuning->library;
  }
  return ingredients;
}

// Of a module with files beside it, of all of them; of others, of the bytes of its file.
std::string hash_of(const Disk& disk, const Candidate& candidate) {
  if (candidate.path.empty()) return "";
  if (candidate.code) return sha256(*candidate.code);
  if (!candidate.form->takes_files_beside()) {
    auto digest = disk.digest(candidate.path);
    return digest ? digest->sha256 : "";
  }
  auto code = disk.read(candidate.path);
  if (!code) return "";
  auto beside = files_beside(disk, candidate, *code);
  if (!beside || beside->empty()) return sha256(*code);
  Json all{{"candidate", sha256(*code)}};
  for (const NamedText& file : *beside) all["beside"][file.name] = sha256(file.text);
  return sha256(dump_json(all));
}

}  // namespace

uint64_t real_bytes(const RunSettings& settings) {
  constexpr uint64_t kShare = 4;  // tracing comes on top
  return settings.memory_bytes / kShare;
}

CacheKey export_key(const ExportSubject& subject, const RunSettings& settings, const Tools& tools) {
  CacheKey key;
  key.subject =
      "export " + subject.path + " " + std::string(to_word(kPrecisionWords, subject.precision));
  key.ingredients = export_ingredients(subject, settings, tools);
  key.ingredients["stage"] = "export";
  return key;
}

CacheKey weights_key(const ExportSubject& subject, const RunSettings& settings,
                     const Tools& tools) {
  CacheKey key = export_key(subject, settings, tools);
  key.subject = "weights of " + key.subject;
  key.ingredients["stage"] = "weights";
  return key;
}

CacheKey compile_key(const ExportSubject& subject, const std::string& program, const Target& target,
                     const RunSettings& settings, const Tools& tools) {
  CacheKey key;
  key.subject = "compile " + subject.path + " for " + target.name;
  if (target.tuning) key.subject += " by " + target.tuning->configuration;
  key.ingredients = compile_ingredients(target, settings, tools);
  key.ingredients["stage"] = "compile";
  key.ingredients["program"] = program;
  if (settings.counters) {
    key.ingredients["what its code takes, by"] = dump_json(to_json(tools.code));
    key.ingredients["what its dispatches move"] = "counted";
  }
  if (asks_for_call(settings)) key.ingredients["what its one call is"] = "asked for";
  return key;
}

CandidateSubject candidate_subject(const Disk& disk, const Planned& planned) {
  CandidateSubject subject{planned.candidate.form, hash_of(disk, planned.candidate),
                           planned.verified};
  for (const PlannedBaseline& baseline : planned.baselines) {
    subject.baselines.push_back(hash_of(disk, baseline.candidate));
    if (baseline.target && baseline.candidate.form->is_artifact())
      subject.compiled.push_back(baseline.target);
    if (!baseline.target || !baseline.target->tuning) continue;
    const Tuning& tuning = *baseline.target->tuning;
    subject.baselines.back() += tuning.configuration + "\n" + tuning.library;
    for (const std::string& flag : tuning.flags) subject.baselines.back() += "\n" + flag;
  }
  return subject;
}

std::string fingerprint(const ExportSubject& subject, const CandidateSubject& candidate,
                        const Target& target, const RunSettings& settings, const Tools& tools) {
  const auto& until = settings.until;
  Json parts{{"export", export_ingredients(subject, settings, tools)},
             {"compile", compile_ingredients(target, settings, tools)},
             {"until", until ? Json(to_word(kStageWords, *until)) : Json()},
             {"weights", settings.weights}};
  if (settings.replay) parts["replay"] = {settings.replay->run, settings.replay->attempt};
  Json rules = Json::object();
  for (const auto& [name, effect] : tools.judge.severities)
    rules[name] = to_word(kEffectWords, effect);
  if (candidate.verified)
    parts["verify"] = {{"candidate", candidate.hash},
                       {"version", kVerifyVersion},
                       {"native compiler", tools.verify.native_identity},
                       {"threads", settings.threads},
                       {"sanitize", settings.sanitize},
                       {"policy", tools.verify.check ? to_json(*tools.verify.check) : Json()},
                       {"rules", rules},
                       {"isolation", settings.require_isolation}};
  Json timing;
  if (candidate.verified && settings.timing)
    timing = {{"against", settings.timing->against},
              {"baselines", candidate.baselines},
              {"quick", settings.timing->quick},
              {"budget_ns", settings.timing->budget_ns},
              {"cache", to_word(kCacheModeWords, settings.timing->cache)},
              // What times are held against: with another one they are judged otherwise.
              {"calibration",
               tools.judge.calibration ? Json(identity_of(*tools.judge.calibration)) : Json()},
              {"version", kMeasureVersion}};
  // A baseline by another compiler than the candidate's.
  if (!timing.is_null())
    for (const Target* compiled : candidate.compiled)
      if (compiled->compiler != target.compiler)
        timing["compilers"].push_back(tools.compiler_for(*compiled).identity);
  if (candidate.verified && target.gpu && !candidate.form->is_artifact())
    parts["gpu"] = {{"kind", to_word(kGpuKindWords, target.gpu->kind)},
                    {"architecture", target.gpu->architecture},
                    {"warp_threads", target.gpu->warp_threads},
                    {"shared_bytes", target.gpu->shared_bytes},
                    {"phases", settings.phases}};
  if (candidate.verified && candidate.form->is_emulated())
    parts["emulator"] = tools.verify.emulators.at(candidate.form->runner().name);
  if (candidate.verified && target.card) parts["card"] = to_json(*target.card);
  if (!timing.is_null() && settings.timing->profile) timing["profile"] = true;
  const std::string verdict = sha256(dump_json(parts));
  return timing.is_null() ? verdict : verdict + "-" + sha256(dump_json(timing));
}

bool same_but_for_timing(std::string_view one, std::string_view other) {
  return one.substr(0, one.find('-')) == other.substr(0, other.find('-'));
}

Left left_to_do(Verdict verdict, std::string_view then, std::string_view now) {
  if (verdict == Verdict::not_judged) return Left::all;  // perhaps it can be now
  if (then == now) return Left::nothing;
  if (!same_but_for_timing(then, now)) return Left::all;
  if (!now.contains('-')) return Left::nothing;  // nobody asks for its times
  if (verdict == Verdict::accepted) return Left::timing;
  // Who has failed without being timed would fail the same way.
  return then.contains('-') ? Left::all : Left::nothing;
}

}  // namespace assay
