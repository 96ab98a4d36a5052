#include "verify/tools.h"

#include <filesystem>
#include <string_view>

#include "base/disk.h"
#include "run/python.h"
#include "run/runner.h"

namespace assay {
namespace {

// As huggingface_hub finds it.
std::string hub_folder(const std::vector<std::string>& environment) {
  std::string home;
  for (std::string_view entry : environment) {
    if (entry.starts_with("HF_HOME=")) return std::string(entry.substr(8));
    if (entry.starts_with("HOME=")) home = entry.substr(5);
  }
  return home.empty() ? "" : home + "/.cache/huggingface";
}

}  // namespace

const GpuCompiler* gpu_compiler(const VerifyTools& tools, GpuKind kind) {
  for (const GpuCompiler& each : tools.gpu_compilers)
    if (each.kind == kind) return &each;
  return nullptr;
}

const Image& runner_image(const VerifyTools& tools, const Runner& runner) {
  return tools.runners.at(runner.name);
}

NativeJob with_includes(NativeJob job, const VerifyTools& tools) {
  for (const std::string& folder : tools.includes) job.compile.push_back("-I" + folder);
  return job;
}

VerifyTools tools_for(VerifyTools tools, const std::vector<std::string>& packages) {
  tools.oracle = with_packages(std::move(tools.oracle), packages);
  for (const Runner* runner : runners())
    if (const auto found = tools.runners.find(runner->name);
        found != tools.runners.end() && runner->imports_packages)
      found->second = with_packages(std::move(found->second), packages);
  return tools;
}

VerifyTools tools_within(VerifyTools tools, int64_t timeout_ns, uint64_t memory_bytes) {
  for (Limits* limits : {&tools.limits, &tools.card_limits, &tools.build_limits}) {
    limits->timeout_ns = timeout_ns;
    limits->memory_bytes = memory_bytes;
    if (limits->jail) limits->jail->memory_bytes = memory_bytes;
  }
  return tools;
}

std::string shown_with(const VerifyTools& tools, const std::string& problem_path) {
  if (!tools.limits.jail || tools.limits.jail->level == Isolation::L0) return "";
  if (!problem_path.starts_with('/')) return "";  // a generated one
  const std::string problem = absolute_path(problem_path);
  for (const std::string& path : tools.limits.jail->read_only)
    if (lies_in(problem, absolute_path(path))) return path;
  return "";
}

JailSpec oracle_jail(const VerifyTools& tools, const std::string& problem_path,
                     const LoadedWeights* weights, bool on_card) {
  JailSpec jail = (on_card ? tools.card_limits : tools.limits).jail.value_or(JailSpec{});
  jail.has_loopback = false;                    // a profiler that may connect is the candidate's
  std::filesystem::path problem(problem_path);  // of a generated problem: no path
  if (problem.is_absolute()) jail.read_only.push_back(problem.parent_path().string());
  std::string hub = hub_folder(tools.oracle.environment);
  if (hub.starts_with('/')) jail.read_only.push_back(hub);
  if (weights)
    jail.read_only.insert(jail.read_only.end(), weights->reads.begin(), weights->reads.end());
  return jail;
}

}  // namespace assay
