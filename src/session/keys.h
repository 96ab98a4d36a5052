// What decides what a stage makes, in one place: the keys of the cache and the fingerprint of an
// attempt are both made of these. A new ingredient goes into exactly one of the functions below.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/lane.h"
#include "setup/tools.h"
#include "store/cache.h"
#include "target/target.h"

namespace assay {

// What one export is of.
struct ExportSubject {
  std::string path;         // of the problem's file
  std::string source_hash;  // of its bytes
  Precision precision = Precision::f32;
  Route route = Route::torch;
};

// What tensors with values may take while a model is built, where it can't be built without: part
// of an export's --memory. Of the setting, and not of what is free now: another run must export the
// same program.
uint64_t real_bytes(const RunSettings& settings);

CacheKey export_key(const ExportSubject& subject, const RunSettings& settings, const Tools& tools);
CacheKey weights_key(const ExportSubject& subject, const RunSettings& settings, const Tools& tools);
// `program` is the hash of the MLIR.
CacheKey compile_key(const ExportSubject& subject, const std::string& program, const Target& target,
                     const RunSettings& settings, const Tools& tools);

// What a candidate is, beside its problem.
struct CandidateSubject {
  const Form* form = &artifact_form();
  // Of its file's bytes, and of the files that are handed in with it; "" of what is made of the
  // problem.
  std::string hash;
  bool verified = false;                  // it is to be verified, and can run here
  std::vector<std::string> baselines{};   // hashes of the files that it is timed against
  std::vector<const Target*> compiled{};  // that baselines are compiled for
};
// A file that cannot be read has no hash: such an attempt will not be judged.
CandidateSubject candidate_subject(const Disk& disk, const Planned& planned);

// All that decides what an attempt's outcome is: a hash of what its verdict depends on, and where
// it is to be timed a second one behind a '-', of how.
std::string fingerprint(const ExportSubject& subject, const CandidateSubject& candidate,
                        const Target& target, const RunSettings& settings, const Tools& tools);

// Of an attempt that the store holds, what is left to do where its fingerprint is this one now.
enum class Left { nothing, timing, all };
Left left_to_do(Verdict verdict, std::string_view then, std::string_view now);
// Whether two fingerprints differ in nothing but how it is timed.
bool same_but_for_timing(std::string_view one, std::string_view other);

}  // namespace assay
