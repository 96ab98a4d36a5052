// `assay phases RUN ATTEMPT --bundle DIR`: what it takes to see the same without assay.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "model/attempt.h"
#include "store/run_store.h"

namespace assay {

struct Bundle {
  std::string run;             // the folder of the attempt's run, as it was named
  std::string program_folder;  // the attempt's, with its program
  std::vector<std::string> flags{};
  std::string compiler;  // its version
};

// The program and how it is compiled. Of what went wrong when it ran, also what it was called with,
// what came of it and what should have: the attempt is replayed for that.
Status write_bundle(const RunStore& store, const Attempt& attempt, const Bundle& bundle,
                    const std::string& folder, Output& output);

// Of an attempt that its exporter did not take: the problem, and a script that exports it by the
// same tools. Fails where that is not in Python.
Status write_export_bundle(const RunStore& store, const Attempt& attempt, const std::string& folder,
                           Output& output);

}  // namespace assay
