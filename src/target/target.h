// What kernels are compiled for, and what it takes to run them: one TOML file each. docs/manual.md
// shows how to add one, docs/formats.md has the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/gpu.h"
#include "model/words.h"
#include "run/cuda/card.h"
#include "target/version.h"

namespace assay {

enum class RunnerKind {
  native,  // a CPU like this machine's
  driver,  // a device, by its vendor's library
  none,    // compiled only
};
inline constexpr Word<RunnerKind> kRunnerWords[] = {
    {RunnerKind::native, "native"}, {RunnerKind::driver, "driver"}, {RunnerKind::none, "none"}};

// What code for the target needs of a machine in order to run there. Empty means: nothing.
struct TargetRunner {
  RunnerKind kind = RunnerKind::none;
  std::string system{};                     // as `uname -s` prints it
  std::string architecture{};               // as `uname -m` prints it
  std::vector<std::string> cpu_features{};  // as /proc/cpuinfo names them; all of them
  std::string library{};                    // where the dynamic linker finds it
  std::vector<std::string> devices{};       // files, with * ? [] in their last part; one is enough
  std::string package{};                    // of the distribution, that brings the library
  std::string emulator{};  // what plays it where it is not (run/emulator.h); "": nothing does
};

// What is linked into each artifact beside the kernel, made by a cross compiler.
struct Link {
  std::string compiler;                     // on the PATH; its runtime library is linked. "": none
  std::vector<std::string> compiler_flags;  // what says the instruction set and the ABI
  std::vector<std::string> sources;         // C files, absolute
  std::vector<std::string> replace;         // functions of theirs that win over the compiler's own
  std::string package;                      // of the distribution, that brings the compiler
  // Functions that whoever loads the code has, of WebAssembly: they may stay undefined.
  std::vector<std::string> imports{};
};

// The most that the device can do. Numbers nobody is sure of are absent.
struct Peaks {
  std::map<std::string, double> operations_per_second;  // by element type; f32 and such: FLOP/s
  std::optional<double> bytes_per_second;               // of the device's main memory
  std::string source;                                   // where the numbers are from
};

// Flags for some versions of IREE: from `since` on, and before `below`.
struct VersionedFlags {
  std::optional<Version> since, below;
  std::vector<std::string> flags;
};

// What the compiler is told of how to lower operations, beside flags (compile/configuration.h).
struct Tuning {
  std::string configuration;  // its name
  std::string library{};      // in MLIR's transform dialect, as kTuningLibraryName; "": flags alone
  // Of each of these one has to be taken up; none: nothing has to.
  std::vector<std::vector<std::string>> lowerings{};
  std::vector<std::string> flags{};  // of its own, which versioned_flags have too
  std::string compiler{};            // the version that it was tuned for; "": any

  bool operator==(const Tuning&) const = default;
};

struct Target {
  std::string name;                // the file's stem
  std::string path;                // where it was read from
  std::string reference;           // what names it on a command line: its name, or its path
  std::vector<std::string> bases;  // files it extends, the nearest first
  std::string title;               // one line for people
  std::vector<std::string> flags;  // of the compiler, one per item
  std::vector<VersionedFlags> versioned_flags;
  Precision precision = Precision::f32;
  std::optional<Peaks> peaks;
  TargetRunner runner;
  std::optional<Link> link;
  std::optional<Gpu> gpu;  // that candidates' own device code is compiled for
  // The card that is here, where it is one of these: found out when a run begins (meet_card).
  std::optional<cuda::Card> card{};
  std::optional<Tuning> tuning{};
  // Where another compiler than the run's is, that compiles for it; "": the run's does.
  std::string compiler{};
  // Why nothing can be compiled for it on this machine, found out when a run begins; "" when it
  // can.
  std::string unavailable;
};

// One target file by itself. What is absent comes from the file it extends.
struct TargetFile {
  std::string title;
  std::string extends;  // a target's name, or a path relative to this file; "" for none
  std::vector<std::string> flags;
  std::vector<VersionedFlags> versioned_flags;
  std::optional<Precision> precision;
  std::optional<Peaks> peaks;
  std::optional<TargetRunner> runner;
  std::optional<Link> link;
  std::optional<Gpu> gpu;
};

// Reads and checks one target file. Errors say file:line:column and what to write instead.
Result<TargetFile> parse_target_file(const std::string& path, std::string_view text);

// "--name" of "--name=value".
std::string_view flag_name(std::string_view flag);

// The flags with those of `more` put over them: one of the same name takes its place, others go to
// the end.
void overlay_flags(std::vector<std::string>& flags, const std::vector<std::string>& more);

// Refuses what is no compiler flag, and those that assay sets itself.
Status check_flag(const std::string& flag);

// Whether code for it runs on a card of NVIDIA's, by its driver.
bool is_for_cuda(const Target& target);
// Has the target be the card that is here, where that is such a one. One that names no architecture
// is whatever card there is: fails where there is none.
Status meet_card(Target& target, const Result<cuda::Card>& card);

// The targets there are: those shipped, and the user's own, which win over a shipped one of the
// same name.
class TargetCatalog {
 public:
  // Folders in the order of precedence; missing ones are skipped.
  TargetCatalog(const Disk& disk, std::vector<std::string> folders);

  // All names, sorted.
  std::vector<std::string> names() const;
  // By name, or by path when it has a slash or ends in .toml. What it extends is put under it.
  Result<Target> load(const std::string& name_or_path) const;

 private:
  Result<std::string> find(const std::string& name) const;
  Result<Target> load_file(const std::string& path, std::vector<std::string>& chain) const;

  const Disk& disk_;
  std::vector<std::string> folders_;
};

}  // namespace assay
