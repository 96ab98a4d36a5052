// A process with a candidate in it that is started by a profiler, in the candidate's jail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/counter.h"

namespace assay {

// What stands in an option for the folder that its report is to be in.
inline constexpr std::string_view kReportFolder = "@report";

struct Profiler {
  std::string program;               // its path
  std::vector<std::string> options;  // the command is put behind them
  std::string report;                // what its one file is called in that folder: "*.db"
  std::vector<std::string> reads;    // folders that the jail has to show, beside the program's
  // It is two processes that talk over sockets, the command being in one of them.
  bool connects = false;
  int calls = 1;  // of the candidate
  // What it complains of in what was printed, in a sentence; "": of nothing.
  std::string (*complaint)(std::string_view printed) = nullptr;
};

// The bytes of its report. An error says why there is none. Whatever it is of the candidate's, it
// is accepted, and stays so.
Result<std::string> profile_calls(const CountedCandidate& candidate, const Profiler& profiler);

// The command in whose place a runner's image becomes that program, and what is printed then. For
// tests.
Image image_in_profiler(const Image& runner, const std::string& launcher, const Profiler& profiler);
Result<std::string> report_in(std::string_view printed, const Profiler& profiler);

}  // namespace assay
