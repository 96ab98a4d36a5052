#include "setup/emulated_runner.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "compile/tool_output.h"
#include "target/availability.h"

namespace assay {
namespace {

std::string source_of(const Places& places) {
  return join_path(places.emulated, "native_runner.cc");
}

// All but the file that is written. Its own speed is nothing that anybody asks for: without
// optimisation it is made in half the time.
std::vector<std::string> words_for(const std::string& compiler, const Places& places) {
  return {compiler,
          "-std=c++23",
          "-DFMT_HEADER_ONLY",
          "-ffunction-sections",
          "-fdata-sections",
          "-I" + places.emulated,
          source_of(places),
          "-Wl,--gc-sections",
          "-ldl"};
}

}  // namespace

Result<std::string> emulated_runner_path(const Machine& machine, const Places& places,
                                         const PlayedCpu& cpu, const std::string& folder) {
  const std::string compiler = machine.find_program(std::string(cpu.compiler));
  if (compiler.empty())
    return error(Code::unavailable, fmt::format("there is no {}", cpu.compiler),
                 install_command(std::string(cpu.package)));
  std::string all;
  for (const std::string& file : {compiler, source_of(places)}) {
    ASSAY_ASSIGN(Digest digest, machine.disk().digest(file));
    all += digest.sha256;
  }
  for (const std::string& word : words_for("", Places{})) all += word + "\n";
  return join_path(folder, fmt::format("{}-{}", cpu.architecture, sha256(all).substr(0, 16)));
}

Status make_emulated_runner(Disk& disk, const Machine& machine, const Places& places,
                            const PlayedCpu& cpu, const std::string& path) {
  const std::string compiler = machine.find_program(std::string(cpu.compiler));
  ASSAY_TRY(disk.make_directories(path.substr(0, path.rfind('/'))));
  Status made = write_by(disk, machine, words_for(compiler, places), path);
  if (made) return {};
  return while_doing(made.error(),
                     fmt::format("making the native runner for {}", cpu.architecture));
}

}  // namespace assay
