// From what a child said and how it ended to the record of a stage.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "model/attempt.h"
#include "sandbox/ending.h"

namespace assay {

// A stage whose child never gave a usable answer: the end of the child is the finding, or, when
// assay's own handling failed, the stage could not be judged.
StageRecord stage_from_ending(Stage stage, const Ending& ending);

// A stage from a child's answer: {"ok": {...}}, {"failed": {class, error, detail}} or
// {"unsupported": {reason}}. The answer is hostile: a class that only assay can establish, or
// anything malformed, becomes a failure of class `protocol`.
StageRecord stage_from_answer(Stage stage, const Json& answer);

// A stage that failed; of the message the first line is kept.
StageRecord failed_stage(Stage stage, FailureClass failure, std::string_view message);

// A stage in which assay declines the workload, and why.
StageRecord unsupported_stage(Stage stage, std::string reason);

// A stage in which a candidate broke a rule.
StageRecord rejected_stage(Stage stage, std::string_view rule, std::string why);

// A stage that says nothing about the workload: what kept it from being judged.
StageRecord not_judged_stage(Stage stage, std::string reason);

// The same record, blamed on somebody whom stage and class do not tell: fault_of().
StageRecord blamed_on(Fault fault, StageRecord record);

// Adds what a worker printed to the detail of a stage that is not ok.
void add_printed(StageRecord& record, std::string_view printed);

// What a record keeps of what a candidate has printed: the beginning and the end.
std::string shortened_print(std::string_view printed);

// It has just ended, and began so long ago. What of that was not its own, as a wait or another
// stage's work, is no part of what it took.
void took(StageRecord& record, int64_t elapsed_ns, int64_t not_its_own_ns = 0);

// Adds the child's costs, and what it printed to the detail of a stage that is not ok.
void add_costs(StageRecord& record, const Ending& ending);

}  // namespace assay
