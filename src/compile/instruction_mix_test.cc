#include "compile/instruction_mix.h"

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

// Of these fields of to_json().
void expect_mix(const std::optional<InstructionMix>& mix, const Json& fields) {
  ASSERT_TRUE(mix);
  const Json found = to_json(*mix);
  for (const auto& [name, value] : fields.items()) EXPECT_EQ(found[name], value) << name;
}

TEST(InstructionMix, IsThatOfTheInnerLoopThatComputesMost) {
  const auto mix = inner_loop(kListing);
  expect_mix(mix, {{"function", "assay_kernel"},
                   {"instructions", 7},
                   {"packed", 2},
                   {"scalar", 0},
                   {"fused", 1},
                   {"divisions", 1},
                   {"loads", 2},
                   {"stores", 1},
                   {"branches", 1},
                   {"widest_bits", 256}});
  EXPECT_EQ(mix_in_words(to_json(*mix)),
            "Its inner loop has 7 instructions: 2 of floating-point arithmetic on vectors of 256 "
            "bits, 2 loads and 1 stores. 1 of these are divisions or roots, which take many times "
            "as long.");
}

TEST(InstructionMix, WhatIsBroadcastIsLoaded) {
  const auto mix = inner_loop(
      "0000000000000100 <dispatch>:\n"
      "     100:\tvfmadd231ps (%rax,%rcx,4){1to16},%zmm1,%zmm2\n"
      "     108:\tvmovups %zmm2,(%rdx){%k1}\n"
      "     110:\tjne    100 <dispatch>\n");
  expect_mix(mix, {{"loads", 1}, {"stores", 1}, {"widest_bits", 512}});
}

// LLVM's objdump has spaces before the tab, and addresses that begin with 0x.
TEST(InstructionMix, IsReadOfLlvmsListings) {
  expect_mix(inner_loop("a.so:\tfile format elf64-x86-64\n"
                        "0000000000001140 <f>:\n"
                        "    1140:      \tvmovss\t(%r8,%rax,4), %xmm0     # xmm0 = mem[0],zero\n"
                        "    1146:      \tvfmadd213ss\t(%rcx,%rax,4), %xmm1, %xmm0 # xmm0 = mem\n"
                        "    114c:      \tvmovss\t%xmm0, (%rcx,%rax,4)\n"
                        "    1151:      \tincq\t%rax\n"
                        "                                                # 0x2000 <t.c+0x2000>\n"
                        "    1157:      \tjne\t0x1140 <f+0x40>\n"),
             {{"function", "f"},
              {"instructions", 5},
              {"scalar", 1},
              {"fused", 1},
              {"loads", 2},
              {"stores", 1}});
  expect_mix(inner_loop("0000000000000580 <f>:\n"
                        "     580:      \tldr\ts1, [x1, x3, lsl #2]\n"
                        "     584:      \tfmadd\ts0, s1, s2, s0\n"
                        "     598:      \tb.ne\t0x580 <f+0x30>\n",
                        Isa::aarch64),
             {{"instructions", 3}, {"scalar", 1}, {"loads", 1}});
}

// Two loops one after the other in a third: what computes in the third alone is no inner loop's.
TEST(InstructionMix, IsOfLoopsInWhichNoOtherLies) {
  expect_mix(inner_loop("0000000000000100 <f>:\n"
                        "     100:\taddps  %xmm1,%xmm0\n"
                        "     104:\tmulps  %xmm1,%xmm0\n"
                        "     108:\taddss  %xmm1,%xmm0\n"
                        "     10c:\tjne    108 <f+0x8>\n"
                        "     110:\tmulss  %xmm1,%xmm0\n"
                        "     114:\taddss  %xmm1,%xmm0\n"
                        "     118:\tjne    110 <f+0x10>\n"
                        "     11c:\tjne    100 <f>\n"),
             {{"instructions", 3}, {"packed", 0}, {"scalar", 2}});
}

TEST(InstructionMix, SaysWhatKeepsALoopFromVectors) {
  std::string listing = kListing;
  listing.erase(listing.find("    1120:"), listing.find("    113d:") - listing.find("    1120:"));
  const auto mix = inner_loop(listing);
  expect_mix(mix, {{"scalar", 1}, {"calls", 1}});
  const std::string words = mix_in_words(to_json(*mix));
  EXPECT_TRUE(words.contains("It is not vectorised.")) << words;
  EXPECT_TRUE(words.contains("It calls expf.")) << words;
}

TEST(InstructionMix, IsReadOfArm) {
  const auto mix = inner_loop(
      "0000000000000100 <dispatch>:\n"
      "     100:\tldp\tq0, q1, [x8], #32\n"
      "     104:\tfmla\tv2.4s, v0.4s, v1.s[0]\n"
      "     108:\tfadd\ts3, s3, s4\n"
      "     10c:\tstr\tq2, [x9], #16\n"
      "     110:\tsubs\tx10, x10, #0x1\n"
      "     114:\tb.ne\t100 <dispatch>  // b.any\n"
      "     118:\ttbz\tw8, #0, 118 <dispatch+0x18>\n"
      "     11c:\tret\n",
      Isa::aarch64);
  expect_mix(mix, {{"instructions", 6},
                   {"packed", 1},
                   {"scalar", 1},
                   {"fused", 1},
                   {"loads", 1},
                   {"stores", 1},
                   {"branches", 1},
                   {"widest_bits", 128}});
}

TEST(InstructionMix, IsReadOfRiscV) {
  const auto mix = inner_loop(
      "0000000000000100 <dispatch>:\n"
      "     100:\tvle32.v\tv8,(a0)\n"
      "     104:\tflw\tfa0,0(a1)\n"
      "     108:\tvfmacc.vf\tv16,fa0,v8\n"
      "     10c:\tfmadd.s\tfa1,fa0,fa0,fa1\n"
      "     110:\tvse32.v\tv16,(a2)\n"
      "     114:\taddi\ta0,a0,16\n"
      "     118:\tbltu\ta0,a3,100 <dispatch>\n"
      "     11c:\tret\n",
      Isa::riscv);
  expect_mix(mix, {{"instructions", 7},
                   {"packed", 1},
                   {"scalar", 1},
                   {"fused", 2},
                   {"loads", 2},
                   {"stores", 1},
                   {"widest_bits", 0}});
  EXPECT_TRUE(
      mix_in_words(to_json(*mix)).contains("1 of floating-point arithmetic on vectors, 1 on"));
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
