// CPUs that are not here, played by QEMU: they show what compiled code computes, and never how
// fast. What is called is one function of what IREE compiled, by the native runner, which is built
// for that CPU where assay is built and a cross compiler is there. A row for each in emulator.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/places.h"
#include "run/runner.h"

namespace assay {

struct Emulator {
  std::string_view architecture;  // "aarch64", as `uname -m` prints it there
  std::string_view program;       // "qemu-aarch64-static", as targets name it
  std::string_view cpu;           // that it plays: all that it knows of
  int vector_bits;                // of that CPU's vectors, where code takes a length for granted
  std::string_view libraries;     // the folder of the C library there
  std::string_view package;       // of the distribution, that brings these and the cross compiler
  const Runner& (*runner)();
};

std::span<const Emulator> emulators();
// Null: there is none that is called so.
const Emulator* find_emulator(std::string_view program);

// The program that it runs; need not be there.
std::string emulated_program(const Places& places, const Emulator& emulator);

}  // namespace assay
