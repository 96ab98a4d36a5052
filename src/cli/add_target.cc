#include "cli/add_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "author/gpu_code.h"
#include "base/disk.h"
#include "compile/flags.h"
#include "run/cuda/card.h"
#include "target/availability.h"

namespace assay {

Status add_target(const TargetCatalog& catalog, const std::string& name,
                  const RunSettings& settings, std::vector<Target>& targets) {
  ASSAY_ASSIGN(Target target, catalog.load(name));
  if (is_for_cuda(target)) ASSAY_TRY(meet_card(target, cuda::find_card()));
  if (settings.precision) target.precision = *settings.precision;
  if (settings.debug_info) keep_debug_info(target);
  add_flags(target, settings.flags);
  auto same = std::ranges::find(targets, target.name, &Target::name);
  if (same == targets.end()) {
    targets.push_back(std::move(target));
  } else if (absolute_path(same->path) != absolute_path(target.path)) {
    return error(
        Code::invalid_input,
        fmt::format("two targets are named '{}': {} and {}", target.name, same->path, target.path),
        "rename one of the files");
  }
  return {};
}

Status refuse_other_cpus(const std::vector<Target>& targets) {
  for (const Target& target : targets)
    if (!target.gpu && !runs_on_this_cpu(target, this_machine()))
      return error(Code::invalid_input,
                   fmt::format("--on {}: its code does not run on this machine's CPU, and kernels "
                               "in {} are not for it",
                               target.name, gpu_languages()),
                   "`assay run` compiles models for it; `assay list targets` has the others");
  return {};
}

}  // namespace assay
