// Pictures of a run for papers and READMEs: `--format svg --chart NAME`. Each is a row here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

struct Chart {
  std::string_view name;
  std::string_view title;  // in one line
  // An SVG; "" where the run has nothing to draw.
  std::string (*draw)(const ReportInput& input);
  std::string_view needs{};  // what makes a run that has something to draw
};

// Speed-ups first: a run's folder has that picture, where there are any.
std::span<const Chart> charts();

}  // namespace assay
