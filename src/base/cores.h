#pragma once

#include "base/disk.h"

namespace assay {

// How many cores this process may keep busy: those it is bound to, or fewer where a control group
// (version 2) allows less time than they have. At least 1.
int usable_cores(const Disk& disk);

}  // namespace assay
