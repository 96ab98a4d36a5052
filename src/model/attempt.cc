#include "model/attempt.h"

#include <algorithm>

#include "base/escape.h"

namespace assay {
namespace {

std::optional<uint64_t> size_field(JsonReader& fields, const char* name) {
  auto value = fields.optional_integer(name);
  if (value && *value < 0) fields.fail(std::string("'") + name + "' is negative");
  if (!value) return std::nullopt;
  return static_cast<uint64_t>(*value);
}

}  // namespace

Json to_json(const StageRecord& stage) {
  Json json;
  json["stage"] = to_word(kStageWords, stage.stage);
  json["status"] = to_word(kStageStatusWords, stage.status);
  json["class"] = stage.failure ? Json(to_word(kFailureClassWords, *stage.failure)) : Json(nullptr);
  json["rule"] = or_null(stage.rule);
  const std::optional<Fault> fault = fault_of(stage);
  json["fault"] = fault ? Json(to_word(kFaultWords, *fault)) : Json(nullptr);
  json["error"] = or_null(stage.error);
  json["detail"] = or_null(stage.detail);
  json["began_us"] = or_null(stage.began_us);
  json["wall_ns"] = or_null(stage.wall_ns);
  json["cpu_ns"] = or_null(stage.cpu_ns);
  json["peak_bytes"] = or_null(stage.peak_bytes);
  json["reused"] = stage.reused;
  json["reuse"] = or_null(stage.reuse);
  json["evidence"] = stage.evidence;
  return json;
}

Result<StageRecord> stage_from_json(const Json& json) {
  JsonReader fields(json, "a stage");
  StageRecord stage;
  stage.stage = fields.word<Stage>("stage", kStageWords);
  stage.status = fields.word<StageStatus>("status", kStageStatusWords);
  stage.failure = fields.optional_word<FailureClass>("class", kFailureClassWords);
  stage.rule = fields.optional_text("rule").value_or("");
  const auto fault = fields.optional_word<Fault>("fault", kFaultWords);
  if (fault != fault_of(stage)) stage.blamed = fault;
  stage.error = fields.optional_text("error").value_or("");
  stage.detail = fields.optional_text("detail").value_or("");
  stage.began_us = fields.optional_integer("began_us");
  stage.wall_ns = fields.optional_integer("wall_ns");
  stage.cpu_ns = fields.optional_integer("cpu_ns");
  stage.peak_bytes = size_field(fields, "peak_bytes");
  stage.reused = fields.boolean("reused");
  stage.reuse = fields.optional_text("reuse").value_or("");
  stage.evidence = fields.value("evidence");
  ASSAY_TRY(fields.status());
  return stage;
}

Result<std::vector<ArtifactRecord>> artifacts_from_json(const Json& json) {
  std::vector<ArtifactRecord> artifacts;
  if (!json.is_array()) return error(Code::corrupt, "the artifacts are not a list");
  for (const Json& artifact : json) {
    JsonReader fields(artifact, "an artifact");
    ArtifactRecord record{fields.text("name"), fields.text("sha256"),
                          size_field(fields, "bytes").value_or(0)};
    // Both become parts of paths. Only phases and kernels stand in folders of their own.
    std::string_view name = record.name;
    for (std::string_view folder : {kPhasesFolder, kKernelsFolder})
      if (name.starts_with(std::string(folder) + "/")) {
        name.remove_prefix(folder.size() + 1);
        break;
      }
    if (name.empty() || name.contains('/') || name.starts_with('.'))
      fields.fail("'name' is no file name");
    if (record.sha256.size() != 64 ||
        record.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
      fields.fail("'sha256' is no hash");
    ASSAY_TRY(fields.status());
    artifacts.push_back(std::move(record));
  }
  return artifacts;
}

// Whether the attempt ends with it. Where nothing could be said by interpreting, that it compiles
// stands; where it could not be timed, that it is right.
static bool decides(const StageRecord& stage) {
  const bool takes_away =
      stage.stage != Stage::smoke && stage.stage != Stage::measure && stage.stage != Stage::profile;
  return stage.status != StageStatus::ok && (takes_away || stage.status != StageStatus::not_judged);
}

// Why an accepted attempt could not be timed; null: it was, or nobody asked.
static const StageRecord* why_not_timed(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (stage.stage == Stage::measure && stage.status == StageStatus::not_judged) return &stage;
  return nullptr;
}

Json evidence_of(const StageRecord& stage) {
  if (stage.evidence_text.empty()) return stage.evidence;
  auto parsed = parse_json(stage.evidence_text, "the evidence of a stage");
  return parsed ? std::move(*parsed) : Json();
}

std::vector<std::string> compile_flags_of(const Attempt& attempt) {
  std::vector<std::string> flags;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.stage != Stage::compile) continue;
    const Json evidence = evidence_of(stage);
    if (!evidence.is_object()) continue;
    for (const Json& flag : evidence.value("flags", Json::array()))
      if (flag.is_string()) flags.push_back(flag.get<std::string>());
  }
  return flags;
}

std::vector<std::string> flags_in_folder(std::vector<std::string> flags,
                                         const std::string& folder) {
  const std::string library = "=" + std::string(kTuningLibraryName);
  for (std::string& flag : flags)
    if (flag.ends_with(library)) flag.insert(flag.size() - kTuningLibraryName.size(), folder + "/");
  return flags;
}

const StageRecord* Attempt::deciding_stage() const {
  for (const StageRecord& stage : stages)
    if (decides(stage)) return &stage;
  return nullptr;
}

Verdict verdict_of(const std::vector<StageRecord>& stages) {
  for (const StageRecord& stage : stages) {
    if (!decides(stage)) continue;
    switch (stage.status) {
      case StageStatus::ok:
        continue;
      case StageStatus::failed:
        return Verdict::failed;
      case StageStatus::rejected:
        return Verdict::rejected;
      case StageStatus::unsupported:
        return Verdict::unsupported;
      case StageStatus::not_judged:
        return Verdict::not_judged;
    }
  }
  if (stages.empty()) return Verdict::not_judged;
  if (stages.back().stage == Stage::export_) return Verdict::exported;
  return stages.back().stage < Stage::verify ? Verdict::compiled : Verdict::accepted;
}

std::string_view reached(const Attempt& attempt) {
  std::string_view far, before_verify;
  for (const StageRecord& stage : attempt.stages) {
    if (stage.status != StageStatus::ok) {
      // Who is wrong, or breaks, in a timed window never was correct.
      return stage.stage > Stage::verify && decides(stage) ? before_verify : far;
    }
    if (stage.stage == Stage::compile) far = "compiled";
    if (stage.stage == Stage::smoke) far = "smoke";
    if (stage.stage < Stage::verify) before_verify = far;
    if (stage.stage == Stage::verify) far = "correct";
    if (stage.stage == Stage::judge) far = "timed";
  }
  return far;
}

std::optional<Outcome> outcome(const Attempt& attempt) {
  if (attempt.verdict != Verdict::accepted) return std::nullopt;
  if (attempt.timing) return attempt.timing->speedups.front().outcome;
  if (attempt.profile) return std::nullopt;
  return why_not_timed(attempt) ? Outcome::undecided : Outcome::correct;
}

std::string reason(const Attempt& attempt) {
  if (attempt.timing) return attempt.timing->speedups.front().reason;
  if (const StageRecord* why = why_not_timed(attempt)) return why->error;
  const StageRecord* deciding = attempt.deciding_stage();
  if (attempt.verdict == Verdict::rejected) return deciding->rule;
  if (attempt.verdict == Verdict::not_judged && deciding) return deciding->rule;
  return attempt.verdict == Verdict::unsupported ? deciding->error : "";
}

Status check(const Attempt& attempt) {
  auto broken = [&](const char* what) {
    return error(Code::corrupt,
                 "the record of attempt '" + attempt.id + "' contradicts itself: " + what);
  };
  for (const StageRecord& stage : attempt.stages) {
    if (stage.failure.has_value() != (stage.status == StageStatus::failed))
      return broken("a class belongs to a failed stage and to no other");
    if (stage.error.empty() != (stage.status == StageStatus::ok))
      return broken("an error belongs to every stage that is not ok and to no other");
    if (stage.rule.empty() && stage.status == StageStatus::rejected)
      return broken("a rejected stage has a rule");
    if (!stage.rule.empty() && stage.status != StageStatus::rejected &&
        stage.status != StageStatus::not_judged)
      return broken("a rule belongs to a stage that is rejected or not judged, and to no other");
    if (stage.blamed && stage.status == StageStatus::ok)
      return broken("nobody is to blame for a stage that is ok");
  }
  auto has = [&](Stage wanted) {
    return std::ranges::any_of(attempt.stages, [&](const StageRecord& stage) {
      return stage.stage == wanted && stage.status == StageStatus::ok;
    });
  };
  if (attempt.timing.has_value() != has(Stage::judge))
    return broken("a timing belongs to an attempt that went through judge and to no other");
  if (attempt.timing && !(has(Stage::verify) && has(Stage::measure)))
    return broken("it has a speed, and nobody found it to be right");
  if (attempt.timing && attempt.timing->speedups.empty()) return broken("its timing is of nothing");
  if (attempt.profile.has_value() != has(Stage::profile))
    return broken("a profile belongs to an attempt that was profiled and to no other");
  if (attempt.profile && (!has(Stage::verify) || attempt.timing))
    return broken("it has a profile, and nobody found it to be right, or it has a speed");
  if (attempt.verdict != verdict_of(attempt.stages))
    return broken("its verdict does not follow from its stages");
  if (attempt.id != attempt_id(attempt, true) && attempt.id != attempt_id(attempt, false))
    return broken("its id does not follow from its parts");
  return {};
}

std::string attempt_id(const Attempt& attempt, bool says_author) {
  std::string level = attempt.level.empty() ? "_" : escape_component(attempt.level);
  std::string id = escape_component(attempt.suite) + "/" + level + "/" +
                   escape_component(attempt.target) + "/" + escape_component(attempt.workload);
  if (says_author) id += "/" + escape_component(attempt.author);
  if (attempt.candidate > 1) id += "__s" + std::to_string(attempt.candidate);
  return id;
}

Json to_json(const Attempt& attempt) {
  Json json;
  json["id"] = attempt.id;
  json["workload"] = attempt.workload;
  json["path"] = attempt.path;
  json["suite"] = attempt.suite;
  json["level"] = or_null(attempt.level);
  json["author"] = attempt.author;
  json["candidate"] = attempt.candidate;
  json["target"] = attempt.target;
  json["precision"] = to_word(kPrecisionWords, attempt.precision);
  json["mode"] = attempt.mode;
  json["verdict"] = to_word(kVerdictWords, attempt.verdict);
  const StageRecord* deciding = attempt.deciding_stage();
  const std::optional<Outcome> said = outcome(attempt);
  json["outcome"] = said ? Json(to_word(kOutcomeWords, *said)) : Json(nullptr);
  json["reason"] = or_null(reason(attempt));
  json["stage"] = deciding ? Json(to_word(kStageWords, deciding->stage)) : Json(nullptr);
  json["class"] = deciding && deciding->failure
                      ? Json(to_word(kFailureClassWords, *deciding->failure))
                      : Json(nullptr);
  const std::optional<Fault> fault = fault_of(attempt);
  json["fault"] = fault ? Json(to_word(kFaultWords, *fault)) : Json(nullptr);
  json["error"] = deciding ? or_null(deciding->error) : Json(nullptr);
  json["reproduce"] = attempt.reproduce;
  json["reached"] = or_null(std::string(reached(attempt)));
  json["timing"] = attempt.timing ? to_json(*attempt.timing) : Json(nullptr);
  json["profile"] = attempt.profile ? to_json(*attempt.profile) : Json(nullptr);
  json["operation"] = attempt.operation ? to_json(*attempt.operation) : Json(nullptr);
  json["isolation"] = or_null(attempt.isolation);
  json["seed"] = or_null(attempt.seed);
  json["origin"] = to_json(attempt.origin);
  json["replay"] = attempt.replay ? to_json(*attempt.replay) : Json(nullptr);
  json["fingerprint"] = attempt.fingerprint;
  json["finished"] = attempt.finished;
  json["artifacts"] = Json::array();
  for (const ArtifactRecord& artifact : attempt.artifacts)
    json["artifacts"].push_back(
        {{"name", artifact.name}, {"sha256", artifact.sha256}, {"bytes", artifact.bytes}});
  json["stages"] = Json::array();
  for (const StageRecord& stage : attempt.stages) json["stages"].push_back(to_json(stage));
  return json;
}

Result<Attempt> attempt_from_json(const Json& json) {
  JsonReader fields(json, "an attempt");
  Attempt attempt;
  attempt.id = fields.text("id");
  attempt.workload = fields.text("workload");
  attempt.path = fields.text("path");
  attempt.suite = fields.text("suite");
  attempt.level = fields.optional_text("level").value_or("");
  attempt.author = fields.text("author");
  int64_t candidate = fields.integer("candidate");
  if (candidate < 1 || candidate > 1'000'000) fields.fail("'candidate' is out of range");
  attempt.candidate = static_cast<int>(candidate);
  attempt.target = fields.text("target");
  attempt.precision = fields.word<Precision>("precision", kPrecisionWords);
  attempt.mode = fields.text("mode");
  attempt.verdict = fields.word<Verdict>("verdict", kVerdictWords);
  attempt.reproduce = fields.text("reproduce");
  attempt.isolation = fields.optional_text("isolation").value_or("");
  attempt.seed = fields.optional_text("seed").value_or("");
  attempt.fingerprint = fields.text("fingerprint");
  attempt.finished = fields.text("finished");
  ASSAY_TRY(fields.status());
  ASSAY_ASSIGN(attempt.origin, origin_from_json(fields.value("origin")));
  if (!fields.value("timing").is_null()) {
    ASSAY_ASSIGN(attempt.timing, timing_from_json(fields.value("timing")));
  }
  if (fields.has("profile") && !fields.value("profile").is_null()) {
    ASSAY_ASSIGN(attempt.profile, profile_from_json(fields.value("profile")));
  }
  if (fields.has("operation") && !fields.value("operation").is_null()) {
    ASSAY_ASSIGN(attempt.operation, operation_facts_from_json(fields.value("operation")));
  }
  if (!fields.value("replay").is_null()) {
    ASSAY_ASSIGN(attempt.replay, replay_from_json(fields.value("replay")));
  }
  if (!fields.value("stages").is_array())
    return error(Code::corrupt, "an attempt's stages are not a list");
  for (const Json& stage : fields.value("stages")) {
    ASSAY_ASSIGN(StageRecord record, stage_from_json(stage));
    attempt.stages.push_back(std::move(record));
  }
  ASSAY_ASSIGN(attempt.artifacts, artifacts_from_json(fields.value("artifacts")));
  ASSAY_TRY(check(attempt));
  return attempt;
}

}  // namespace assay
