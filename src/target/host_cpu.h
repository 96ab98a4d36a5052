#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "target/target.h"

namespace assay {

// The model's name, as /proc/cpuinfo has it; "unknown" where it has none.
std::string cpu_model(const Disk& disk);

// What "the host's CPU" means on this machine: everything in /proc/cpuinfo that a compiler can see
// of one core, as one line. Two machines with the same line get the same code.
std::string host_cpu_identity(const Disk& disk);

// True when the target's flags leave the CPU to the machine that compiles.
bool compiles_for_host(const Target& target);

}  // namespace assay
