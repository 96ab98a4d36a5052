#include "setup/emulators.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/emulator.h"
#include "target/availability.h"

namespace assay {
namespace {

// Vectors as long as code for the target takes for granted, in bits; 0: it says nothing of them.
int vector_bits(const Target& target) {
  int most = 0;
  for (const std::string& flag : target.flags)
    for (int bits = 32; bits <= 65536; bits *= 2)
      if (flag.contains(fmt::format("+zvl{}b", bits))) most = std::max(most, bits);
  return most;
}

}  // namespace

std::map<std::string, std::string, std::less<>> find_emulators(const Machine& machine) {
  std::map<std::string, std::string, std::less<>> found;
  for (const Emulator& emulator : emulators()) {
    const std::string name(emulator.program);
    if (std::string path = machine.find_program(name); !path.empty()) found[name] = std::move(path);
  }
  return found;
}

std::map<std::string_view, std::string> emulator_identities(
    const Disk& disk, const Places& places,
    const std::map<std::string, std::string, std::less<>>& found) {
  std::map<std::string_view, std::string> identities;
  for (const Emulator& emulator : emulators()) {
    std::string& identity = identities[emulator.runner().name];
    const auto program = found.find(emulator.program);
    for (const std::string& file : {program == found.end() ? std::string() : program->second,
                                    emulated_program(places, emulator)})
      if (auto digest = disk.digest(file)) identity += digest->sha256;
  }
  return identities;
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
    if (vector_bits(target) > emulator->vector_bits)
      return error(Code::invalid_input,
                   fmt::format("--emulate: {} has vectors of {} bits, and those that QEMU plays "
                               "here have {}",
                               target.name, vector_bits(target), emulator->vector_bits));
    if (!machine.disk().is_directory(std::string(emulator->libraries)))
      return error(Code::unavailable,
                   fmt::format("--emulate: there is no C library for {} in {}",
                               emulator->architecture, emulator->libraries),
                   install_command(std::string(emulator->package)));
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
