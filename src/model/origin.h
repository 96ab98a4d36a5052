// Where an attempt comes from: what it was made of, and which one it replays.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// What it takes to make an attempt again, and to know whether that would be the same.
struct Origin {
  std::string author;          // as --by takes it: "file:/home/you/mine/softmax__s2.c"
  std::string target;          // as --on takes it
  std::string iree;            // as --iree takes it; "": the installed one
  std::string problem_sha256;  // of the problem's file; "": it could not be read
  // Of the candidate's file, or of that and the files beside it that are handed in; "": it is made
  // of the problem's.
  std::string candidate_sha256;

  bool operator==(const Origin&) const = default;
};

Json to_json(const Origin& origin);
Result<Origin> origin_from_json(const Json& json);

// Of what a replay is one: an attempt whose inputs are drawn from a seed that was known before. It
// says what came of the other one, and is no verdict of its own.
struct Replay {
  std::string run;                   // the folder of the other one's run, absolute
  std::string attempt;               // its id
  std::vector<std::string> differs;  // what is not as it was then, a line each

  bool same_attempt(const Replay& other) const {
    return run == other.run && attempt == other.attempt;
  }
  bool operator==(const Replay&) const = default;
};

Json to_json(const Replay& replay);
Result<Replay> replay_from_json(const Json& json);

// The command line that replays an attempt, for a shell.
std::string replay_command(const std::string& run, const std::string& attempt);

}  // namespace assay
