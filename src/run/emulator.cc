#include "run/emulator.h"

#include <array>

namespace assay {
namespace {

constexpr std::string_view kQemu = "qemu-user-static";
// A signal within QEMU, or one of its checks; of code that it plays it says another thing.
constexpr std::array<std::string_view, 3> kQemuBroken{"Assertion", "QEMU internal SIG", "ERROR:"};

// A file that names the driver to whoever loads it; distributions name it after the CPU.
constexpr std::array<std::string_view, 3> kLavapipeFiles{
    "/usr/share/vulkan/icd.d/lvp_icd.json", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json"};
// What a driver of Vulkan answers, a lost device among it; and what ends LLVM, or Mesa itself.
constexpr std::array<std::string_view, 4> kLavapipeBroken{"VK_ERROR_", "LLVM ERROR", "Assertion",
                                                          "UNREACHABLE"};

}  // namespace

std::span<const Emulator> emulators() {
  static const std::array all{
      Emulator{.name = "qemu-aarch64-static",
               .title = "QEMU",
               .package = kQemu,
               .files = {},
               .library = "",
               .broken = kQemuBroken,
               .cpu = PlayedCpu{.architecture = "aarch64",
                                .model = "max",
                                .vector_bits = 0,
                                .libraries = "/usr/aarch64-linux-gnu",
                                .compiler = "aarch64-linux-gnu-g++",
                                .package = "g++-aarch64-linux-gnu"},
               .runner = emulated_aarch64_runner},
      // Of vectors it has to be told how long they are; these are as long as the target's.
      Emulator{.name = "qemu-riscv64-static",
               .title = "QEMU",
               .package = kQemu,
               .files = {},
               .library = "",
               .broken = kQemuBroken,
               .cpu = PlayedCpu{.architecture = "riscv64",
                                .model = "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0",
                                .vector_bits = 256,
                                .libraries = "/usr/riscv64-linux-gnu",
                                .compiler = "riscv64-linux-gnu-g++",
                                .package = "g++-riscv64-linux-gnu"},
               .runner = emulated_riscv64_runner},
      Emulator{.name = "lavapipe",
               .title = "lavapipe",
               .package = "mesa-vulkan-drivers libvulkan1",
               .files = kLavapipeFiles,
               .library = "libvulkan.so.1",
               .broken = kLavapipeBroken,
               .cpu = std::nullopt,
               .runner = lavapipe_runner}};
  return all;
}

const Emulator* emulator_of(const Runner& runner) {
  for (const Emulator& emulator : emulators())
    if (&emulator.runner() == &runner) return &emulator;
  return nullptr;
}

}  // namespace assay
