#include "target/availability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay {

Availability missing(std::string what, const std::string& mend) {
  return {false, std::move(what), mend};
}

std::string install_command(const std::string& package) {
  return package.empty() ? "" : "sudo apt-get install -y " + package;
}

Availability can_compile(const Target& target, const std::vector<std::string>& flags,
                         const Machine& machine, const IreeCompiler* compiler) {
  if (!compiler) return missing("IREE's compiler", "assay doctor");
  for (const std::string& backend : needed_backends(flags))
    if (!compiler->backends.contains(backend))
      return missing(fmt::format("the backend {}; this compiler has {}", backend,
                                 fmt::join(compiler->backends, ", ")));
  if (target.link) {
    if (!target.link->compiler.empty() && machine.find_program(target.link->compiler).empty())
      return missing(target.link->compiler, install_command(target.link->package));
    for (const std::string& source : target.link->sources)
      if (!machine.disk().exists(source)) return missing(source);
  }
  return {true, "", ""};
}

bool runs_on_this_cpu(const Target& target, const Machine& machine) {
  return target.runner.kind == RunnerKind::native && can_run(target, machine).ready;
}

bool is_to_be_emulated(const Target& target, const Machine& machine) {
  return !target.runner.emulator.empty() && !runs_on_this_cpu(target, machine);
}

Availability can_run(const Target& target, const Machine& machine) {
  const TargetRunner& runner = target.runner;
  if (runner.kind == RunnerKind::none) return {};
  if (!runner.system.empty() && runner.system != machine.system())
    return missing(fmt::format("{}; this is {}", runner.system, machine.system()));
  if (!runner.architecture.empty() && runner.architecture != machine.architecture())
    return missing(
        fmt::format("a CPU of {}; this one is {}", runner.architecture, machine.architecture()));
  if (!runner.cpu_features.empty()) {
    auto present = cpu_features(machine.disk());
    for (const std::string& feature : runner.cpu_features)
      if (std::ranges::find(present, feature) == present.end())
        return missing(fmt::format("a CPU with {}", feature));
  }
  if (!runner.library.empty() && find_library(machine, runner.library).empty())
    return missing(runner.library, install_command(runner.package));
  if (!runner.devices.empty() &&
      std::ranges::all_of(runner.devices, [&](const std::string& device) {
        return find_file(machine.disk(), device).empty();
      }))
    return missing(fmt::format("a device: there is no {}", fmt::join(runner.devices, " or ")));
  return {true, "", ""};
}

}  // namespace assay
