#include "setup/emulators.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/rows.h"
#include "setup/emulated_runner.h"

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

// The library that a file names which describes a driver of Vulkan; "" where it names none.
std::string driver_of(const Machine& machine, const std::string& file) {
  auto text = machine.disk().read(file);
  auto json = parse_json(text ? *text : "", file);
  if (!json) return "";
  const Json::json_pointer place("/ICD/library_path");
  if (!json->contains(place) || !json->at(place).is_string()) return "";
  // A path is relative to the file's own folder.
  const std::string library = json->at(place).get<std::string>();
  return library.contains('/') ? path_beside(file, library) : find_library(machine, library);
}

}  // namespace

std::string find_emulator(const Machine& machine, const Emulator& emulator) {
  if (emulator.files.empty()) return machine.find_program(std::string(emulator.name));
  for (const std::string_view file : emulator.files)
    if (machine.disk().exists(std::string(file))) return std::string(file);
  return "";
}

FoundEmulators find_emulators(const Machine& machine, const Places& places,
                              const std::string& folder) {
  FoundEmulators found;
  for (const Emulator& emulator : emulators()) {
    FoundEmulator here{find_emulator(machine, emulator), ""};
    if (here.path.empty()) continue;
    if (emulator.cpu) {
      auto runner = emulated_runner_path(machine, places, *emulator.cpu, folder);
      if (!runner) continue;
      here.runner = std::move(*runner);
    }
    found[std::string(emulator.name)] = std::move(here);
  }
  return found;
}

std::map<std::string_view, std::string> emulator_identities(const Machine& machine,
                                                            const FoundEmulators& found) {
  std::map<std::string_view, std::string> identities;
  for (const Emulator& emulator : emulators()) {
    std::string& identity = identities[emulator.runner().name];
    const auto at = found.find(emulator.name);
    if (at == found.end()) continue;
    const FoundEmulator& here = at->second;
    std::vector<std::string> files{here.path};
    if (!emulator.cpu) files.push_back(driver_of(machine, here.path));
    for (const std::string& file : files)
      if (auto digest = machine.disk().digest(file)) identity += digest->sha256;
    identity += here.runner.substr(here.runner.rfind('/') + 1);
  }
  return identities;
}

Availability is_usable(const Emulator& emulator, const Machine& machine) {
  const std::string install = install_command(std::string(emulator.package));
  if (find_emulator(machine, emulator).empty()) return missing(std::string(emulator.name), install);
  const std::string library(emulator.library);
  if (!library.empty() && find_library(machine, library).empty()) return missing(library, install);
  if (!emulator.cpu) return {true, "", ""};
  const PlayedCpu& cpu = *emulator.cpu;
  const std::string compiler = install_command(std::string(cpu.package));
  if (!machine.disk().is_directory(std::string(cpu.libraries)))
    return missing(fmt::format("the C library of {} in {}", cpu.architecture, cpu.libraries),
                   compiler);
  if (machine.find_program(std::string(cpu.compiler)).empty())
    return missing(fmt::format("the cross compiler {}", cpu.compiler), compiler);
  return {true, "", ""};
}

Availability can_emulate(const Target& target, const Machine& machine) {
  const Emulator* emulator = find_row(emulators(), target.runner.emulator);
  if (emulator == nullptr) return {};
  const int bits = vector_bits(target);
  if (emulator->cpu && bits > emulator->cpu->vector_bits)
    return missing(fmt::format("vectors of {} bits, and those that {} plays here have {}", bits,
                               emulator->title, emulator->cpu->vector_bits));
  return is_usable(*emulator, machine);
}

Status check_emulators(std::span<const Target> targets, const Machine& machine) {
  bool is_any = false;
  for (const Target& target : targets) {
    if (!is_to_be_emulated(target, machine)) continue;
    is_any = true;
    if (const Availability there = can_emulate(target, machine); !there.ready)
      return error(Code::unavailable,
                   fmt::format("--emulate: {} needs {}", target.name, there.missing), there.mend);
  }
  if (is_any) return {};
  return error(
      Code::invalid_input, "--emulate: no emulator plays any of the targets",
      "`assay list targets` shows which one could: arm_cortex_a72, rvv and vulkan are such");
}

Status prepare_emulators(Disk& disk, const Machine& machine, const Places& places,
                         std::span<const Target> targets, const std::string& folder,
                         const std::function<void(const std::string& line)>& tell) {
  for (const Target& target : targets) {
    const Emulator* emulator = find_row(emulators(), target.runner.emulator);
    if (emulator == nullptr || !emulator->cpu || !is_to_be_emulated(target, machine)) continue;
    ASSAY_ASSIGN(std::string path, emulated_runner_path(machine, places, *emulator->cpu, folder));
    ASSAY_TRY(make_emulated_runner(disk, machine, places, *emulator->cpu, path, [&] {
      tell(fmt::format("making what runs code of {} within {}; it is kept, in {}",
                       emulator->cpu->architecture, emulator->title, folder));
    }));
  }
  return {};
}

}  // namespace assay
