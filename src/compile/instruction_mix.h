// What a disassembly says of the loop that computes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// Whose instructions are read.
enum class Isa { x86_64, aarch64, riscv };

// Instructions of one loop, by what they do. One may be of several kinds.
struct InstructionMix {
  std::string function;
  size_t instructions = 0;
  size_t packed = 0, scalar = 0;  // floating-point arithmetic: on vectors, and on single numbers
  size_t fused = 0;               // of those: multiply and add in one
  size_t divisions = 0;           // of those: divisions and roots, which take long
  size_t loads = 0, stores = 0, gathers = 0, calls = 0, branches = 0;
  int widest_bits = 0;   // of the registers of vectors; 0 where the code does not say, on RISC-V
  std::string called{};  // the first function that is called
};

// Of the innermost loop with most floating-point arithmetic in what `objdump -d` prints of a
// library. Nothing: no loop has any.
std::optional<InstructionMix> inner_loop(std::string_view disassembly, Isa isa = Isa::x86_64);

Json to_json(const InstructionMix& mix);
// "Its inner loop has 12 instructions: ...", of what to_json() gives.
std::string mix_in_words(const Json& mix);

}  // namespace assay
