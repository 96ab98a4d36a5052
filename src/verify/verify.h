// Whether a candidate computes what its problem says: the stage verify.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "author/candidate.h"
#include "compile/compile_job.h"
#include "compile/parameters.h"
#include "model/attempt.h"
#include "model/gpu.h"
#include "model/loaded_weights.h"
#include "model/product_shape.h"
#include "model/sum_shape.h"
#include "run/extension.h"
#include "sandbox/children.h"
#include "verify/decide.h"
#include "verify/memory_gate.h"
#include "verify/native_libraries.h"
#include "verify/tools.h"
#include "workload/suite_task.h"

namespace assay {

class Oracle;

struct VerifyJob {
  std::string problem_path;                        // what the problem's code sees as its file name
  std::string problem;                             // the bytes of its file
  std::shared_ptr<const LoadedWeights> weights{};  // of its model; null: it draws them
  const Form* form = &python_form();
  OwnModel own_model = OwnModel::none;  // none: its file's ModelNew, or what its form says
  std::string candidate_path;
  std::string candidate;                   // the bytes of its file; of an artifact the compiled one
  std::vector<NamedText> beside;           // files that are handed in with it
  Json program;                            // of an artifact: the export's description of it
  std::vector<NamedParameter> parameters;  // that it reads; of what is to be counted alone
  std::string mode;
  Precision precision = Precision::f32;
  int threads = 1;
  // Of each launch, and of the oracle; of each process. Its tools are to hold them, too: where
  // jails and builds have others, tools_within().
  int64_t timeout_ns = 0;
  uint64_t memory_bytes = 0;
  std::string seed;  // to replay; "" for a new secret one
  // What the problem is, where that is known: a product that is checked as one, or other sums.
  std::optional<ProductShape> product;
  std::optional<SumShape> sum{};
  std::optional<Gpu> gpu;    // that its code is for, and that is not here
  bool on_card = false;      // it is called on the card of this machine
  bool smoke = true;         // then: it is interpreted, where that can be
  bool phases = false;       // and what it is compiled by way of is kept
  bool has_run = false;      // here, before: what it asks for is here
  uint32_t label_rules = 0;  // that decide nothing (decide.h)
  // Where XLA compiles: no process goes on from what another has compiled.
  bool compiles_each = false;
  // No torch computes it: its results are saved, or what a plain compile of its program gives. They
  // are held to a tolerance, and calls to --timeout.
  bool has_no_model = false;
  // All inputs have one result, as its file says. Whoever is timed is a compile of one program, and
  // none of them can keep what it is to compute.
  bool has_one_result = false;
  std::optional<SuiteTask> tests{};  // that it is run with, in the place of a problem

  // What its results are held to, of one that is this unless its problem has it otherwise.
  Policy held_to(Policy policy) const {
    policy.labels = label_rules;
    policy.by_tolerance = has_no_model;
    return policy;
  }
  // Whether it is a model in Python, in the place of the problem's, so that others could check it.
  bool stands_for_model() const { return form->is_model(); }
  // Whether one call more is watched, to say what the candidate leaves to torch.
  bool is_watched() const { return form->is_model() && own_model == OwnModel::none; }
  // Whether torch's compiler is likely to be called: where it is loaded already, it takes a second
  // and not twenty. Nothing else depends on the guess.
  bool may_compile() const {
    return own_model == OwnModel::inductor ||
           (form->is_model() && candidate.contains("torch.compile"));
  }
  // What holds the candidate. Of a form that something here can hold.
  const Runner& runner() const {
    if (tests) return suite_runner();
    if (on_card) return form->is_model() ? cuda_runner() : native_cuda_runner();
    const Runner& its = form->runner();
    if (own_model == OwnModel::xla) return xla_runner();
    return its.with_compiler && may_compile() ? its.with_compiler() : its;
  }
  bool flushes_denormals() const { return (form->runner || on_card) && runner().flushes_denormals; }
};

// The stages it went through: the build, where the candidate has to be built, and verify; of code
// for a GPU compile and smoke, and the files that compile leaves.
struct Verified {
  std::vector<StageRecord> stages;
  std::string isolation;
  std::string seed;
  std::vector<CompiledFile> files{};
  // A process may have gone on from what another had compiled.
  bool shares = false;
};

// Blocks; to be called on a thread of its own. Fails with Code::interrupted, and where assay itself
// cannot go on.
// `keep`: gets the oracle, where it is at the problem's own size at the end and holds little, so
// that whoever measures needs no other.
Result<Verified> verify(const VerifyJob& job, const VerifyTools& tools, Children& children,
                        MemoryGate& memory, NativeLibraries& libraries,
                        std::optional<Oracle>* keep = nullptr);

// Raised when what is verified, or how, changes: attempts that were accepted before are done again.
inline constexpr int kVerifyVersion = 19;

}  // namespace assay
