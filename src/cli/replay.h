// `assay run --again RUN ATTEMPT`: an attempt of before once more, with the inputs it had.
#pragma once

#include <string>
#include <vector>

#include "base/places.h"
#include "cli/command.h"
#include "session/plan.h"
#include "session/request.h"

namespace assay {

// What is to be replayed: the attempt, and what its run was made with.
struct Replayed {
  Attempt attempt;
  RunRecord run;
  Replay replay;  // what says so in the new record
};

// The attempt that the command line names. Fails where there is none, where it was never verified,
// and where an option is given that would make another attempt of it.
Result<Replayed> find_replayed(const Arguments& arguments);

// That attempt as something to run: its problem, author, target, settings and seed.
Result<Request> replay_request(const Replayed& replayed, const Places& places);

// Where its run goes without --out: "runs/again/RUN/ATTEMPT".
std::string replay_folder(const Replayed& replayed);

// What is not as it was when the attempt was made, a line each: files, versions, machine, jail.
std::vector<std::string> what_differs(const Disk& disk, const Replayed& replayed, const Plan& plan,
                                      const Tools& tools, const Json& machine);

// What is replayed, and what differs, in a line or more for people.
std::string replay_in_words(const Replayed& replayed);
// Whether the same came of it, in a line or more for people.
std::string outcome_in_words(const Attempt& before, const Attempt& now);

}  // namespace assay
