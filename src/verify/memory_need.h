#pragma once

#include <cstdint>

#include "author/candidate.h"
#include "verify/memory_gate.h"
#include "verify/oracle.h"

namespace assay {

// What verifying one problem at one size takes at most, as far as sizes of tensors tell. What a
// candidate takes for itself is not known: as much as torch's own computation is supposed.
struct MemoryNeed {
  uint64_t oracle_bytes = 0;  // of address space: that its process may have is --memory
  uint64_t all_bytes = 0;     // of all processes together, what they share once
  // Of the candidate's process, where that is the problem's own model: of its code it is known.
  uint64_t model_bytes = 0;
};

// `plan`: in chunks; null: at once. `own`: where the candidate is the problem's own model.
MemoryNeed memory_need(const ProblemDescription& problem, const Form& form, const ChunkPlan* plan,
                       OwnModel own = OwnModel::none);

// Where its kernels are only compiled for a GPU: nothing is computed to hold them to.
MemoryNeed memory_to_compile(const ProblemDescription& problem, const Form& form);

// What a call of the problem's own model takes, in a process that does nothing else; where it is
// compiled there, with the weights that the compiler holds beside it.
uint64_t model_bytes(const ProblemDescription& problem, OwnModel own);

// Waits until there is memory for it; `process_bytes` is what one process may take. Where there
// never is, it stops as not judged, with the bytes.
Step<MemoryPass> admit(const MemoryNeed& need, uint64_t process_bytes, MemoryGate& memory);
// Stops likewise where the process of the problem's own model never has enough: it is built at its
// own size, whatever size it is called at first. Holds nothing.
Step<void> admit_model(const ProblemDescription& problem, OwnModel own, uint64_t process_bytes,
                       MemoryGate& memory);

}  // namespace assay
