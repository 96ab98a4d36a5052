// What compiled code takes of a machine (compile/code_facts.h): how configurations compare where
// nothing runs.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"
#include "report/table.h"

namespace assay {

// A row for each attempt whose code was looked at, by problem; the first row is its head. Columns
// of which nobody has anything are left out. Empty where no code was looked at.
std::vector<Row> code_rows(const std::vector<Attempt>& attempts);
// What stands above it.
inline constexpr const char* kCodeTitle =
    "code: what it takes, by what --counters found or Triton's compiler says. Registers and memory "
    "are those of the function that takes most; of the inner loop, how many of its instructions "
    "compute. It decides nothing";

// Lines for `assay show`, of a stage's evidence; "": no code was looked at.
std::string code_in_lines(const Json& evidence);

}  // namespace assay
