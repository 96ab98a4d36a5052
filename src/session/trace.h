// trace.json: what ran when in one attempt, in the trace event format that Perfetto and Chrome
// read.
#pragma once

#include <vector>

#include "base/json.h"
#include "model/attempt.h"
#include "session/traced.h"

namespace assay {

// {"traceEvents": [...], "displayTimeUnit": "ms", "otherData": {...}}. Times begin at 0 with the
// first stage, process or look at memory. A stage that was reused ran in another attempt, and is
// only named. A call that was looked into begins where the stage verify ends, by what it took of
// its own: it ran behind the verdict, at no time that is known.
Json trace_of(const Attempt& attempt, const Traced& traced);

// Takes the calls that were looked into out of what each counter says.
std::vector<TracedCall> take_calls(Json& counters);

}  // namespace assay
