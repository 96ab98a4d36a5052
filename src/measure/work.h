// What one call has to do, whoever does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verify/reference.h"

namespace assay {

struct Work {
  std::string type = "f32";  // of the operations, as calibrations name it
  uint64_t bytes = 0;        // of inputs, parameters and results, each once, or as a workload says
  std::optional<int64_t> flops{};  // of the definition's products; nothing: not known
  // Of results, and of inputs that nobody can do without: so much at least is moved.
  uint64_t compulsory_bytes = 0;
};

// Of a problem at its own size. With `tries_inputs` it has the oracle compute what becomes of
// results when single elements of its inputs change. Inputs of more than a few megabytes are not
// tried, and what is not tried is not compulsory.
Step<Work> work_of(Reference& reference, const RandomStream& random, std::string type,
                   bool tries_inputs);

}  // namespace assay
