#include "setup/emulators.h"

#include <fmt/format.h>

#include "run/emulator.h"
#include "target/availability.h"

namespace assay {

std::map<std::string, std::string, std::less<>> find_emulators(const Machine& machine) {
  std::map<std::string, std::string, std::less<>> found;
  for (const Emulator& emulator : emulators()) {
    const std::string name(emulator.program);
    if (std::string path = machine.find_program(name); !path.empty()) found[name] = std::move(path);
  }
  return found;
}

Status check_emulators(std::span<const Target> targets, const Places& places,
                       const Machine& machine) {
  bool is_any = false;
  for (const Target& target : targets) {
    const Emulator* emulator = find_emulator(target.runner.program);
    if (runner_here(target.runner, machine) != RunnerKind::emulator || emulator == nullptr)
      continue;
    is_any = true;
    if (const Availability run = can_run(target, machine); !run.ready)
      return error(
          Code::unavailable,
          fmt::format("--emulate: {} needs {}, which is not here", target.name, run.missing),
          run.mend);
    if (!machine.disk().exists(emulated_program(places, *emulator)))
      return error(
          Code::unavailable,
          fmt::format("--emulate: assay was built without a runner for {}", emulator->architecture),
          fmt::format("{}, and build assay again",
                      install_command(std::string(emulator->package))));
  }
  if (is_any) return {};
  return error(Code::invalid_input, "--emulate: no emulator plays any of the targets",
               "arm_cortex_a72 and rvv are such; `assay list targets` shows which run how");
}

}  // namespace assay
