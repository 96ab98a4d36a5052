#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <functional>

#include "author/author.h"
#include "base/escape.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/doctor_calibrate.h"
#include "cli/doctor_card.h"
#include "cli/doctor_resolution.h"
#include "cli/doctor_timing.h"
#include "compile/compile_job.h"
#include "compile/flags.h"
#include "compile/gpu_compiler.h"
#include "run/export.h"
#include "run/outcome.h"
#include "sandbox/isolation.h"
#include "sandbox/process_spawner.h"
#include "setup/emulators.h"
#include "setup/tools.h"
#include "store/cache.h"

namespace assay {
namespace {

// A problem and a program too small to fail for any reason but the machine's.
constexpr const char* kProblem =
    "import torch\n"
    "class Model(torch.nn.Module):\n"
    "    def forward(self, x):\n"
    "        return x + 1\n"
    "def get_inputs():\n"
    "    return [torch.rand(4)]\n";
constexpr const char* kProgram =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<4xf32>\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";

constexpr int64_t kTrialTimeoutNs = 120'000'000'000;

struct Trial {
  StageRecord record;
  Ending ending;
};

// One job through a real image, to its end.
Result<Trial> try_out(Spawner& spawner, const Image& image, const Job& job, Stage stage) {
  Limits limits;
  limits.timeout_ns = kTrialTimeoutNs;
  ASSAY_ASSIGN(ChildId child, spawner.start(image, limits, job));
  (void)child;
  Trial trial;
  bool answered = false;
  while (true) {
    ASSAY_ASSIGN(Event event, spawner.next(kTrialTimeoutNs));
    if (event.kind == Event::Kind::interrupted) return error(Code::interrupted, "interrupted");
    if (event.kind == Event::Kind::nothing) continue;  // its own deadline ends it
    if (event.kind == Event::Kind::message) {
      trial.record = stage_from_answer(stage, event.message);
      answered = true;
      continue;
    }
    trial.ending = event.ending;
    if (!answered || event.ending.kind != EndKind::answered)
      trial.record = stage_from_ending(stage, event.ending);
    add_costs(trial.record, event.ending);
    return trial;
  }
}

Status try_images(Doctor& doctor, const Tools& tools, const Target& local) {
  std::string temporary = environment_variable("TMPDIR");
  std::string scratch = join_path(temporary.empty() ? "/tmp" : temporary, "assay-doctor-XXXXXX");
  if (!::mkdtemp(scratch.data())) return errno_error("make the folder '" + scratch + "'");
  ASSAY_ASSIGN(auto spawner, ProcessSpawner::create(scratch));
  ASSAY_ASSIGN(
      CompileJob compile,
      make_compile_job(kProgram, {{.flags = resolve_flags(local, tools.compiler.version)}}, {}));
  auto compiled = try_out(*spawner, tools.compiler.image, compile.job, Stage::compile);
  if (!compiled) {
    doctor.bad("compiler works", compiled.error());
  } else if (compiled->record.status != StageStatus::ok) {
    doctor.bad("compiler works", compiled->record.error + "\n" + compiled->record.detail, "");
  } else {
    doctor.good("compiler works",
                "a small program in " + format_duration(*compiled->record.wall_ns));
    if (compiled->ending.in_namespace)
      doctor.good("children held by", "a pid namespace each");
    else
      doctor.note("children held by",
                  "a subreaper: a hostile child of the same user could slip away; allow "
                  "unprivileged user namespaces to mend it");
  }
  ASSAY_ASSIGN(WorkloadJob job, make_export_job({"/doctor.py", kProblem, "eval", Precision::f32}));
  auto exported = try_out(*spawner, tools.exporter, job.job, Stage::export_);
  if (!exported)
    doctor.bad("export works", exported.error());
  else if (exported->record.status != StageStatus::ok)
    doctor.bad("export works", exported->record.error + "\n" + exported->record.detail, "");
  else
    doctor.good("export works", "a small problem in " + format_duration(*exported->record.wall_ns));
  return {};
}

void check_cache(Doctor& doctor) {
  auto folder = find_cache_folder();
  if (!folder) return doctor.bad("cache", folder.error());
  Status usable = Cache(system_disk(), *folder).prepare();
  if (!usable) return doctor.bad("cache", usable.error());
  struct statvfs space{};
  std::string free = "unknown space";
  if (::statvfs(folder->c_str(), &space) == 0)
    free = format_bytes(uint64_t{space.f_bavail} * space.f_frsize);
  doctor.good("cache", *folder + " (" + free + " free)");
}

void check_packages(Doctor& doctor, const PythonDescription& python) {
  std::string install = shell_quote(python.executable) + " -m pip install ";
  auto package = [&](const char* name, const std::optional<std::string>& version, bool needed) {
    if (version)
      doctor.good(name, *version);
    else if (needed)
      doctor.bad(name, "not installed", install + name);
    else
      doctor.note(name, "not installed; needed to run what was compiled: " + install + name);
  };
  auto for_authors = [&](bool usual) {
    for (const AuthorPackage& each : author_packages()) {
      if (each.is_usual != usual) continue;
      if (const auto& version = python.*each.version)
        doctor.good(each.name, *version);
      else if (each.is_usual)
        doctor.bad(each.name, "not installed", install + each.name);
      else
        doctor.note(each.name, fmt::format("not installed; needed by {}: {}{}",
                                           fmt::join(authors_with_package(each.name), ", "),
                                           install, each.name));
    }
  };
  package("torch", python.torch, true);
  for_authors(true);
  package("numpy", python.numpy, true);
  if (python.triton)
    doctor.good("triton", *python.triton);
  else
    doctor.note("triton", "not installed; needed to compile candidates in Triton: " + install +
                              "--no-deps triton");
  for_authors(false);
}

// What compiles candidates in CUDA and HIP.
void check_gpu_compilers(Doctor& doctor) {
  for (GpuKind kind : {GpuKind::cuda, GpuKind::hip}) {
    const std::string name(gpu_compiler_name(kind));
    if (auto compiler = find_gpu_compiler(this_machine(), kind))
      doctor.good(name, compiler->program);
    else
      doctor.note(name, no_gpu_compiler(kind));
  }
}

// What --emulate calls code by.
void check_emulators_here(Doctor& doctor) {
  for (const Emulator& emulator : emulators()) {
    const Availability usable = is_usable(emulator, this_machine());
    if (usable.ready)
      doctor.good(std::string(emulator.name), find_emulator(this_machine(), emulator));
    else
      doctor.note(std::string(emulator.name),
                  fmt::format("--emulate needs {}: {}", usable.missing, usable.mend));
  }
}

// The level in force, and what each level holds or lacks here.
void check_isolation(Doctor& doctor) {
  const IsolationReport& report = isolation();
  std::string word(to_word(kIsolationWords, report.highest));
  if (auto good = check_isolation_bound(); !good)
    doctor.bad("isolation", good.error());
  else if (report.bound)
    doctor.note("isolation", fmt::format("{}, and ASSAY_ISOLATION allows no more than {}", word,
                                         to_word(kIsolationWords, *report.bound)));
  else if (report.highest == Isolation::L0)
    doctor.note("isolation", "L0: nothing holds what candidates do; see below");
  else
    doctor.good("isolation", word);
  for (const IsolationTrial& trial : report.trials) {
    std::string level = "isolation " + std::string(to_word(kIsolationWords, trial.level));
    if (trial.works)
      doctor.good(level, trial.holds);
    else
      doctor.note(level, "not here: " + trial.missing + "; to have it: " + trial.mend);
  }
}

}  // namespace

Result<int> doctor_command(const Arguments& arguments, Output& output) {
  if (arguments.given("--calibrate")) {
    ASSAY_TRY(calibrate_machine(output));
    return 0;
  }
  if (arguments.given("--fix")) return fix_timing(output);
  Doctor doctor(output);
  if (arguments.given("--timing")) {
    check_timing(doctor);
    ASSAY_TRY(try_timing(doctor));
    return 0;
  }
  output.write(fmt::format("assay {}\n", kVersionText));
  ASSAY_ASSIGN(Places places, find_places());
  doctor.good("installed in", places.prefix);
  check_cache(doctor);
  check_isolation(doctor);
  TargetCatalog catalog = target_catalog(system_disk(), places);
  for (const std::string& name : catalog.names())
    if (auto target = catalog.load(name); !target) doctor.bad("target " + name, target.error());
  doctor.good("targets", fmt::format("{}", catalog.names().size()));

  auto python = find_python(places);
  auto description = python ? describe_python(*python, places)
                            : Result<PythonDescription>(std::unexpected(python.error()));
  if (!description) {
    doctor.bad("Python", description.error());
  } else {
    doctor.good("Python", description->version + " (" + description->executable + ")");
    check_packages(doctor, *description);
    check_gpu_compilers(doctor);
    check_emulators_here(doctor);
    check_card(doctor);
    // What find_tools() would complain about has been said.
    if (auto tools = find_tools(system_disk(), places, *description)) {
      doctor.good("compiler build", tools->compiler.identity);
      ASSAY_ASSIGN(Target local, catalog.load("local"));
      ASSAY_TRY(try_images(doctor, *tools, local));
    }
  }
  check_timing(doctor);
  doctor.note("timing: resolution",
              "not tried: assay doctor --timing measures what a window costs, and how small a "
              "difference is decided in a minute");
  output.write(doctor.healthy() ? "all is well\n" : "not everything is there: see `mend` above\n");
  return doctor.healthy() ? 0 : 2;
}

}  // namespace assay
