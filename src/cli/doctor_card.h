#pragma once

#include "cli/doctor.h"

namespace assay {

// The graphics card that is here: what it is, and what of its state makes timing scatter.
void check_card(Doctor& doctor);

}  // namespace assay
