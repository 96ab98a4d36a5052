#include "target/iree_compiler.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "base/escape.h"
#include "target/target.h"

namespace assay {
namespace {

// Ten times what a busy machine takes with the library on a cold disk.
constexpr int64_t kTimeoutNs = 60'000'000'000;

constexpr const char* kListBackends = "--iree-hal-list-target-backends";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The text between `before` and the next quote; "" when there is none.
std::string quoted_after(const std::string& text, const std::string& before) {
  size_t at = text.find(before);
  if (at == std::string::npos) return "";
  at += before.size();
  size_t end = text.find('"', at);
  return end == std::string::npos ? "" : text.substr(at, end - at);
}

// A file of a package that is installed beside an interpreter; "" when it is not clear which.
std::string in_packages(const Disk& disk, const std::string& python, const std::string& path) {
  std::string library = path_beside(python, "../lib");
  auto entries = disk.list(library);
  if (!entries) return "";
  std::vector<std::string> found;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with("python3.")) continue;
    std::string file = fmt::format("{}/{}/site-packages/{}", library, entry.name, path);
    if (disk.exists(file)) found.push_back(file);
  }
  return found.size() == 1 ? found[0] : "";
}

}  // namespace

std::string tool_beside_python(const Disk& disk, const std::string& python) {
  return in_packages(disk, python, "iree/compiler/_mlir_libs/iree-compile");
}

std::string runtime_tool_beside_python(const Disk& disk, const std::string& python,
                                       const std::string& name) {
  return in_packages(disk, python, "iree/_runtime_libs/" + name);
}

std::string version_of_compiler(const Machine& machine, const std::string& compiler) {
  // A wheel says it in a file, which costs nothing to read.
  if (auto text = machine.disk().read(path_beside(compiler, "../version.py"))) {
    std::string version = quoted_after("\n" + *text, "\nVERSION = \"");
    if (!version.empty()) return version;
  }
  // A library in a build or an installation has its tool in a folder beside its own.
  std::vector<std::string> tools;
  if (!compiler.contains(".so")) tools.push_back(compiler);
  for (const char* place : {"iree-compile", "../bin/iree-compile", "../tools/iree-compile"})
    tools.push_back(path_beside(compiler, place));
  for (const std::string& tool : tools) {
    auto answer = machine.run({tool, "--version"}, "", kTimeoutNs);
    constexpr std::string_view kBefore = "IREE compiler version ";
    size_t at = answer ? answer->output.find(kBefore) : std::string::npos;
    if (at == std::string::npos) continue;
    at += kBefore.size();
    return answer->output.substr(at, answer->output.find_first_of(" \n", at) - at);
  }
  return "";
}

Result<IreeCompiler> ask_compiler(const Machine& machine, const std::string& tool) {
  ASSAY_ASSIGN(ProgramResult answer, machine.run({tool, kListBackends}, "", kTimeoutNs));
  IreeCompiler compiler;
  compiler.tool = tool;
  std::istringstream lines(answer.output);
  std::string line;
  std::getline(lines, line);  // the heading
  for (std::string name; lines >> name;) compiler.backends.insert(name);
  if (answer.status != 0 || compiler.backends.empty())
    return error(Code::unavailable,
                 fmt::format("'{} {}' lists no backends: {}", tool, kListBackends,
                             printable(first_line(answer.errors), false)),
                 "install iree-base-compiler again");
  compiler.version = version_of_compiler(machine, tool);
  return compiler;
}

std::vector<std::string> needed_backends(const std::vector<std::string>& flags) {
  static const std::map<std::string, std::string> kBackendOfDevice{{"cuda", "cuda"},
                                                                   {"hip", "rocm"},
                                                                   {"amdgpu", "rocm"},
                                                                   {"vulkan", "vulkan-spirv"},
                                                                   {"metal", "metal-spirv"}};
  std::vector<std::string> devices, local;
  for (const std::string& flag : flags) {
    size_t equals = flag.find('=');
    if (equals == std::string::npos) continue;
    std::string value = flag.substr(equals + 1);
    if (flag_name(flag) == "--iree-hal-target-device") devices.push_back(value);
    if (flag_name(flag) == "--iree-hal-local-target-device-backends") local.push_back(value);
  }
  std::vector<std::string> needed;
  for (const std::string& device : devices) {
    if (device == "local") needed.insert(needed.end(), local.begin(), local.end());
    if (auto found = kBackendOfDevice.find(device); found != kBackendOfDevice.end())
      needed.push_back(found->second);
  }
  return needed;
}

Result<ResolvedCpu> resolve_cpu(const Machine& machine, const IreeCompiler& compiler,
                                const std::vector<std::string>& flags) {
  std::vector<std::string> arguments{compiler.tool, "-", "--compile-to=preprocessing"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  ASSAY_ASSIGN(ProgramResult answer, machine.run(arguments, "module {}", kTimeoutNs));
  if (answer.status != 0)
    return error(Code::unavailable, "the compiler does not take the target's flags: " +
                                        printable(first_line(answer.errors), false));
  ResolvedCpu result;
  result.cpu = quoted_after(answer.output, "{cpu = \"");
  // "+a,-b,+a": for the host the list comes twice, and the last word counts.
  std::map<std::string, bool> features;
  std::istringstream list(quoted_after(answer.output, "cpu_features = \""));
  for (std::string feature; std::getline(list, feature, ',');)
    if (feature.size() > 1) features[feature.substr(1)] = feature[0] == '+';
  for (const auto& [feature, on] : features)
    if (on) result.features.push_back(feature);
  if (result.cpu.empty() && result.features.empty())
    return error(Code::not_found, "the compiler names no CPU for these flags");
  return result;
}

}  // namespace assay
