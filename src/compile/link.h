// Code for a CPU without a floating point unit calls functions for arithmetic, and IREE's linker
// brings none. A target's [link] table says which compiler brings them. IREE can be told which
// linker to run, and not what to give it: so that linker is a script that adds them.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

// The linker that belongs to the compiler's library. Fails when there is none.
Result<std::string> find_iree_linker(const Machine& machine, const std::string& compiler_library);

// Makes ready, in a folder of its own below `folder`, what the target's [link] table asks for: its
// sources are compiled once, and the script is written. Gives the flags that make the compiler use
// it; none for a target without that table. The flags change whenever the linked code does, so what
// is keyed on them is never stale. Fails with Code::unavailable when the compiler is not installed,
// and says how to install it.
Result<std::vector<std::string>> prepare_link(Disk& disk, const Machine& machine,
                                              const Target& target,
                                              const std::string& compiler_library,
                                              const std::string& folder);

// Does that for all targets of a run: adds the flags to each, or says in it why it is unavailable.
// That is no error of the run: its other targets go on.
void prepare_links(Disk& disk, const Machine& machine, std::vector<Target>& targets,
                   const std::string& compiler_library, const std::string& folder);

}  // namespace assay
