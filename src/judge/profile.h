// From the windows of one launch to how long a call takes, held against nothing.
#pragma once

#include <optional>
#include <string_view>

#include "measure/measure.h"
#include "model/profile.h"
#include "target/calibration.h"

namespace assay {

// Nothing where no window is valid. `flops`: of one call, where the problem's own are not known.
std::optional<Profile> profile_of(const Measured& measured, std::string_view runner,
                                  std::optional<int64_t> flops, const Calibration* calibration);

// What another runner has found of the same, and whether both agree: calls through a runtime take
// longer, by no more than what that costs.
Profile::Check check_of(const Profile& profile, const Profile& other);

}  // namespace assay
