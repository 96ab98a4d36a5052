// What this machine can do at most (target/calibration.h), measured.
//
// Of each element type every kernel that the CPU can run, and of each level of memory every way to
// go through it: what is kept is the fastest, since a peak that is too low would make honest
// candidates impossible. Time is CPU time, which excludes what others took of the machine.
#pragma once

#include <functional>

#include "target/calibration.h"

namespace assay {

// Takes the timing lock; `go_on` is asked while it waits for that, and ends it with its error. Some
// seconds then. Without a word where the machine is busy: the scatter shows.
Result<Calibration> calibrate(const std::function<Status()>& go_on);

}  // namespace assay
