// Whose doing it is that an attempt is neither compiled nor accepted.
#pragma once

#include <optional>

#include "model/words.h"

namespace assay {

struct Attempt;
struct StageRecord;

// Of one stage; nothing where it is ok.
std::optional<Fault> fault_of(const StageRecord& stage);

// Of an attempt: that of the stage that decided. Nothing where it is compiled or accepted.
std::optional<Fault> fault_of(const Attempt& attempt);

}  // namespace assay
