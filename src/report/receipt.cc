#include "report/receipt.h"

#include <utility>

#include "base/hash.h"

namespace assay {
namespace {

// So that no other text of this key is taken for a receipt.
std::string signed_bytes(const Json& says) { return "assay receipt 1\n" + dump_json(says); }

std::unexpected<Error> no_receipt(const std::string& what) {
  return error(Code::invalid_input, what + " is no receipt",
               "`assay receipt RUN ATTEMPT --to FILE` writes one");
}

}  // namespace

Json receipt_of(const Attempt& attempt, const RunRecord& run, std::string_view windows) {
  Json stages = Json::array();
  for (const StageRecord& stage : attempt.stages)
    stages.push_back({{"stage", to_word(kStageWords, stage.stage)},
                      {"status", to_word(kStageStatusWords, stage.status)},
                      {"rule", or_null(stage.rule)}});
  Json artifacts = Json::object();
  for (const ArtifactRecord& artifact : attempt.artifacts)
    artifacts[artifact.name] = artifact.sha256;
  const auto said = attempt.timing ? outcome(attempt) : std::nullopt;
  Json speed;
  if (said) {
    const Speedup& first = attempt.timing->speedups.front();
    speed = {{"outcome", to_word(kOutcomeWords, *said)},
             {"baseline", first.baseline},
             {"ratio", first.ratio},
             {"low", first.low},
             {"high", first.high}};
  }
  return {{"attempt", attempt.id},
          {"author", attempt.author},
          {"target", attempt.target},
          {"verdict", to_word(kVerdictWords, attempt.verdict)},
          {"reason", or_null(reason(attempt))},
          {"speed", std::move(speed)},
          {"finished", attempt.finished},
          {"problem_sha256", or_null(attempt.origin.problem_sha256)},
          {"candidate_sha256", or_null(attempt.origin.candidate_sha256)},
          {"artifacts_sha256", std::move(artifacts)},
          {"seed", or_null(attempt.seed)},
          {"isolation", or_null(attempt.isolation)},
          {"windows_sha256", windows.empty() ? Json() : Json(sha256(windows))},
          {"record_sha256", sha256(dump_json(to_json(attempt)))},
          {"stages", std::move(stages)},
          {"fingerprint", attempt.fingerprint},
          {"settings", to_json(run)["settings"]},
          {"assay", run.assay_version},
          {"machine", run.machine}};
}

Receipt sign_receipt(Json says, const SigningKey& key) {
  std::string signature = key.sign(signed_bytes(says));
  return {std::move(says), key.public_key(), std::move(signature)};
}

std::string to_text(const Receipt& receipt) {
  return dump_json({{"receipt", kReceiptFormat},
                    {"says", receipt.says},
                    {"key", receipt.key},
                    {"signature", receipt.signature}},
                   1) +
         "\n";
}

Result<Receipt> read_receipt(const std::string& text, const std::string& what) {
  auto json = parse_json(text, what);
  if (!json || !json->is_object() || !json->contains("receipt")) return no_receipt(what);
  JsonReader reader(*json, what);
  if (reader.integer("receipt") != kReceiptFormat)
    return error(Code::invalid_input,
                 what + " is a receipt of another format than this assay reads",
                 "use the assay that wrote it");
  Receipt receipt{reader.value("says"), reader.text("key"), reader.text("signature")};
  if (!reader.status() || !receipt.says.is_object()) return no_receipt(what);
  if (!is_signed_by(receipt.key, signed_bytes(receipt.says), receipt.signature))
    return error(Code::corrupt,
                 what + " was changed since it was signed, or its signature is another's",
                 "ask whoever signed it for another copy");
  // Another spelling of the same values, a field twice: what people read may not be what was
  // signed.
  if (to_text(receipt) != text)
    return error(Code::corrupt,
                 what + " holds what was signed, in another form than it was written in",
                 "ask whoever signed it for another copy");
  return receipt;
}

std::string verdict_of_receipt(const Json& says) {
  auto word = [](const Json& from, const char* field) {
    const auto found = from.find(field);
    return found != from.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  std::string words = word(says, "verdict");
  const std::string reason = word(says, "reason");
  const auto speed = says.find("speed");
  if (speed != says.end() && speed->is_object()) return words + ", " + word(*speed, "outcome");
  return reason.empty() ? words : words + ": " + reason;
}

std::string verdict_of_receipt(const Attempt& attempt) {
  return verdict_of_receipt(receipt_of(attempt, {}, ""));
}

}  // namespace assay
