#pragma once

#include "model/run_record.h"
#include "report/svg.h"

namespace assay {

// Where it was measured, by what and when, below everything: a picture travels without its report.
void draw_foot(Svg& svg, const RunRecord& run, double y);

}  // namespace assay
