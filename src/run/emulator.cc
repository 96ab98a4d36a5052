#include "run/emulator.h"

#include <algorithm>
#include <array>

namespace assay {

std::span<const Emulator> emulators() {
  static const std::array all{
      Emulator{.architecture = "aarch64",
               .program = "qemu-aarch64-static",
               .cpu = "max",
               .vector_bits = 0,
               .libraries = "/usr/aarch64-linux-gnu",
               .package = "g++-aarch64-linux-gnu",
               .runner = emulated_aarch64_runner},
      // Of vectors it has to be told how long they are; these are as long as the target's.
      Emulator{.architecture = "riscv64",
               .program = "qemu-riscv64-static",
               .cpu = "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0",
               .vector_bits = 256,
               .libraries = "/usr/riscv64-linux-gnu",
               .package = "g++-riscv64-linux-gnu",
               .runner = emulated_riscv64_runner}};
  return all;
}

const Emulator* find_emulator(std::string_view program) {
  const auto found = std::ranges::find(emulators(), program, &Emulator::program);
  return found == emulators().end() ? nullptr : &*found;
}

std::string emulated_program(const Places& places, const Emulator& emulator) {
  return places.native_runner + "-" + std::string(emulator.architecture);
}

}  // namespace assay
