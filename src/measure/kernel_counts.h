// What a profiler counts of the kernels that a candidate has run on a card. One shape for all
// profilers: they stand in records, and are said to who writes kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace assay {

// What is known of a kernel beside its time; each profiler has some of it. The names are those of
// records (docs/formats.md).
inline constexpr const char* kOccupancyPercent = "occupancy_percent";
inline constexpr const char* kMovedBytes = "memory_bytes";  // of the card's memory, in a launch
inline constexpr const char* kMemoryPercent = "memory_percent";
inline constexpr const char* kProcessorsPercent = "processors_percent";
inline constexpr const char* kMatrixPercent = "matrix_percent";
inline constexpr const char* kCacheHitPercent = "cache_hit_percent";
inline constexpr const char* kRegisters = "registers";  // of a thread
inline constexpr const char* kSharedBytes = "shared_bytes";
inline constexpr const char* kSpills = "spills";               // accesses to a thread's own memory
inline constexpr const char* kScratchBytes = "scratch_bytes";  // of a thread's own memory
inline constexpr const char* kBankConflicts = "bank_conflicts";
inline constexpr const char* kWaves = "waves";
inline constexpr const char* kVectorInstructions = "vector_instructions";
inline constexpr const char* kScalarInstructions = "scalar_instructions";

// Of numbers that a process wrote which is not to be believed, so that sums of them stay numbers;
// and of names.
inline constexpr double kMostFact = 1e18;
inline constexpr size_t kMostKernelNameBytes = 200;

class KernelCounts {
 public:
  // One launch, and what was counted of it; what is no number, negative or above kMostFact is
  // left out.
  void add_launch(double ns, const std::map<std::string, double>& facts);
  size_t launches() const { return launches_; }
  double total_ns() const { return total_ns_; }
  // {"name", "launches", "total_ns", "least_ns", "most_ns", "deviation_ns", ...}: facts are means
  // over the launches.
  Json in_json(const std::string& name) const;

 private:
  struct Sum {
    double sum = 0;
    size_t count = 0;
  };
  size_t launches_ = 0;
  double total_ns_ = 0, squares_ = 0, least_ns_ = 0, most_ns_ = 0;
  std::map<std::string, Sum> facts_;
};

// By their names.
using CountedKernels = std::map<std::string, KernelCounts>;

// {"kernels": [...], "left_out": 3}: what takes most time first, with its "share" of it, and so
// many of them. Null: there are none.
Json counted_kernels(const CountedKernels& kernels);

// What parts of a card are called by its maker.
struct CardWords {
  std::string_view processors;  // "SMs"
  std::string_view matrix;      // "tensor cores"
  std::string_view shared;      // "shared memory"
  std::string_view places;      // "warps"
};
// What a writer of kernels can do something about, in a few sentences; "": nothing is known.
std::string kernels_in_words(const Json& counted, const CardWords& words);

}  // namespace assay
