// What the code in an artifact takes of a machine: registers, spills, shared memory, bytes, and the
// instructions of its inner loop. So configurations can be compared where nothing runs. Numbers are
// those of the file itself, or of tools that read it: NVIDIA's ptxas, and objdump.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "compile/instruction_mix.h"

namespace assay {

// Programs by their paths; "" and absent: it is not here.
struct CodeTools {
  std::string ptxas{};
  std::map<Isa, std::string> objdump{};  // by what they read
};
Json to_json(const CodeTools& tools);
// Of what to_json() gives; what is not understood is absent.
CodeTools code_tools_from_json(const Json& json);

// Of one function.
struct CodeFacts {
  std::string function;
  std::optional<int64_t> registers{};         // of a thread; of AMD's GPUs, vector registers
  std::optional<int64_t> scalar_registers{};  // of a wave, on AMD's GPUs
  std::optional<int64_t> spilled_bytes{};     // of a thread's registers, in memory
  std::optional<int64_t> shared_bytes{};      // of a workgroup, as far as they are fixed
};

// What `ptxas -v` prints.
std::vector<CodeFacts> facts_of_ptxas(std::string_view printed);
// What code objects for AMD's GPUs say of their functions, in MessagePack.
Result<std::vector<CodeFacts>> facts_of_amdgpu(std::string_view metadata);

// Of the machine code in all executables of an artifact, by the files alone. Nothing: it has none,
// as where a driver makes it of PTX or SPIR-V.
std::optional<uint64_t> code_bytes_of(std::string_view artifact);

// An array with an object for each executable of an artifact, 64 at most: {"executable", "source"
// ("ptxas", "metadata", "objdump" or "elf"), "code_bytes", "matrix_instructions", "functions":
// [...], "loop": to_json(InstructionMix), "failed": why a tool said nothing}. What is not known is
// absent. Writes files of its own into the current folder, and runs tools there.
Json code_facts(std::string_view artifact, const CodeTools& tools);

}  // namespace assay
