// The candidate and the baselines of a measurement, as their processes are started.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "measure/measure.h"
#include "verify/extensions.h"
#include "verify/native_libraries.h"
#include "verify/oracle.h"
#include "verify/runner.h"

namespace assay {

class Programs {
 public:
  // Each of them outlives this.
  Programs(const MeasureJob& job, const VerifyTools& tools, Children& children,
           NativeLibraries& libraries)
      : job_(job), tools_(tools), children_(children), libraries_(libraries) {}

  // A finding where the candidate cannot be had; a baseline that cannot is unusable.
  Step<void> take();
  // Has the zygotes of all that take turns come up at once, while there is other work: one after
  // the other, each would take its second where nothing else may run.
  void start_images() const;

  size_t size() const { return all_.size(); }
  // Why a program, in the order of the subjects, takes part no more; "": it does.
  std::vector<std::string>& unusable() { return unusable_; }
  const std::string& unusable(size_t side) const { return unusable_[side]; }
  bool takes_part(size_t side) const { return unusable_[side].empty(); }
  // Somebody it is timed against takes part, or it is timed against nobody.
  bool has_rival() const;

  // A zygote of its own for each of the launches that take turns, and these cores; empty: any.
  VerifyTools tools_of(int launch, const std::vector<int>& cores) const;
  // The candidate first. All that is named outlives them, and `tools` are of a launch.
  std::vector<Subject> subjects(const VerifyTools& tools, const RandomStream& random) const;
  // Of the problem: the job's, where it has one that runs, else one that is started.
  Step<std::reference_wrapper<Oracle>> oracle(const RandomStream& random);

 private:
  struct Program {
    const VerifyJob* job = nullptr;
    UniqueFd file;
    std::unique_ptr<Extensions> extensions;
  };
  int turns() const;

  const MeasureJob& job_;
  const VerifyTools& tools_;
  Children& children_;
  NativeLibraries& libraries_;
  std::vector<Program> all_;
  std::vector<std::string> unusable_;
  std::optional<Oracle> oracle_;
};

}  // namespace assay
