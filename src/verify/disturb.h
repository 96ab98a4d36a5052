// Other values than those that a tensor holds, for what cannot be drawn again.
#pragma once

#include "model/domain.h"
#include "verify/random.h"

namespace assay {

// Near those that are there, of the same signs. Whole numbers change places; where they read the
// same backwards, about half of them become 0, and 1 where they are that.
void disturb(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor);

// The same of an input, which keeps its domain.
void disturb_within(const Domain& domain, const TensorSpec& spec, const RandomStream& stream,
                    std::byte* tensor);

}  // namespace assay
