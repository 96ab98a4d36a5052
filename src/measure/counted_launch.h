// A process with a candidate in it, for a counter to have called.
#pragma once

#include <functional>
#include <string>

#include "measure/counter.h"
#include "verify/launch.h"

namespace assay {

// What `use` makes of a launch at the problem's own size, whose inputs are drawn under another seed
// than the verdict's. `stream` names what is drawn.
Step<Json> in_counted_launch(const CountedCandidate& candidate, const std::string& stream,
                             const Launch::Setting& setting,
                             const std::function<Step<Json>(Launch& launch)>& use);

}  // namespace assay
