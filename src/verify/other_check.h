// What another bench would say of a candidate: a column beside assay's verdict, without a part in
// it.
#pragma once

#include "model/other_check.h"
#include "verify/launch.h"

namespace assay {

// {"name", "correct", "trials", "passed", "why"?}: whether it passed all trials, and why the first
// that it did not. It is tried in a process of its own, with the limits that the user sets,
// whatever assay says of it, unless its extensions do not build. `correct` is null where nobody
// here knows what the others would say, and `why` says why not: the problem itself breaks, or
// returns what they do not compare; a limit of assay's on memory, disk or output has ended the
// candidate; or it writes to where the problem's own result lies. `ours` is what assay says of it.
// Null where there is nothing to be said: it is no model in Python, or was not judged. Blocks.
Result<Json> other_check(const OtherCheck& check, const StageRecord& ours, const Subject& subject);

}  // namespace assay
