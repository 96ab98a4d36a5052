#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fakes/memory_disk.h"
#include "target/machine.h"

namespace assay {

// A machine that has what a test gives it, and remembers what was run on it.
class FakeMachine final : public Machine {
 public:
  MemoryDisk files;
  std::string system_name = "Linux", cpu = "x86_64";
  std::map<std::string, std::string> programs;  // name to path
  std::vector<std::string> libraries{"/usr/lib"};
  std::function<Result<ProgramResult>(const std::vector<std::string>&)> answer;
  mutable std::vector<std::vector<std::string>> runs;

  std::string system() const override { return system_name; }
  std::string architecture() const override { return cpu; }
  const Disk& disk() const override { return files; }
  std::vector<std::string> library_folders() const override { return libraries; }
  std::string find_program(const std::string& name) const override {
    auto found = programs.find(name);
    return found == programs.end() ? "" : found->second;
  }
  Result<ProgramResult> run(const std::vector<std::string>& arguments, std::string_view,
                            int64_t) const override {
    runs.push_back(arguments);
    if (answer) return answer(arguments);
    return error(Code::unavailable, "'" + arguments[0] + "' cannot be run");
  }
};

}  // namespace assay
