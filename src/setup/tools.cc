#include "setup/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "base/escape.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "compile/compile_job.h"
#include "compile/iree_api.h"
#include "compile/link.h"
#include "target/host_cpu.h"
#include "target/iree_compiler.h"
#include "target/timing_facts.h"

namespace assay {
namespace {

#if defined(__aarch64__)
constexpr Isa kOwnIsa = Isa::aarch64;
#elif defined(__riscv)
constexpr Isa kOwnIsa = Isa::riscv;
#else
constexpr Isa kOwnIsa = Isa::x86_64;
#endif

// Names and hashes of all Python files below `folder`.
Status add_sources(const Disk& disk, const std::string& folder, std::string& all) {
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries) {
    std::string path = join_path(folder, entry.name);
    if (entry.is_directory && entry.name != "__pycache__") {
      all += entry.name + "/\n";
      ASSAY_TRY(add_sources(disk, path, all));
    } else if (entry.is_file && entry.name.ends_with(".py")) {
      ASSAY_ASSIGN(std::string text, disk.read(path));
      all += entry.name + " " + sha256(text) + "\n";
    }
  }
  return {};
}

// Of the worker's source: another worker may export differently.
Result<std::string> worker_identity(const Disk& disk, const std::string& folder) {
  std::string all;
  ASSAY_TRY(add_sources(disk, join_path(folder, "assay_worker"), all));
  return sha256(all);
}

}  // namespace

Result<std::string> find_own_compiler(const Disk& disk, const std::string& iree,
                                      CompilerKind kind) {
  bool tool = kind == CompilerKind::tool;
  if (!disk.exists(iree))
    return error(Code::not_found, "there is no '" + iree + "'",
                 "name a folder of IREE (installed, built, or a virtual environment), or the "
                 "compiler's file");
  if (!disk.is_directory(iree)) return iree;
  std::vector<std::string> places = {"lib/libIREECompiler.so", "libIREECompiler.so",
                                     "iree/compiler/_mlir_libs/libIREECompiler.so"};
  if (tool)
    places = {"bin/iree-compile", "tools/iree-compile", "iree-compile",
              "iree/compiler/_mlir_libs/iree-compile"};
  // A virtual environment has it where its interpreter's packages are.
  std::vector<std::string> folders{iree};
  if (auto entries = disk.list(join_path(iree, "lib")))
    for (const DirectoryEntry& entry : *entries)
      if (entry.is_directory && entry.name.starts_with("python3"))
        folders.push_back(join_path(iree, "lib/" + entry.name + "/site-packages"));
  for (const std::string& folder : folders)
    for (const std::string& place : places)
      if (disk.exists(join_path(folder, place))) return join_path(folder, place);
  return error(Code::not_found,
               fmt::format("'{}' has no {}", iree, tool ? "iree-compile" : "libIREECompiler.so"),
               fmt::format("looked for {}; name the file itself", fmt::join(places, ", ")));
}

namespace {

Result<CompilerInUse> compiler_in_use(const Places& places, const std::string& path,
                                      CompilerKind kind) {
  CompilerInUse found{.path = path};
  ASSAY_ASSIGN(found.identity, library_identity(path));
  // The tool may be no more than a launcher of the library, in a wheel beside it.
  if (kind == CompilerKind::tool)
    for (const char* place : {"libIREECompiler.so", "../lib/libIREECompiler.so"})
      if (auto library = library_identity(path_beside(path, place)))
        found.identity += " " + *library;
  found.image = compiler_image(places, kind, path);
  // The library looks for the linker of WebAssembly beside the program that loaded it.
  if (auto linker = find_iree_linker(this_machine(), path))
    found.image.environment.push_back("IREE_LLVM_WASM_LINKER_PATH=" + *linker);
  return found;
}

}  // namespace

Result<CompilerInUse> find_compiler_at(const Disk& disk, const Places& places,
                                       const std::string& iree, CompilerKind kind) {
  ASSAY_ASSIGN(const std::string path, find_own_compiler(disk, iree, kind));
  ASSAY_ASSIGN(CompilerInUse found, compiler_in_use(places, path, kind));
  found.version = version_of_compiler(this_machine(), path);
  return found;
}

TargetCatalog target_catalog(const Disk& disk, const Places& places) {
  return TargetCatalog(disk, {places.user_targets, places.targets});
}

Result<Tools> find_tools(const Disk& disk, const Places& places, const PythonDescription& python,
                         CompilerKind kind, const std::string& iree, bool compiles) {
  std::string missing;
  auto need = [&](const std::optional<std::string>& version, const char* package,
                  bool is_needed = true) {
    if (!version && is_needed) missing += (missing.empty() ? "" : " ") + std::string(package);
    return version.value_or("");
  };
  Tools tools;
  tools.python_environment = python.environment;
  tools.torch_version = need(python.torch, "torch");
  tools.turbine_version = need(python.turbine, "iree-turbine", compiles);
  // The importer of programs belongs to this package, whoever compiles them.
  tools.importer_version = need(python.compiler, "iree-base-compiler", compiles);
  if (!missing.empty())
    return error(Code::unavailable, python.executable + " lacks " + missing,
                 fmt::format("{} -m pip install {}", shell_quote(python.executable), missing));
  ASSAY_ASSIGN(tools.worker_identity, worker_identity(disk, places.python));
  tools.host_cpu = host_cpu_identity(disk);
  tools.exporter = python_image(python.executable, places, "export");
  if (!compiles && !python.compiler) return tools;
  const bool tool = kind == CompilerKind::tool;
  const auto& installed = tool ? python.compiler_tool : python.compiler_library;
  if (!iree.empty()) {
    ASSAY_ASSIGN(tools.compiler, find_compiler_at(disk, places, iree, kind));
  } else if (installed) {
    ASSAY_ASSIGN(tools.compiler, compiler_in_use(places, *installed, kind));
    tools.compiler.version = tools.importer_version;
  } else {
    return error(Code::unavailable,
                 fmt::format("{} has iree-base-compiler without {}", python.executable,
                             tool ? "iree-compile" : "libIREECompiler.so"),
                 fmt::format("{} -m pip install --force-reinstall iree-base-compiler",
                             shell_quote(python.executable)));
  }
  tools.code = find_code_tools(this_machine(), python);
  return tools;
}

CodeTools find_code_tools(const Machine& machine, const PythonDescription& python) {
  CodeTools tools;
  tools.ptxas = machine.find_program("ptxas");
  if (tools.ptxas.empty()) tools.ptxas = python.ptxas.value_or("");
  // GNU's reads one family each, as it was configured; LLVM's reads all.
  const std::string own = machine.find_program("objdump"),
                    any = machine.find_program("llvm-objdump");
  const std::pair<Isa, const char*> all[] = {{Isa::x86_64, "x86_64-linux-gnu-objdump"},
                                             {Isa::aarch64, "aarch64-linux-gnu-objdump"},
                                             {Isa::riscv, "riscv64-linux-gnu-objdump"}};
  for (const auto& [isa, name] : all) {
    std::string path = machine.find_program(name);
    if (path.empty()) path = any;
    if (path.empty() && isa == kOwnIsa) path = own;
    if (!path.empty()) tools.objdump[isa] = path;
  }
  return tools;
}

Json describe_machine(const Disk& disk, const PythonDescription& python, const Tools& tools) {
  utsname system{};
  ::uname(&system);
  struct sysinfo memory{};
  ::sysinfo(&memory);
  Json machine{{"host", system.nodename},
               {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
               {"CPU", cpu_model(disk)},
               {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
               {"memory", format_bytes(uint64_t{memory.totalram} * memory.mem_unit)},
               {"Python", python.version},
               {"torch", or_null(python.torch)},
               {"iree-turbine", or_null(python.turbine)},
               {"iree-base-compiler", or_null(python.compiler)},
               {"compiler file", tools.compiler.path},
               {"compiler build", tools.compiler.identity},
               {"iree-base-runtime", or_null(python.runtime)},
               {"jax", or_null(python.jax)},
               {"torchax", or_null(python.torchax)},
               {"torch-mlir", or_null(python.torch_mlir)},
               {"onnxruntime", or_null(python.onnxruntime)}};
  const std::optional<Calibration>& calibration = tools.judge.calibration;
  machine["calibration"] = calibration ? Json(identity_of(*calibration)) : Json(nullptr);
  for (const auto& [place, other] : tools.other_compilers)
    machine["compilers"][place] = {{"version", or_null(other.version)}, {"build", other.identity}};
  machine.update(to_json(timing_facts_of_this_machine()));
  return machine;
}

}  // namespace assay
