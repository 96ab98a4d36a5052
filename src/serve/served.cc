#include "serve/served.h"

#include <memory>
#include <string>
#include <utility>

namespace assay {

Lane served_lane(Served served, const std::vector<Author>& baselines) {
  Planned planned{
      .target = served.target, .candidate = std::move(served.candidate), .verified = true};
  // No path: its code sees no folder. Messages call it so.
  const auto& endings = planned.candidate.form->endings;
  planned.candidate.path = "candidate" + std::string(endings.empty() ? "" : endings.front());
  planned.attempt.id = std::move(served.id);
  planned.attempt.workload = served.workload.name;
  planned.attempt.path = served.workload.path;
  planned.attempt.target = served.target->name;
  planned.attempt.precision = served.precision;
  planned.attempt.mode = served.terms.settings.mode;
  if (served.terms.settings.timing)
    for (const Author& author : baselines)
      planned.baselines.push_back({author.name, *author.type->own});
  planned.comparisons = served.comparisons;
  Lane lane{.workload = std::move(served.workload),
            .precision = served.precision,
            .terms = std::make_shared<const Terms>(std::move(served.terms)),
            .loaded = std::move(served.loaded)};
  lane.planned.push_back(std::move(planned));
  return lane;
}

Status serve(const GradeSettings& settings, World world, Feed& feed, Sink& sink) {
  // Importing torch takes seconds: nobody is to wait for that who comes later.
  world.spawner.start_image(settings.tools.verify.oracle);
  world.spawner.start_image(runner_image(settings.tools.verify, python_form().runner()));
  const SessionSetting setting{.jobs = settings.jobs,
                               .cores = settings.jobs,
                               .go_on = "what had no verdict yet is to be sent again"};
  return run_session(feed, sink, setting, settings.tools, world);
}

}  // namespace assay
