// What another bench would say of a candidate: a column beside assay's verdict, without a part in
// it.
#pragma once

#include "model/other_check.h"
#include "verify/launch.h"

namespace assay {

// {"name", "correct", "trials", "passed", "why"?}: whether it passed all trials, and why the first
// that it did not; `correct` is null where the problem itself breaks. `ours` is what assay says of
// it: what does not load or build, or does not end, does so for others. Null where there is nothing
// to be said: it is no candidate that could stand for the problem's model, or was not judged.
// Blocks.
Result<Json> other_check(const OtherCheck& check, const StageRecord& ours, const Subject& subject);

}  // namespace assay
