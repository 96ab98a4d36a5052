#pragma once

#include <algorithm>

#include "model/timing.h"

namespace assay {

// The same as is asked for, with two launches: enough for large differences alone, and provisional.
inline TimingSettings quick_look(TimingSettings settings) {
  constexpr int64_t kQuickNs = 5'000'000'000;  // as of `assay run --quick`
  settings.quick = true;
  settings.budget_ns = std::min(settings.budget_ns, kQuickNs);
  return settings;
}

}  // namespace assay
