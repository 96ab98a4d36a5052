// What a command line names of problems, targets and a folder.
#pragma once

#include <string>
#include <vector>

#include "author/author.h"
#include "base/places.h"
#include "cli/command.h"
#include "session/request.h"

namespace assay {

// What PATH... names, of that what --filter, --skip, --ids and --limit leave. `fallback`: the path
// where none is given; "": there has to be one. `authors`: by whose configurations, too, it is
// filtered.
struct FoundProblems {
  std::vector<std::string> paths;  // as they are found from here
  std::vector<Workload> workloads;
  PathFilter filter;
};
Result<FoundProblems> find_problems(const Arguments& arguments, const Places& places,
                                    const std::string& fallback,
                                    const std::vector<Author>& authors = {},
                                    std::vector<std::string>* left_out = nullptr);

// Fills the request's targets (--on) and baselines; its settings stand already.
Status find_targets(const Arguments& arguments, const Places& places, Request& request);

// Fills the request's workloads (of PATH..., --filter, --skip, --ids, --limit) and folder (--out);
// its authors stand already. `goes_without`: operations of a sweep that cannot be are left out, and
// the request's notes say so; else they are a mistake.
Status find_work(const Arguments& arguments, const Places& places, const std::string& fallback,
                 Request& request, bool goes_without = false);

// Has the request's workloads loaded with what its settings name (--load-weights), if anything.
Status load_weights(Request& request);

// Fails where one brings tests along, for commands that go by models.
Status refuse_without_model(const std::vector<Workload>& workloads, std::string_view command);

// --jobs, --force and --iree, and the cores of this machine.
Status add_ways_of_running(const Arguments& arguments, Request& request);

}  // namespace assay
