// What calls code of a target that this machine has not: it shows what the code computes, and never
// how fast. QEMU plays a CPU; lavapipe, Mesa's driver of Vulkan that computes on this CPU, a GPU. A
// row for each in emulator.cc. Targets name theirs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "run/runner.h"

namespace assay {

// A CPU that a program plays. What is called there is one function of what IREE compiled, by the
// native runner, which a cross compiler makes for that CPU (setup/emulated_runner.h).
struct PlayedCpu {
  std::string_view architecture;  // "aarch64", as `uname -m` prints it there
  std::string_view model;         // as the program knows it: with all that can be played
  int vector_bits;                // of its vectors, where code takes a length for granted
  std::string_view libraries;     // the folder of the C library there
  std::string_view compiler;      // its cross compiler's name
  std::string_view package;       // of the distribution, that brings that and its libraries
};

struct Emulator {
  std::string_view name;     // as targets name it
  std::string_view title;    // for people
  std::string_view package;  // of the distribution, that brings it
  // It is found by the first of these that is there; where it has none, its name is a program's.
  std::span<const std::string_view> files;
  std::string_view library;  // that its runner loads besides; "": none
  // What is printed where it is the emulator that broke, and not what it was to call.
  std::span<const std::string_view> broken;
  std::optional<PlayedCpu> cpu;  // none: it plays a device
  const Runner& (*runner)();
};

std::span<const Emulator> emulators();
// Null: it emulates nothing.
const Emulator* emulator_of(const Runner& runner);

}  // namespace assay
