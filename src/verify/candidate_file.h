#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "verify/oracle.h"
#include "verify/verify.h"

namespace assay {

// What is run: bytes that nobody can change any more.
struct CandidateFile {
  UniqueFd file;                       // its source, or a library or artifact
  std::optional<StageRecord> build{};  // the stage compile, of what had to be built
  int64_t building_ns = 0;             // of the caller's time
  // Where XLA compiles the problem's own model: what the first process leaves for others (Subject).
  UniqueFd left{};
};

// What a build says of its one source is said of the user's file, which has another name.
void name_source(std::string_view built_as, const std::string& path, StageRecord& record);

// Builds it where it is a source. A finding where that fails, or it is not for this machine.
Step<CandidateFile> take_candidate_file(const VerifyJob& job, const VerifyTools& tools,
                                        Children& children, NativeLibraries& libraries);

}  // namespace assay
