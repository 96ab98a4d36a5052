#include "cli/list_targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "base/units.h"
#include "cli/find_compiler.h"
#include "compile/flags.h"
#include "setup/emulators.h"
#include "setup/tools.h"
#include "target/availability.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

std::string needs(const Availability& availability) {
  std::string text = "needs " + availability.missing;
  return availability.mend.empty() ? text : text + " (" + availability.mend + ")";
}

// What code for it can be called by here. An emulator comes before a driver: of a device that has
// one, assay calls nothing but that.
std::string_view caller_of(const Target& target, const Machine& machine) {
  if (target.runner.kind == RunnerKind::none) return "-";
  if (runs_on_this_cpu(target, machine)) return "native";
  if (can_emulate(target, machine).ready) return "emulator";
  return can_run(target, machine).ready ? to_word(kRunnerWords, target.runner.kind) : "no";
}

std::string line_of(const Target& target, const Machine& machine, const IreeCompiler* compiler) {
  auto flags = resolve_flags(target, compiler ? compiler->version : "");
  Availability compile = can_compile(target, flags, machine, compiler);
  Availability run = can_run(target, machine);
  std::string notes = target.title;
  // Without a compiler all say the same: it is said once, below the list.
  if (!compile.ready && compiler) notes += "; compile " + needs(compile);
  if (!run.ready && target.runner.kind != RunnerKind::none) notes += "; run " + needs(run);
  if (is_to_be_emulated(target, machine))
    if (const Availability emulate = can_emulate(target, machine); !emulate.ready)
      notes += "; --emulate " + needs(emulate);
  return fmt::format("{:<16} {:<8} {:<9} {}\n", target.name, compile.ready ? "yes" : "no",
                     caller_of(target, machine), notes);
}

// 19.5e12 as "19.5 T".
std::string scaled(double value) {
  if (value >= 1e12) return fmt::format("{:g} T", value / 1e12);
  return fmt::format("{:g} G", value / 1e9);
}

std::string peaks_text(const Peaks& peaks) {
  std::vector<std::string> parts;
  for (const auto& [type, value] : peaks.operations_per_second)
    parts.push_back(fmt::format("{} {}{}/s", type, scaled(value), type == "i8" ? "OP" : "FLOP"));
  if (peaks.bytes_per_second)
    parts.push_back(fmt::format("memory {}B/s", scaled(*peaks.bytes_per_second)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Sheet {
 public:
  explicit Sheet(Output& output) : output_(output) {}
  void line(const char* name, const std::string& value) {
    output_.write(fmt::format("  {:<13} {}\n", name, value));
  }

 private:
  Output& output_;
};

void show_cpu(Sheet& sheet, const Target& target, const Machine& machine,
              const IreeCompiler* compiler, const std::vector<std::string>& flags) {
  auto backends = needed_backends(flags);
  if (compiles_for_host(target)) sheet.line("host CPU", host_cpu_identity(machine.disk()));
  if (backends.size() != 1 || backends[0] != "llvm-cpu" || !compiler) return;
  auto cpu = resolve_cpu(machine, *compiler, flags);
  sheet.line("CPU", cpu ? (cpu->cpu.empty() ? "generic" : cpu->cpu) : cpu.error().message);
  if (cpu) sheet.line("CPU features", fmt::format("{}", fmt::join(cpu->features, " ")));
}

}  // namespace

Status list_targets(const Places& places, Output& output) {
  const Machine& machine = this_machine();
  auto compiler = find_compiler(machine, places);
  TargetCatalog catalog = target_catalog(machine.disk(), places);
  output.write(fmt::format("{:<16} {:<8} {:<9} {}\n", "TARGET", "COMPILE", "RUN", "WHAT"));
  for (const std::string& name : catalog.names()) {
    auto target = catalog.load(name);
    // One broken file of the user's must not hide the others.
    output.write(target ? line_of(*target, machine, compiler ? &*compiler : nullptr)
                        : fmt::format("{:<16} broken: {}\n", name, target.error().describe()));
  }
  if (!compiler)
    output.write("nothing can be compiled here: " + compiler.error().describe() + "\n");
  return {};
}

Status show_target(const Places& places, const std::string& name, Output& output) {
  const Machine& machine = this_machine();
  ASSAY_ASSIGN(Target target, target_catalog(machine.disk(), places).load(name));
  auto found = find_compiler(machine, places);
  const IreeCompiler* compiler = found ? &*found : nullptr;
  auto flags = resolve_flags(target, compiler ? compiler->version : "");
  Availability compile = can_compile(target, flags, machine, compiler);
  Availability run = can_run(target, machine);
  output.write(target.name + "\n");
  Sheet sheet(output);
  sheet.line("title", target.title);
  sheet.line("file", target.path);
  for (const std::string& base : target.bases) sheet.line("extends", base);
  sheet.line("precision", std::string(to_word(kPrecisionWords, target.precision)));
  sheet.line("compile", compile.ready ? "yes" : needs(compile));
  std::string_view kind = to_word(kRunnerWords, target.runner.kind);
  if (target.runner.kind == RunnerKind::none)
    sheet.line("run", "no: nothing here runs its code");
  else if (run.ready && target.runner.kind == RunnerKind::driver && !is_for_cuda(target))
    sheet.line("run", "driver: it is here, and assay calls nothing by it yet");
  else
    sheet.line("run",
               run.ready ? fmt::format("yes: {}", kind) : fmt::format("{} {}", kind, needs(run)));
  if (is_to_be_emulated(target, machine)) {
    const Availability emulate = can_emulate(target, machine);
    sheet.line("--emulate",
               emulate.ready ? fmt::format("yes: {}", target.runner.emulator) : needs(emulate));
  }
  if (target.gpu)
    sheet.line("GPU",
               fmt::format("{} {}, warps of {}, {} of shared memory for a block",
                           to_word(kGpuKindWords, target.gpu->kind), target.gpu->architecture,
                           target.gpu->warp_threads, format_bytes(target.gpu->shared_bytes)));
  if (target.peaks) {
    sheet.line("peaks", peaks_text(*target.peaks));
    sheet.line("  from", target.peaks->source);
  }
  show_cpu(sheet, target, machine, compiler, flags);
  sheet.line("flags", compiler ? "for IREE " + compiler->version : "for the newest IREE");
  for (const std::string& flag : flags) output.write("    " + flag + "\n");
  if (target.link) {
    if (!target.link->compiler.empty())
      sheet.line("links", fmt::format("the runtime library of {}", target.link->compiler));
    if (!target.link->imports.empty())
      sheet.line("imports", fmt::format("{}", fmt::join(target.link->imports, " ")));
    for (const std::string& source : target.link->sources) output.write("    " + source + "\n");
  }
  return {};
}

}  // namespace assay
