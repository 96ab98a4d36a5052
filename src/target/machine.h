#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

struct ProgramResult {
  int status = 0;  // as a shell reports it: 128 + N for signal N
  std::string output;
  std::string errors;
};

// What of this machine decides whether code can be made for a target, and be run. An interface so
// that tests can take things away from a machine, and give it others.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual std::string system() const = 0;        // as `uname -s` prints it
  virtual std::string architecture() const = 0;  // as `uname -m` prints it
  // The path of a program: on the PATH, or itself when it has a slash. "" when there is none.
  virtual std::string find_program(const std::string& name) const = 0;
  // Where the dynamic linker would look for libraries, in its order.
  virtual std::vector<std::string> library_folders() const = 0;
  // Runs a program to its end, at most `timeout_ns`, with `input` as its standard input. Fails only
  // when the program cannot be started or does not end, or, as Code::interrupted, when a signal
  // that the caller holds back or handles is to end assay; what it says of itself is in the result.
  // Such a signal ends the program in any case.
  virtual Result<ProgramResult> run(const std::vector<std::string>& arguments,
                                    std::string_view input, int64_t timeout_ns) const = 0;
  virtual const Disk& disk() const = 0;
};

// The machine assay runs on. Lives as long as the process.
const Machine& this_machine();

// The first existing file that the pattern names; * ? [] may stand in its last part. "" for none.
std::string find_file(const Disk& disk, const std::string& pattern);

// The path of a shared library in the machine's library folders. "" for none.
std::string find_library(const Machine& machine, const std::string& name);

// The names of all CPU features that every core has, as /proc/cpuinfo lists them.
std::vector<std::string> cpu_features(const Disk& disk);

}  // namespace assay
