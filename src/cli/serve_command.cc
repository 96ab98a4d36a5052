#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/grade_settings.h"
#include "serve/grade.h"
#include "serve/stdio_stream.h"
#include "session/workplace.h"
#include "setup/verify_tools.h"

namespace assay {

Result<int> serve_command(const Arguments& arguments, Output&) {
  if (!arguments.given("--stdio"))
    return error(Code::invalid_input, "it does not say where requests come from",
                 "assay serve --stdio reads them from standard input");
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(GradeSettings settings, parse_grade_settings(arguments, places));
  ASSAY_ASSIGN(auto place, Workplace::create(settings.tools, CachedLibraries::Use::headers));
  ASSAY_ASSIGN(std::string scratch, make_scratch_folder());
  ASSAY_TRY(place->have_children_in(scratch));
  ASSAY_ASSIGN(auto stream, StdioStream::start(STDIN_FILENO, STDOUT_FILENO, 2 * settings.jobs,
                                               place->spawner()));
  Events nobody;
  ASSAY_TRY(grade(settings, place->world(nobody), *stream));
  return 0;
}

}  // namespace assay
