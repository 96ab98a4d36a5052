// What the compiler left: archives, and the ELF files in them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compile/artifact.h"
#include "compile/code_facts.h"
#include "compile/elf.h"

extern "C" int fuzz_artifact(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto undefined = undefined_symbols_of_elf(bytes);
  if (undefined)
    for (const auto& name : *undefined)
      if (name.size() >= size) abort();
  if (auto facts = facts_of_elf(bytes); facts && facts->amdgpu_metadata.size() > size) abort();
  if (auto kernels = facts_of_amdgpu(bytes))
    for (const CodeFacts& each : *kernels)
      if (each.function.size() > size) abort();
  for (const CodeFacts& each : facts_of_ptxas(bytes))
    if (each.function.size() > size) abort();
  for (Isa isa : {Isa::x86_64, Isa::aarch64, Isa::riscv})
    if (auto mix = inner_loop(bytes, isa); mix && mix->instructions == 0) abort();
  if (auto files = files_of_archive(bytes))
    for (const ArchiveFile& file : *files)
      if (file.bytes.size() > size) abort();
  if (auto complaint = link_complaint(bytes); complaint && complaint->empty()) abort();
  return 0;
}
