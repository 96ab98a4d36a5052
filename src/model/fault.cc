#include "model/fault.h"

#include "model/attempt.h"

namespace assay {
namespace {

// What is absent holds for all. Only a rejected stage has a rule that blames somebody, and that is
// always the candidate, whichever rule it is.
struct Row {
  StageStatus status;
  std::optional<Stage> stage;
  std::optional<FailureClass> failure;
  Fault fault;
};

// The first row that fits holds. An export runs the problem's code and nobody else's; that torch or
// IREE does not take it is a matter of theirs, and they are the candidate there.
constexpr Row kRows[] = {
    {StageStatus::not_judged, {}, {}, Fault::machine},
    {StageStatus::rejected, {}, {}, Fault::candidate},
    {StageStatus::unsupported, Stage::export_, {}, Fault::assay},
    {StageStatus::unsupported, {}, {}, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::load, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::setup, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::exception, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::crash, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::output_limit, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::disk_full, Fault::problem},
    {StageStatus::failed, Stage::export_, FailureClass::protocol, Fault::problem},
    {StageStatus::failed, {}, {}, Fault::candidate},
};

bool fits(const Row& row, const StageRecord& stage) {
  return row.status == stage.status && (!row.stage || row.stage == stage.stage) &&
         (!row.failure || row.failure == stage.failure);
}

}  // namespace

std::optional<Fault> fault_of(const StageRecord& stage) {
  if (stage.blamed) return stage.blamed;
  for (const Row& row : kRows)
    if (fits(row, stage)) return row.fault;
  return std::nullopt;
}

std::optional<Fault> fault_of(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  return deciding ? fault_of(*deciding) : std::nullopt;
}

}  // namespace assay
