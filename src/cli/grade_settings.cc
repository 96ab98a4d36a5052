#include "cli/grade_settings.h"

#include <fmt/format.h>

#include "author/author.h"
#include "base/words.h"
#include "cli/add_target.h"
#include "cli/find_authors.h"
#include "cli/option_values.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

// Against what is made of the problem itself: that is all a request has.
Status set_timing(const Arguments& arguments, GradeSettings& settings) {
  ASSAY_ASSIGN(settings.run.timing, parse_timing(arguments));
  ASSAY_ASSIGN(settings.baselines, find_baselines(settings.run.timing));
  for (const Author& author : settings.baselines)
    if (!author.type->runs_own_model())
      return error(
          Code::invalid_input,
          fmt::format("--against {}: a single candidate is timed against {} alone, which are made "
                      "of the problem itself",
                      author.reference, one_of(names_of_authors(&AuthorType::runs_own_model))),
          fmt::format("`assay run` times against {}, too",
                      one_of(names_of_authors(&AuthorType::runs_own_model, false))));
  return {};
}

// What requests may be for.
Status set_targets(const Arguments& arguments, const Places& places, GradeSettings& settings) {
  const TargetCatalog catalog = target_catalog(system_disk(), places);
  for (const std::string& name : arguments.list("--on"))
    ASSAY_TRY(add_target(catalog, name, settings.run, settings.targets));
  return refuse_other_cpus(settings.targets);
}

}  // namespace

Result<GradeSettings> parse_grade_settings(const Arguments& arguments, const Places& places) {
  GradeSettings settings;
  ASSAY_TRY(parse_how_to_judge(arguments, settings.run));
  ASSAY_TRY(set_targets(arguments, places, settings));
  ASSAY_TRY(set_timing(arguments, settings));
  ASSAY_ASSIGN(int jobs, parse_jobs(arguments));
  settings.jobs = static_cast<size_t>(jobs);
  ASSAY_ASSIGN(PythonDescription python, python_with_torch(places));
  settings.tools.python_environment = python.environment;
  settings.tools.host_cpu = host_cpu_identity(system_disk());
  ASSAY_ASSIGN(settings.tools.verify,
               find_verify_tools(system_disk(), this_machine(), places, python, settings.run,
                                 arguments.given("--trust")));
  for (const Target& target : settings.targets)
    if (target.card) add_card(settings.tools.verify, system_disk(), *target.card);
  ASSAY_ASSIGN(settings.tools.judge, find_judge_settings(system_disk(), places, settings.run));
  return settings;
}

}  // namespace assay
