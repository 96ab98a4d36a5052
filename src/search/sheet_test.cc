#include "search/sheet.h"

#include <gtest/gtest.h>

#include "fakes/calibration.h"
#include "fakes/fake_machine.h"

namespace assay {
namespace {

Target cpu() {
  Target target;
  target.title = "This machine's CPU";
  target.runner.kind = RunnerKind::native;
  return target;
}

FakeMachine machine_with(const std::string& features) {
  FakeMachine machine;
  machine.files.files["/proc/cpuinfo"] = "processor : 0\nflags : " + features + "\n";
  return machine;
}

TEST(Sheet, OfACpuThatIsCalibrated) {
  const Calibration calibration = fake_calibration();
  EXPECT_EQ(
      target_sheet(cpu(), machine_with("sse2 avx2 fma"), calibration.machine, &calibration, 1),
      "- CPU: CPU, 1 core; a kernel may use 1 thread.\n"
      "- Vectors: 256 bits: 16 registers of 8 floats (AVX2), with FMA.\n"
      "- Caches of a core: L1 32.0 KiB. Lines have 64 bytes.\n"
      "- Measured here, with 1 thread, at most: 50 GFLOP/s in f32.\n"
      "- Read and written together, at most: 100 GB/s from L1, 10 GB/s from main memory.\n"
      "- What does fewer than about 5 operations for each byte of main memory is limited by "
      "memory.");
}

TEST(Sheet, OfACpuThatIsNot) {
  MachineIdentity identity = fake_calibration().machine;
  identity.cores = {0, 1, 2, 3};
  identity.caches = {{3, 32 << 20, 4}};
  const std::string sheet =
      target_sheet(cpu(), machine_with("avx2 avx512f avx512_bf16"), identity, nullptr, 4);
  EXPECT_EQ(sheet,
            "- CPU: CPU, 4 cores; a kernel may use 4 threads.\n"
            "- Vectors: 512 bits: 32 registers of 16 floats (AVX-512), with BF16.\n"
            "- Caches of a core: L3 32.0 MiB shared by 4 cores. Lines have 64 bytes.");
}

TEST(Sheet, OfAGpu) {
  Target target;
  target.title = "NVIDIA A100";
  target.gpu = Gpu{GpuKind::cuda, "sm_80", 32, 166912, 108};
  target.peaks = Peaks{.operations_per_second = {{"f32", 19.5e12}, {"i8", 624e12}},
                       .bytes_per_second = 1555e9,
                       .source = "data sheet"};
  EXPECT_EQ(target_sheet(target, FakeMachine(), {}, nullptr, 1),
            "- NVIDIA A100.\n"
            "- Architecture sm_80; threads go in step by 32; a block shares at most 163.0 KiB of "
            "memory.\n"
            "- 108 multiprocessors: fewer blocks than that leave some idle.\n"
            "- By its data sheet, at most: 19.5 TFLOP/s in f32, 624 TOP/s in i8.\n"
            "- Its memory: 1.55 TB/s.\n"
            "- What does fewer than about 13 operations for each byte of main memory is limited by "
            "memory.");
  target.gpu->processors = 0;
  target.peaks.reset();
  EXPECT_EQ(target_sheet(target, FakeMachine(), {}, nullptr, 1).find("multiprocessors"),
            std::string::npos);
}

TEST(Sheet, OfATargetThatIsElsewhere) {
  Target target;
  target.title = "Arm Cortex-A72";
  EXPECT_EQ(target_sheet(target, FakeMachine(), {}, nullptr, 1), "- Arm Cortex-A72.");
}

}  // namespace
}  // namespace assay
