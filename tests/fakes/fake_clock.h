#pragma once

#include "base/clock.h"

namespace assay {

// A clock that a test moves by hand.
class FakeClock final : public Clock {
 public:
  mutable int64_t ns = 0;
  int64_t step_ns = 1'000'000;  // added by every look, so that nothing takes no time

  int64_t now_ns() const override { return ns += step_ns; }
  std::string utc() const override { return "2026-01-02T03:04:05Z"; }
};

}  // namespace assay
