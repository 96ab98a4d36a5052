// One kernel of a public suite of Triton kernels, with the tests that come with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

// |found - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0, relative = 0;
};

// How a suite itself compares what tests leave.
struct SuiteTolerance {
  Tolerance bare;    // of a result that is a tensor
  Tolerance nested;  // of tensors within dicts and lists
  // Half types are compared by `bare`, float32 and float64 by `nested`, all else has to be equal.
  bool by_type = false;
  // In the place of both, of a whole tensor: at least this cosine, at most these errors.
  struct Thresholds {
    double cosine = 0, l1_relative = 0, rmse = 0;
  };
  std::optional<Thresholds> thresholds{};
};

// How its tests are run.
enum class TestStyle {
  script,  // the whole file, as `python FILE`
  pytest,  // functions test_*, by their parameters
};

// What TritonBench's evaluation seeds with before each run, and all that take after it.
inline constexpr uint32_t kTritonBenchSeed = 42;

// A file of the suite's that tests import.
struct SuiteModule {
  std::string name;  // "data_utils"
  std::string text;
};

struct SuiteTask {
  std::string format;  // "G": workload/suite_format.h
  std::string name;
  std::string kernel;  // its own code, above the line of '#': what is right
  std::string tests;   // below it
  TestStyle style = TestStyle::script;
  std::vector<std::string> results;  // variables that tests leave their results in: the first there
  SuiteTolerance tolerance;
  uint32_t seed = kTritonBenchSeed;    // that the suite sets before its tests
  std::vector<SuiteModule> modules{};  // that its tests import
  std::string difficulty, category;    // "": it has none
};

}  // namespace assay
