// Judges candidates as they come, many at once: `assay serve`.
#pragma once

#include "serve/line_stream.h"
#include "serve/served.h"

namespace assay {

// Until the stream has ended and all is said. A line that is no request is told so, and costs
// nothing else. Ends as run_session() does.
Status grade(const GradeSettings& settings, World world, LineStream& stream);

}  // namespace assay
