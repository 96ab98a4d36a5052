// A native candidate once more, built so that what no result shows is found: --sanitize.
#pragma once

#include "verify/findings.h"
#include "verify/launch.h"
#include "verify/native_libraries.h"

namespace assay {

// Of a candidate in C or C++ that `record` accepts so far: builds and calls it with each of the
// tools' sanitizers, on inputs of a few families. What one finds becomes the record, and so does
// that it cannot be built with one, or does not come through its calls, where others can; what this
// machine cannot try is added to `found`. Returns those that ran, "address", "thread"; null: there
// was nothing to do. A gate and no proof: a candidate can tell that they are there. Blocks.
Result<Json> pass_sanitizers(const Subject& subject, NativeLibraries& libraries,
                             StageRecord& record, Findings& found);

}  // namespace assay
