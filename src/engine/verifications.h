#pragma once

#include "engine/procedures.h"
#include "engine/task.h"
#include "verify/verify.h"

namespace assay {

// Verifications under way.
class Verifications : public Procedures<Task, Result<Verified>> {
 public:
  using Procedures::Procedures;

  // The tools must outlive it.
  void start(Task task, VerifyJob job, const VerifyTools& tools) {
    Procedures::start(std::move(task), [job = std::move(job), &tools](Children& children) {
      return verify(job, tools, children);
    });
  }
};

}  // namespace assay
