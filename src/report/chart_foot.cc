#include "report/chart_foot.h"

#include <string>

namespace assay {

void draw_foot(Svg& svg, const RunRecord& run, double y) {
  std::string words = "assay " + run.assay_version;
  const auto cpu = run.machine.find("CPU");
  if (cpu != run.machine.end() && cpu->is_string()) words += ", " + cpu->get<std::string>();
  if (!run.created.empty()) words += ", " + run.created.substr(0, 10);
  svg.text({8, y}, Svg::Anchor::start, words, "soft");
}

}  // namespace assay
