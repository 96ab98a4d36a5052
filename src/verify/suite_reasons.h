// What runs of a kernel's tests say, in words: why one is wrong, or says nothing.
#pragma once

#include <string>
#include <string_view>

#include "model/attempt.h"
#include "verify/result_tree.h"
#include "verify/suite_run.h"

namespace assay {

// Whether a file has a kernel in Triton, launched or not.
bool has_kernel(std::string_view code);

std::string_view rule_of(Differs how);
// "result_gold['a'][0]: it is 1, and ...".
std::string in_words(const std::string& variable, const ResultDifference& difference);

// Of the suite's own code, which did not come through.
std::string stops_in_words(const StageRecord& record);
// Why nothing can be held to what the suite's own code leaves. "": it can.
std::string why_unusable(const SuiteRun& reference);
// Why Triton's interpreter computes one of them otherwise than a device. "": it does not.
std::string why_not_computed(const SuiteRun& run, const SuiteRun& reference);

bool writes_outside(const SuiteRun& run);

}  // namespace assay
