// From the windows of one launch to how long a call takes, held against nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "measure/measure.h"
#include "model/profile.h"
#include "target/calibration.h"

namespace assay {

// What a workload says of its operations, in one call.
struct DefinedWork {
  std::optional<int64_t> flops{};   // where the problem's own are not known
  std::optional<uint64_t> bytes{};  // in the place of the problem's own
  std::string type{};               // of what they are; "": of the problem's precision
};

// Nothing where no window is valid.
std::optional<Profile> profile_of(const Measured& measured, std::string_view runner,
                                  const DefinedWork& defined, const Calibration* calibration);

// What another runner has found of the same, and whether both agree: calls through a runtime take
// longer, by no more than what that costs.
Profile::Check check_of(const Profile& profile, const Profile& other);

}  // namespace assay
