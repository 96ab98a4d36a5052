// The process that holds a candidate of a problem: what it is told, how it is started, and what its
// windows come to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/candidate_process.h"
#include "run/emulator.h"
#include "verify/chunks.h"
#include "verify/extensions.h"
#include "verify/random.h"
#include "verify/round_memory.h"
#include "verify/verify.h"

namespace assay {

// The candidate, and what it is run with.
struct Subject {
  const VerifyJob& job;
  const VerifyTools& tools;
  Children& children;
  const RandomStream& random;
  int candidate_fd;  // its source or binary
  Extensions& extensions;
  int left_fd = -1;  // of XLA's: a memory file that all its processes share (CandidateJob)
};

// What is done about code for a GPU, which is not here.
enum class OnGpu {
  none,       // there is none
  compile,    // it is compiled, and not run
  interpret,  // Triton's own interpreter runs it
};

// What one launch of a candidate has of its own.
struct LaunchSetting {
  std::string size = kFullSize;  // in words, for the record
  uint32_t seed = 0;             // that both models are built under
  // What both models draw while they are built is whole: -1, 0 or 1.
  bool integer_draws = false;
  // Both models make parameters that have one value throughout of others, near that.
  bool other_constants = false;
  int perturb = 0;  // fresh memory is filled with this byte; 0: it is as it comes
  // The oracle computes, and its results are compared, a few rows at a time.
  std::optional<ChunkPlan> chunks{};
  bool by_seed = false;        // parameters are drawn by each model, and not copied
  bool draws_weights = false;  // also where the job has some to load
  bool other_driver = false;   // of an artifact: IREE has two for CPUs
  // To see whether the candidate writes to what is not its own, or as others let it do so.
  bool writable_inputs = false;
  OnGpu gpu = OnGpu::none;
  bool operators = false;  // calls are made to be looked into (Launch::operators)
  bool profiled = false;   // on a card, profilers are told of all calls but the first
  bool in_place = false;   // results of Python candidates are read where they are
  ResultsAre results = ResultsAre::in_place;  // and which, with it
  // In the candidate's place is a program that does nothing: what its runner does itself.
  bool is_empty = false;
  // Windows are its trials, whose results the runner compares with the baseline's: that lies in the
  // memory of inputs, all of which are writable then.
  const OtherCheck* check = nullptr;
};

// The byte `number` of those that `perturb` takes, another one each time: what reads memory that it
// never wrote gives other results then. One that makes no small number of any type: whatever is
// added to that shows it.
int fresh_memory_byte(const RandomStream& random, uint64_t number);

// Which of IREE's drivers runs an artifact with so many threads.
std::string_view iree_driver(int threads, bool other = false);

// What a runner is told of the problem, whose inputs and results lie in `memory`. Both outlive it.
CandidateJob runner_job(const Subject& subject, const Oracle& oracle, const RoundMemory& memory,
                        const SharedTensors& state, const LaunchSetting& setting);

// Starts it. A finding where it does not come to be ready; as often as it asks for one more
// extension, that is built and it begins again.
Step<std::unique_ptr<CandidateProcess>> start_runner(const Subject& subject, CandidateJob& job);

// The finding that a window ends with, of a candidate of this problem; nothing: its results can be
// looked at. `is_option`: the limit is --timeout, and no limit of verify's own.
Step<void> check_window(const Window& window, const ProblemDescription& problem, int64_t limit_ns,
                        bool is_option = false);

// Of a process that was emulated. What the emulator lacks or takes too long for says nothing of
// what it was to call; nor does that it breaks itself, of which it prints why. What somebody else
// is blamed for stays: no emulator runs the problem's own code.
void leave_to_emulator(StageRecord& record, const Emulator& emulator);
// The same of a job whose form is emulated.
void leave_to_emulator(StageRecord& record, const VerifyJob& job);

// How long a call may take: as often as is plausible of what torch takes, and longer where the
// candidate has not been called before in its process, since some compile themselves then.
int64_t call_limit_ns(int64_t baseline_ns, bool first);

}  // namespace assay
