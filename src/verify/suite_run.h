// One run of a kernel's tests with some code in the kernel's place, in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu.h"
#include "run/runner.h"
#include "sandbox/children.h"
#include "verify/gpu_kernels.h"
#include "verify/result_tree.h"
#include "verify/tools.h"
#include "workload/suite_task.h"

namespace assay {

struct SuiteRunSetting {
  uint32_t seed = 0;
  bool is_secret = false;    // seeds that the tests set themselves follow from it, too
  bool drops_tests = true;   // the code's own functions test_* and calls of them are left out
  std::optional<Gpu> gpu{};  // its kernels are compiled for this, and none of them runs
  bool phases = false;       // then: what they are compiled by way of is kept
};

// What a worker says of it (python/assay_worker/suite_tests.py). None of it is to be believed: it
// decides against the code alone.
struct SuiteTold {
  int64_t launches = 0;
  std::vector<std::string> kernels;   // that ran
  std::vector<std::string> narrow;    // types that the interpreter computes otherwise than devices
  std::vector<std::string> outside;   // "read", "written": memory that no tensor has
  std::vector<std::string> replaced;  // functions of torch that the code put others in place of
  std::vector<std::string> scratch;   // "test.buffer": workspaces among the variables of its tests
  std::string found;                  // the variable that held the results; "": there was none
};
// From {"launches": 2, ...}. It may say anything; what is malformed is an error.
Result<SuiteTold> read_suite_told(const Json& told);

struct SuiteRun {
  StageRecord record;  // ok: the tests ran to their end
  bool parses = true;  // the code does
  SuiteTold told;
  std::optional<ResultTree> result;   // of the variable that has the results
  ResultNode variables;               // tensors that tests had in variables as they ended: a dict
  std::optional<GpuKernels> kernels;  // where they were compiled
};

// {"data_utils": text}: what its tests import, as a worker takes it.
Json modules_of(const SuiteTask& task);

// Blocks. Fails where assay itself cannot go on.
Result<SuiteRun> run_suite_tests(const SuiteTask& task, std::string_view code,
                                 const SuiteRunSetting& setting, const VerifyTools& tools,
                                 const Limits& limits, Children& children);

}  // namespace assay
