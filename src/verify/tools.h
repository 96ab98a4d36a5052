#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/gpu_compiler.h"
#include "compile/native_build.h"
#include "model/loaded_weights.h"
#include "model/other_check.h"
#include "run/cuda/card.h"
#include "run/runner.h"
#include "sandbox/isolation.h"
#include "sandbox/spawner.h"

namespace assay {

// A build of native candidates that finds what no result shows, and the library that has to be in
// the process before all others.
struct Sanitizer {
  SanitizerKind kind = SanitizerKind::address;
  std::string library;
};

// What candidates and references are run with.
struct VerifyTools {
  Image oracle;                 // computes what is expected
  RunnerImages runners;         // hold candidates
  Image native_compiler;        // C and C++ to shared libraries
  std::string native_identity;  // hash of the compilers, and of assay/kernel.h
  std::map<std::string_view, std::string> emulators;  // by runner: hash of QEMU and what it runs
  std::string include;                                // holds assay/kernel.h
  std::vector<std::string> includes;                  // --include: more folders of headers
  std::vector<std::string> headers;        // folders that extensions find torch's headers in
  std::vector<GpuCompiler> gpu_compilers;  // those that this machine has
  std::string large_memory;                // a library: Places::large_memory
  std::string no_triton;                   // why nothing in Triton can be compiled; "": it can be
  std::string triton;                      // its version
  Limits limits;                           // of candidates, with their jail
  std::optional<cuda::Card> card;          // that candidates may be called on
  Limits card_limits;                      // of those: their jail shows it
  Limits build_limits;                     // of the native compiler
  Limits header_limits;                    // of it, where it makes what all builds share
  Isolation isolation = Isolation::L0;     // of the jail
  std::vector<Sanitizer> sanitizers;       // that native candidates are to go through
  std::optional<OtherCheck> check;         // what others would say is to be said, too
  std::string dump;  // a folder that a round which shows something is written to; "": none
};

// The one for this kind of GPU; null: there is none.
const GpuCompiler* gpu_compiler(const VerifyTools& tools, GpuKind kind);

const Image& runner_image(const VerifyTools& tools, const Runner& runner);

// With the flags by which a compiler finds the headers of --include.
NativeJob with_includes(NativeJob job, const VerifyTools& tools);

// The same for a problem that imports these: its processes are forked from ones that have.
VerifyTools tools_for(VerifyTools tools, const std::vector<std::string>& packages);

// The same for one job, of which each process may take this much: of its candidate, its oracle and
// its builds. What is made for all jobs alike is none of it.
VerifyTools tools_within(VerifyTools tools, int64_t timeout_ns, uint64_t memory_bytes);

// The path in a candidate's jail that shows it the problem's file, because the interpreter's
// packages, say, lie there, too; "" where none does, and without a jail.
std::string shown_with(const VerifyTools& tools, const std::string& problem_path);

// The jail that a problem's own code runs in: a candidate's, which has besides what problems read,
// the folder of its file, the local cache of the Hugging Face hub, and weights that are loaded, if
// there are any. `on_card`: it shows the card.
JailSpec oracle_jail(const VerifyTools& tools, const std::string& problem_path,
                     const LoadedWeights* weights = nullptr, bool on_card = false);

}  // namespace assay
