#include "measure/instruction_mix.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// As GNU objdump prints it: a scalar loop, a function with two loops in each other, and an end.
constexpr const char* kListing = R"(
candidate.so:     file format elf64-x86-64

Disassembly of section .text:

0000000000001100 <copy>:
    1100:	mov    (%rsi),%eax
    1102:	mov    %eax,(%rdi)
    1104:	jne    1100 <copy>
    1106:	ret

0000000000001110 <assay_kernel>:
    1110:	push   %rbp
    1114:	xor    %eax,%eax
    1118:	lea    0x0(,%rax,4),%rcx
    1120:	vmovups (%rdi,%rax,1),%ymm0
    1125:	vfmadd213ps (%rsi,%rax,1),%ymm1,%ymm0
    112b:	vdivps %ymm2,%ymm0,%ymm0
    112f:	vmovups %ymm0,(%rdx,%rax,1)
    1134:	add    $0x20,%rax
    1138:	cmp    %r8,%rax
    113b:	jne    1120 <assay_kernel+0x10>
    113d:	movss  (%rsi),%xmm0
    1141:	mulss  %xmm1,%xmm0
    1145:	call   1050 <expf@plt>
    114a:	movss  %xmm0,(%rdx)
    114e:	jb     113d <assay_kernel+0x2d>
    1150:	cmp    %r9,%rcx
    1153:	jb     1118 <assay_kernel+0x8>
    1155:	ret
)";

TEST(InstructionMix, IsThatOfTheInnerLoopThatComputesMost) {
  const auto mix = inner_loop(kListing);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->function, "assay_kernel");
  EXPECT_EQ(mix->instructions, 7u);
  EXPECT_EQ(mix->packed, 2u);
  EXPECT_EQ(mix->scalar, 0u);
  EXPECT_EQ(mix->fused, 1u);
  EXPECT_EQ(mix->divisions, 1u);
  EXPECT_EQ(mix->loads, 2u);
  EXPECT_EQ(mix->stores, 1u);
  EXPECT_EQ(mix->branches, 1u);
  EXPECT_EQ(mix->widest_bits, 256);
  EXPECT_EQ(mix_in_words(to_json(*mix)),
            "Its inner loop has 7 instructions: 2 of floating-point arithmetic on vectors of 256 "
            "bits, 2 loads and 1 stores. 1 of these are divisions or roots, which take many times "
            "as long.");
}

TEST(InstructionMix, SaysWhatKeepsALoopFromVectors) {
  std::string listing = kListing;
  listing.erase(listing.find("    1120:"), listing.find("    113d:") - listing.find("    1120:"));
  const auto mix = inner_loop(listing);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->scalar, 1u);
  EXPECT_EQ(mix->calls, 1u);
  const std::string words = mix_in_words(to_json(*mix));
  EXPECT_TRUE(words.contains("It is not vectorised.")) << words;
  EXPECT_TRUE(words.contains("It calls expf.")) << words;
}

TEST(InstructionMix, OfWhatDoesNotComputeThereIsNone) {
  EXPECT_FALSE(inner_loop(""));
  EXPECT_FALSE(
      inner_loop("0000000000001100 <copy>:\n    1100:\tmov    (%rsi),%eax\n"
                 "    1104:\tjne    1100 <copy>\n"));
  EXPECT_FALSE(inner_loop("garbage: \t\n:\t\n>:\n   zz:\tadd\n"));
}

}  // namespace
}  // namespace assay
