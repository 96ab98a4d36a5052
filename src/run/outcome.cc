#include "run/outcome.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/escape.h"
#include "sandbox/capture.h"

namespace assay {
namespace {

constexpr size_t kMaxErrorBytes = 500;
constexpr size_t kMaxDetailBytes = 96 * 1024;
constexpr size_t kPrintedBytes = size_t{4} << 10;  // of either

// What a child can know about itself. The other classes are established from outside.
constexpr FailureClass kClaimable[] = {
    FailureClass::load,   FailureClass::setup,     FailureClass::export_,
    FailureClass::import, FailureClass::codegen,   FailureClass::link,
    FailureClass::build,  FailureClass::exception, FailureClass::out_of_memory};

std::string one_line(std::string_view text) {
  std::string line = printable(text.substr(0, text.find('\n')), false);
  if (line.size() > kMaxErrorBytes) line = line.substr(0, kMaxErrorBytes) + "...";
  return line.empty() ? "no reason was given" : line;
}

}  // namespace

StageRecord stage_from_ending(Stage stage, const Ending& ending) {
  switch (ending.kind) {
    case EndKind::exited:
    case EndKind::crashed:
      return failed_stage(stage, FailureClass::crash, ending.message);
    case EndKind::out_of_memory:
      return failed_stage(stage, FailureClass::out_of_memory, ending.message);
    case EndKind::timed_out:
      return failed_stage(stage, FailureClass::timeout, ending.message);
    case EndKind::output_limit:
      return failed_stage(stage, FailureClass::output_limit, ending.message);
    case EndKind::protocol:
      return failed_stage(stage, FailureClass::protocol, ending.message);
    case EndKind::answered:
      return failed_stage(stage, FailureClass::protocol, "ended without answering for this target");
    case EndKind::stopped:
    case EndKind::lost:
      break;
  }
  return not_judged_stage(stage, one_line(ending.message));
}

StageRecord stage_from_answer(Stage stage, const Json& answer) {
  StageRecord record;
  record.stage = stage;
  JsonReader fields(answer, "an answer");
  if (fields.value("ok").is_object()) {
    record.evidence = fields.value("ok");
    return record;
  }
  if (fields.value("unsupported").is_object()) {
    JsonReader declined(fields.value("unsupported"), "an answer");
    return unsupported_stage(stage, one_line(declined.text("reason")));
  }
  JsonReader failed(fields.value("failed"), "an answer");
  auto claimed = failed.word<FailureClass>("class", kFailureClassWords);
  std::string message = failed.text("error");
  if (!failed.status() || std::ranges::find(kClaimable, claimed) == std::end(kClaimable))
    return failed_stage(stage, FailureClass::protocol,
                        "gave an answer that is none of the agreed ones");
  record = failed_stage(stage, claimed, message);
  record.detail = failed.optional_text("detail").value_or("");
  return record;
}

StageRecord failed_stage(Stage stage, FailureClass failure, std::string_view message) {
  StageRecord record;
  record.stage = stage;
  record.status = StageStatus::failed;
  record.failure = failure;
  record.error = one_line(message);
  return record;
}

StageRecord unsupported_stage(Stage stage, std::string reason) {
  StageRecord record;
  record.stage = stage;
  record.status = StageStatus::unsupported;
  record.error = std::move(reason);
  return record;
}

StageRecord rejected_stage(Stage stage, std::string_view rule, std::string why) {
  StageRecord record;
  record.stage = stage;
  record.status = StageStatus::rejected;
  record.rule = rule;
  record.error = std::move(why);
  return record;
}

StageRecord not_judged_stage(Stage stage, std::string reason) {
  StageRecord record;
  record.stage = stage;
  record.status = StageStatus::not_judged;
  record.error = std::move(reason);
  return record;
}

StageRecord blamed_on(Fault fault, StageRecord record) {
  record.blamed = fault;
  return record;
}

void add_printed(StageRecord& record, std::string_view printed) {
  if (record.status == StageStatus::ok || printed.empty()) return;
  if (!record.detail.empty()) record.detail += "\n";
  record.detail += "--- printed by the worker ---\n" + std::string(printed);
  if (record.detail.size() > kMaxDetailBytes) record.detail.resize(kMaxDetailBytes);
}

std::string shortened_print(std::string_view printed) {
  Capture kept(kPrintedBytes);
  kept.add(printed);
  return kept.text();
}

void took(StageRecord& record, int64_t elapsed_ns, int64_t not_its_own_ns) {
  record.wall_ns = elapsed_ns - not_its_own_ns;
  record.began_us = utc_now_us() - elapsed_ns / 1000;
}

void add_costs(StageRecord& record, const Ending& ending) {
  took(record, ending.wall_ns);
  if (ending.cpu_ns > 0) record.cpu_ns = ending.cpu_ns;
  if (ending.peak_bytes > 0) record.peak_bytes = ending.peak_bytes;
  add_printed(record, ending.output);
}

}  // namespace assay
