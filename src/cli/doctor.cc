#include "cli/doctor.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace assay {

void Doctor::bad(const std::string& what, const std::string& problem, const std::string& mend) {
  line("MISSING", what, problem);
  if (!mend.empty()) output_.write("           mend: " + mend + "\n");
  healthy_ = false;
}

void Doctor::line(const char* state, const std::string& what, const std::string& found) {
  output_.write(fmt::format("  {:<8} {:<20} {}\n", state, what, printable(found, true)));
}

}  // namespace assay
