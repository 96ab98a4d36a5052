#include "model/run_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"

namespace assay {
namespace {

Json to_json(const TimingSettings& timing) {
  return {{"against", timing.against},
          {"profile", timing.profile},
          {"quick", timing.quick},
          {"budget_ns", timing.budget_ns},
          {"cache", to_word(kCacheModeWords, timing.cache)}};
}

Result<TimingSettings> timing_settings_from_json(const Json& json) {
  JsonReader fields(json, "how a run times");
  TimingSettings timing;
  timing.against = fields.texts("against");
  if (fields.has("profile")) timing.profile = fields.boolean("profile");
  timing.quick = fields.boolean("quick");
  timing.budget_ns = fields.integer("budget_ns");
  timing.cache = fields.word<CacheMode>("cache", kCacheModeWords);
  ASSAY_TRY(fields.status());
  return timing;
}

}  // namespace

Json to_json(const RunRecord& run) {
  const auto& precision = run.settings.precision;
  const auto& until = run.settings.until;
  const auto& replay = run.settings.replay;
  return Json{{"assay_version", run.assay_version},
              {"created", run.created},
              {"settings",
               {{"until", until ? Json(to_word(kStageWords, *until)) : Json()},
                {"mode", run.settings.mode},
                {"precision", precision ? Json(to_word(kPrecisionWords, *precision)) : Json()},
                {"flags", run.settings.flags},
                {"compiler", to_word(kCompilerKindWords, run.settings.compiler)},
                {"debug_info", run.settings.debug_info},
                {"phases", run.settings.phases},
                {"weights", run.settings.weights},
                {"load_weights", or_null(run.settings.load_weights)},
                {"weights_sha256", or_null(run.settings.weights_sha256)},
                {"policy", run.settings.policy.empty() ? Json() : Json(run.settings.policy)},
                {"require_isolation", run.settings.require_isolation},
                {"include", run.settings.include},
                {"counters", run.settings.counters},
                {"trace", run.settings.trace},
                {"track_memory", run.settings.track_memory},
                {"sanitize", run.settings.sanitize},
                {"emulate", run.settings.emulate},
                {"threads", run.settings.threads},
                {"timeout_ns", run.settings.timeout_ns},
                {"memory_bytes", run.settings.memory_bytes},
                {"timing", run.settings.timing ? to_json(*run.settings.timing) : Json()},
                {"replay", replay ? to_json(*replay) : Json()}}},
              {"machine", run.machine}};
}

Result<RunRecord> run_from_json(const Json& json) {
  JsonReader fields(json, "the run's record");
  RunRecord run;
  run.assay_version = fields.text("assay_version");
  run.created = fields.text("created");
  run.machine = fields.value("machine");
  JsonReader settings(fields.value("settings"), "the run's settings");
  run.settings.until = settings.optional_word<Stage>("until", kStageWords);
  run.settings.mode = settings.text("mode");
  run.settings.precision = settings.optional_word<Precision>("precision", kPrecisionWords);
  run.settings.flags = settings.texts("flags");
  run.settings.compiler = settings.word<CompilerKind>("compiler", kCompilerKindWords);
  run.settings.debug_info = settings.boolean("debug_info");
  run.settings.phases = settings.boolean("phases");
  run.settings.weights = settings.boolean("weights");
  run.settings.load_weights = settings.optional_text("load_weights").value_or("");
  run.settings.weights_sha256 = settings.optional_text("weights_sha256").value_or("");
  run.settings.policy = settings.optional_text("policy").value_or("");
  run.settings.require_isolation = settings.text("require_isolation");
  if (settings.has("include")) run.settings.include = settings.texts("include");
  if (settings.has("counters")) run.settings.counters = settings.boolean("counters");
  if (settings.has("trace")) run.settings.trace = settings.boolean("trace");
  if (settings.has("track_memory")) run.settings.track_memory = settings.boolean("track_memory");
  if (settings.has("sanitize")) run.settings.sanitize = settings.boolean("sanitize");
  if (settings.has("emulate")) run.settings.emulate = settings.boolean("emulate");
  int64_t threads = settings.integer("threads");
  if (threads < 1 || threads > 4096) settings.fail("'threads' is out of range");
  run.settings.threads = static_cast<int>(threads);
  run.settings.timeout_ns = settings.integer("timeout_ns");
  int64_t memory = settings.integer("memory_bytes");
  if (memory < 0) settings.fail("'memory_bytes' is negative");
  run.settings.memory_bytes = static_cast<uint64_t>(memory);
  ASSAY_TRY(fields.status());
  ASSAY_TRY(settings.status());
  if (const Json& timing = settings.value("timing"); !timing.is_null()) {
    ASSAY_ASSIGN(run.settings.timing, timing_settings_from_json(timing));
  }
  if (const Json& replay = settings.value("replay"); !replay.is_null()) {
    ASSAY_ASSIGN(run.settings.replay, replay_from_json(replay));
  }
  return run;
}

Status same_settings(const RunSettings& stored, const RunSettings& asked) {
  bool same_replay = stored.replay.has_value() == asked.replay.has_value() &&
                     (!stored.replay || stored.replay->same_attempt(*asked.replay));
  if (!same_replay)
    return error(Code::refused,
                 stored.replay ? fmt::format("this run holds a replay of {} in {}",
                                             stored.replay->attempt, stored.replay->run)
                               : "this run holds attempts of its own, and no replay",
                 "name another folder with --out");
  auto differs = [](const char* flag, const std::string& was, const std::string& is) {
    return error(
        Code::refused,
        fmt::format("this run was made with {0} {1}, and {0} {2} is asked for now", flag, was, is),
        fmt::format("leave {} as it was, or name another folder with --out; what both "
                    "need comes from the cache",
                    flag));
  };
  auto until = [](const RunSettings& settings) {
    return settings.until ? std::string(to_word(kStageWords, *settings.until))
                          : "as far as each attempt can go";
  };
  if (stored.until != asked.until) return differs("--until", until(stored), until(asked));
  if (stored.mode != asked.mode) return differs("--mode", stored.mode, asked.mode);
  auto precision = [](const RunSettings& settings) {
    return settings.precision ? std::string(to_word(kPrecisionWords, *settings.precision))
                              : "of each target";
  };
  if (stored.precision != asked.precision)
    return differs("--precision", precision(stored), precision(asked));
  if (stored.flags != asked.flags)
    return differs("--flag", fmt::format("'{}'", fmt::join(stored.flags, " ")),
                   fmt::format("'{}'", fmt::join(asked.flags, " ")));
  if (stored.compiler != asked.compiler)
    return differs("--compiler", std::string(to_word(kCompilerKindWords, stored.compiler)),
                   std::string(to_word(kCompilerKindWords, asked.compiler)));
  auto on_or_off = [](bool given) { return std::string(given ? "on" : "off"); };
  if (stored.debug_info != asked.debug_info)
    return differs("--debug-info", on_or_off(stored.debug_info), on_or_off(asked.debug_info));
  if (stored.phases != asked.phases)
    return differs("--phases", on_or_off(stored.phases), on_or_off(asked.phases));
  if (stored.weights != asked.weights)
    return differs("--weights", on_or_off(stored.weights), on_or_off(asked.weights));
  auto loaded = [](const RunSettings& settings) {
    if (settings.load_weights.empty()) return std::string("of no folder");
    return fmt::format("{} (SHA-256 {})", settings.load_weights,
                       settings.weights_sha256.substr(0, 12));
  };
  if (stored.weights_sha256 != asked.weights_sha256)
    return differs("--load-weights", loaded(stored), loaded(asked));
  auto policy = [](const RunSettings& settings) {
    return settings.policy.empty() ? "of assay's own" : settings.policy;
  };
  if (stored.policy != asked.policy) return differs("--policy", policy(stored), policy(asked));
  auto isolation = [](const RunSettings& settings) {
    return settings.require_isolation.empty() ? "of any level" : settings.require_isolation;
  };
  if (stored.require_isolation != asked.require_isolation)
    return differs("--require-isolation", isolation(stored), isolation(asked));
  auto include = [](const RunSettings& settings) {
    return settings.include.empty() ? "nothing"
                                    : fmt::format("{}", fmt::join(settings.include, ","));
  };
  if (stored.include != asked.include) return differs("--include", include(stored), include(asked));
  if (stored.counters != asked.counters)
    return differs("--counters", on_or_off(stored.counters), on_or_off(asked.counters));
  if (stored.trace != asked.trace)
    return differs("--trace", on_or_off(stored.trace), on_or_off(asked.trace));
  if (stored.track_memory != asked.track_memory)
    return differs("--track-memory", on_or_off(stored.track_memory), on_or_off(asked.track_memory));
  if (stored.sanitize != asked.sanitize)
    return differs("--sanitize", on_or_off(stored.sanitize), on_or_off(asked.sanitize));
  if (stored.emulate != asked.emulate)
    return differs("--emulate", on_or_off(stored.emulate), on_or_off(asked.emulate));
  if (stored.threads != asked.threads)
    return differs("--threads", std::to_string(stored.threads), std::to_string(asked.threads));
  if (stored.timeout_ns != asked.timeout_ns)
    return differs("--timeout", exact_duration(stored.timeout_ns),
                   exact_duration(asked.timeout_ns));
  if (stored.memory_bytes != asked.memory_bytes)
    return differs("--memory", exact_bytes(stored.memory_bytes), exact_bytes(asked.memory_bytes));
  if (!stored.timing || !asked.timing) return {};
  const TimingSettings &was = *stored.timing, &is = *asked.timing;
  if (was.profile != is.profile)
    return differs("--profile", on_or_off(was.profile), on_or_off(is.profile));
  auto against = [](const TimingSettings& timing) {
    return fmt::format("{}", fmt::join(timing.against, ","));
  };
  if (was.against != is.against) return differs("--against", against(was), against(is));
  if (was.quick != is.quick) return differs("--quick", on_or_off(was.quick), on_or_off(is.quick));
  if (was.budget_ns != is.budget_ns)
    return differs("--budget", exact_duration(was.budget_ns), exact_duration(is.budget_ns));
  if (was.cache != is.cache)
    return differs("--cache", std::string(to_word(kCacheModeWords, was.cache)),
                   std::string(to_word(kCacheModeWords, is.cache)));
  return {};
}

}  // namespace assay
