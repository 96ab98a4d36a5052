// Asks a card what a judge of kernels must know of it. scripts/prove-gpu runs it.
//
//   gpu-probe EXPERIMENT      prints a row of JSON for each finding
//   gpu-probe list
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "experiments.h"
#include "report.h"
#include "side.h"

namespace {

struct Experiment {
  const char* name;
  void (*run)();
};
constexpr Experiment kExperiments[] = {{"costs", assay::gpu::costs},
                                       {"jails", assay::gpu::jails},
                                       {"files", assay::gpu::files},
                                       {"groups", assay::gpu::groups},
                                       {"forks", assay::gpu::forks},
                                       {"sharing", assay::gpu::sharing},
                                       {"leaks", assay::gpu::leaks},
                                       {"recovery", assay::gpu::recovery},
                                       {"exhaustion", assay::gpu::exhaustion},
                                       {"torch_jails", assay::gpu::torch_jails},
                                       {"slices", assay::gpu::slices},
                                       {"ends", assay::gpu::ends},
                                       {"starts", assay::gpu::starts},
                                       {"gates", assay::gpu::gates},
                                       {"residue", assay::gpu::residue},
                                       {"stale", assay::gpu::stale},
                                       {"freezing", assay::gpu::freezing},
                                       {"hogs", assay::gpu::hogs},
                                       {"reach", assay::gpu::reach},
                                       {"device", assay::gpu::device},
                                       {"sandwich", assay::gpu::sandwich},
                                       {"large", assay::gpu::large},
                                       {"strips", assay::gpu::strips},
                                       {"resolution", assay::gpu::resolution},
                                       {"short", assay::gpu::short_kernels},
                                       {"study", assay::gpu::study},
                                       {"twice", assay::gpu::twice},
                                       {"queues", assay::gpu::queues},
                                       {"torch_gates", assay::gpu::torch_gates}};

}  // namespace

int main(int argc, char** argv) {
  std::string_view wanted = argc > 1 ? argv[1] : "";
  // A kernel that is loaded when it is first launched takes its time in a window, and memory that
  // may be gone.
  if (::setenv("CUDA_MODULE_LOADING", "EAGER", 1) != 0) std::perror("gpu-probe: setenv");
  if (wanted == "candidate") assay::gpu::run_candidate();
  for (const Experiment& experiment : kExperiments) {
    if (wanted == experiment.name) {
      experiment.run();
      return 0;
    }
    if (wanted == "list") std::puts(experiment.name);
  }
  if (wanted == "list") return 0;
  std::fprintf(stderr, "gpu-probe: error: no experiment '%s'; `gpu-probe list` names them\n",
               argc > 1 ? argv[1] : "");
  return 1;
}
