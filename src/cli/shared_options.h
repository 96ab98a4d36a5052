// Options that several commands have, in the same words.
#pragma once

#include "cli/command.h"

namespace assay {

extern const Option kFilter;
extern const Option kSkip;
extern const Option kIds;
extern const Option kSample;
extern const Option kLimit;
extern const Option kMode;
extern const Option kPrecision;
extern const Option kTimeout;
extern const Option kMemory;
extern const Option kQuickly;
extern const Option kBudget;
extern const Option kCache;
extern const Option kRequire;
extern const Option kTo;
extern const Option kAllow;
extern const Option kWatch;
extern const Option kQuiet;
extern const Option kJson;
// How candidates are verified, for all commands that do it.
extern const OptionGroup kVerifying;

}  // namespace assay
