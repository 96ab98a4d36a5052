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
                 "--iree takes a folder of IREE (installed or built), or the compiler's file");
  if (!disk.is_directory(iree)) return iree;
  std::vector<std::string> places = {"lib/libIREECompiler.so", "libIREECompiler.so",
                                     "iree/compiler/_mlir_libs/libIREECompiler.so"};
  if (tool)
    places = {"bin/iree-compile", "tools/iree-compile", "iree-compile",
              "iree/compiler/_mlir_libs/iree-compile"};
  for (const std::string& place : places)
    if (disk.exists(join_path(iree, place))) return join_path(iree, place);
  return error(Code::not_found,
               fmt::format("'{}' has no {}", iree, tool ? "iree-compile" : "libIREECompiler.so"),
               fmt::format("looked for {}; name the file itself", fmt::join(places, ", ")));
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
  bool tool = kind == CompilerKind::tool;
  const auto& installed = tool ? python.compiler_tool : python.compiler_library;
  std::string compiler = installed.value_or("");
  if (!iree.empty()) {
    ASSAY_ASSIGN(compiler, find_own_compiler(disk, iree, kind));
  } else if (!installed) {
    return error(Code::unavailable,
                 fmt::format("{} has iree-base-compiler without {}", python.executable,
                             tool ? "iree-compile" : "libIREECompiler.so"),
                 fmt::format("{} -m pip install --force-reinstall iree-base-compiler",
                             shell_quote(python.executable)));
  }
  tools.compiler_path = compiler;
  tools.compiler_version =
      iree.empty() ? tools.importer_version : version_of_compiler(this_machine(), compiler);
  ASSAY_ASSIGN(tools.compiler_identity, library_identity(compiler));
  // The tool may be no more than a launcher of the library, in a wheel beside it.
  if (tool)
    for (const char* place : {"libIREECompiler.so", "../lib/libIREECompiler.so"})
      if (auto library = library_identity(path_beside(compiler, place)))
        tools.compiler_identity += " " + *library;
  tools.compiler = compiler_image(places, kind, compiler);
  // The library looks for the linker of WebAssembly beside the program that loaded it.
  if (auto linker = find_iree_linker(this_machine(), compiler))
    tools.compiler.environment.push_back("IREE_LLVM_WASM_LINKER_PATH=" + *linker);
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
               {"compiler file", tools.compiler_path},
               {"compiler build", tools.compiler_identity},
               {"iree-base-runtime", or_null(python.runtime)},
               {"jax", or_null(python.jax)},
               {"torchax", or_null(python.torchax)},
               {"onnxruntime", or_null(python.onnxruntime)}};
  const std::optional<Calibration>& calibration = tools.judge.calibration;
  machine["calibration"] = calibration ? Json(identity_of(*calibration)) : Json(nullptr);
  machine.update(to_json(timing_facts_of_this_machine()));
  return machine;
}

}  // namespace assay
