// What the parts of a call have to do, beside how long they take.
#pragma once

#include <string>

#include "judge/roofline.h"

namespace assay {

// Completes what counters say of parts of a call (measure/call_parts.h): `dispatch_bytes`, as the
// compiler's program has them (compile/dispatch_programs.h; may be null), where a counter knows no
// bytes, and of each whose bytes are known the least that it can take. Without a calibration there
// is no such bound, nor of products of a `type` of which that has no peak. `threads` run an
// operator; a dispatch is alone on a core.
void add_work(Json& counted, const Json& dispatch_bytes, const std::string& type, int threads,
              const Calibration* calibration);

}  // namespace assay
