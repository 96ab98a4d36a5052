// What kernels are compiled for: one TOML file each. docs/manual.md shows how to add one.
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/words.h"

namespace assay {

// Whether code for the target can run on this machine, and by what.
enum class Runner {
  native,  // this machine's own CPU
  driver,  // a device with a driver
  none,    // compiled only
};
inline constexpr Word<Runner> kRunnerWords[] = {
    {Runner::native, "native"}, {Runner::driver, "driver"}, {Runner::none, "none"}};

struct Target {
  std::string name;                // the file's stem
  std::string path;                // where it was read from
  std::string reference;           // what names it on a command line: its name, or its path
  std::string title;               // one line for people
  std::vector<std::string> flags;  // of the compiler, one per item
  Precision precision = Precision::f32;
  Runner runner = Runner::none;
};

// Reads and checks one target file. Errors say file:line:column and what to write instead.
Result<Target> parse_target(const std::string& path, std::string_view text);

// Refuses what is no compiler flag, and those that assay sets itself.
Status check_flag(const std::string& flag);

// The targets there are: those shipped, and the user's own, which win over a shipped one of the
// same name.
class TargetCatalog {
 public:
  // Folders in the order of precedence; missing ones are skipped.
  TargetCatalog(const Disk& disk, std::vector<std::string> folders);

  // All names, sorted.
  std::vector<std::string> names() const;
  // By name, or by path when it has a slash or ends in .toml.
  Result<Target> load(const std::string& name_or_path) const;

 private:
  const Disk& disk_;
  std::vector<std::string> folders_;
};

}  // namespace assay
