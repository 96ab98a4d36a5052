#include "target/host_cpu.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace assay {

std::string cpu_model(const Disk& disk) {
  auto text = disk.read("/proc/cpuinfo");
  if (!text) return "unknown";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name") && line.contains(": "))
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::string host_cpu_identity(const Disk& disk) {
  auto text = disk.read("/proc/cpuinfo");
  if (!text) return "unknown";
  // x86 and ARM names of the same things. Frequencies and addresses change, these do not.
  static constexpr std::string_view kFields[] = {
      "vendor_id",       "cpu family",  "model",    "model name", "stepping", "flags",
      "CPU implementer", "CPU variant", "CPU part", "Features",   "isa",      "uarch"};
  std::istringstream lines(*text);
  std::string line, identity;
  while (std::getline(lines, line) && !line.empty()) {  // the first core's paragraph
    std::string name = line.substr(0, line.find_first_of("\t:"));
    size_t value = line.find(": ");
    if (value != std::string::npos && std::ranges::find(kFields, name) != std::end(kFields))
      identity += name + "=" + line.substr(value + 2) + ";";
  }
  return identity;
}

bool compiles_for_host(const Target& target) {
  // The CPU's name, its features, and whatever a later compiler lets the host decide.
  auto for_host = [](const std::vector<std::string>& flags) {
    return std::ranges::any_of(flags, [](const auto& flag) { return flag.ends_with("=host"); });
  };
  return for_host(target.flags) ||
         std::ranges::any_of(target.versioned_flags, [&](const VersionedFlags& versioned) {
           return for_host(versioned.flags);
         });
}

}  // namespace assay
