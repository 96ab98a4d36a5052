#include "compile/code_facts.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "base/disk.h"
#include "compile/elf.h"
#include "fakes/fake_artifact.h"

namespace assay {
namespace {

TEST(CodeFacts, OfWhatPtxasPrints) {
  const auto functions = facts_of_ptxas(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_80'\n"
      "ptxas info    : Function properties for one\n"
      "    16 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 0 barriers, 4096 bytes smem, 376 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_80'\n"
      "ptxas info    : Used 18 registers, 360 bytes cmem[0]\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].function, "one");
  EXPECT_EQ(functions[0].registers, 255);
  EXPECT_EQ(functions[0].spilled_bytes, 24);
  EXPECT_EQ(functions[0].shared_bytes, 4096);
  EXPECT_EQ(functions[1].function, "two");
  EXPECT_EQ(functions[1].registers, 18);
  EXPECT_FALSE(functions[1].spilled_bytes);
  EXPECT_TRUE(facts_of_ptxas("Used 3 registers, and no function\n").empty());
  EXPECT_FALSE(facts_of_ptxas("Compiling entry function 'x'\nUsed 99999999999999999999 registers\n")
                   .front()
                   .registers);
}

TEST(CodeFacts, OfCodeObjectsForAmd) {
  const Json metadata{{"amdhsa.kernels",
                       {{{".name", "kernel"},
                         {".vgpr_count", 96},
                         {".sgpr_count", 22},
                         {".vgpr_spill_count", 3},
                         {".group_segment_fixed_size", 8704}}}}};
  const auto bytes = Json::to_msgpack(metadata);
  std::string text(bytes.begin(), bytes.end());
  const auto functions = facts_of_amdgpu(text + std::string(2, '\0'));
  ASSERT_TRUE(functions) << functions.error().describe();
  ASSERT_EQ(functions->size(), 1u);
  EXPECT_EQ(functions->front().function, "kernel");
  EXPECT_EQ(functions->front().registers, 96);
  EXPECT_EQ(functions->front().scalar_registers, 22);
  EXPECT_EQ(functions->front().spilled_bytes, 12);
  EXPECT_EQ(functions->front().shared_bytes, 8704);
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(facts_of_amdgpu(std::string_view(text).substr(0, size))) << size;
}

TEST(CodeFacts, OfAnElfFileAreItsMachineAndItsCode) {
  auto own = system_disk().read("/proc/self/exe");
  ASSERT_TRUE(own);
  const auto facts = facts_of_elf(*own);
  ASSERT_TRUE(facts) << facts.error().describe();
  Elf64_Ehdr header;
  std::memcpy(&header, own->data(), sizeof header);
  EXPECT_EQ(facts->machine, header.e_machine);
  EXPECT_GT(facts->code_bytes, uint64_t{100'000});
  EXPECT_TRUE(facts->amdgpu_metadata.empty());
  const std::string small = elf64_with_symbols({"query"}, {});
  for (size_t size = 0; size < small.size(); ++size)
    (void)facts_of_elf(std::string_view(small).substr(0, size));
}

// Its symbols are taken for code, which has their size.
std::string elf_with_code() {
  std::string elf = elf64_with_symbols({"query"}, {});
  elf[elf.size() - 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags)] = SHF_EXECINSTR;
  return elf;
}

// Without a tool, and without the constants of the module, whatever these are.
TEST(CodeFacts, AnArtifactsCodeIsThatOfItsExecutables) {
  const std::string elf = elf_with_code();
  constexpr uint64_t kCode = 2 * sizeof(Elf64_Sym);
  ASSERT_EQ(facts_of_elf(elf)->code_bytes, kCode);
  EXPECT_EQ(code_bytes_of(archive_of({{"module.fb", elf},
                                      {"main_embedded_elf_x86_64.so", elf},
                                      {"main_rocm_hsaco_fb.fb", "a buffer with " + elf}},
                                     true)),
            2 * kCode);
  EXPECT_EQ(code_bytes_of(archive_of(
                {{"module.fb", "abc"}, {"main_cuda_nvptx_fb.fb", "\n.version 7.6\n"}}, true)),
            std::nullopt)
      << "the driver makes it";
  EXPECT_EQ(code_bytes_of("no archive"), std::nullopt);
}

TEST(CodeFacts, WithoutAToolSayWhatIsMissing) {
  const std::string archive = archive_of(
      {{"module.fb", "abc"},
       {"main_cuda_nvptx_fb.fb",
        std::string("CUDA\0\n.version 7.6\n.target sm_80\n\tmma.sync.x\n\twmma.mma.y\n\tadd\n\0z",
                    62)}},
      true);
  const Json facts = code_facts(archive, {});
  ASSERT_EQ(facts.size(), 1u) << facts;
  EXPECT_EQ(facts[0]["executable"], "main_cuda_nvptx_fb");
  EXPECT_EQ(facts[0]["matrix_instructions"], 2);
  EXPECT_EQ(facts[0]["failed"], "there is no ptxas, which comes with CUDA and with Triton");
  EXPECT_TRUE(code_facts("no archive", {}).empty());
}

TEST(CodeFacts, ToolsGoThroughJson) {
  const CodeTools tools{"/cuda/ptxas", {{Isa::riscv, "/bin/x-objdump"}}};
  const CodeTools read = code_tools_from_json(to_json(tools));
  EXPECT_EQ(read.ptxas, tools.ptxas);
  EXPECT_EQ(read.objdump, tools.objdump);
  const CodeTools none = code_tools_from_json({{"ptxas", 3}, {"objdump", {1, 2}}});
  EXPECT_EQ(none.ptxas, "");
  EXPECT_TRUE(none.objdump.empty());
}

}  // namespace
}  // namespace assay
