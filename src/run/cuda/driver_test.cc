// The driver is found or not, and the card behind it, by a library that simulates both.
#include "run/cuda/driver.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "fakes/simulated_card.h"
#include "fakes/temporary_folder.h"
#include "run/cuda/card.h"
#include "run/cuda/context.h"

namespace assay::cuda {
namespace {

// The simulated driver by a name of its own, under which nobody has opened it yet.
std::string linked(const TemporaryFolder& folder, const char* name) {
  std::string link = folder.path() + "/" + name;
  std::filesystem::create_symlink(built::kSimulatedCuda, link);
  return link;
}

std::string why_not(const std::string& library) {
  const SimulatedCard card(library);
  auto found = driver();
  if (found) return "it works";
  EXPECT_EQ(found.error().code, Code::unavailable);
  EXPECT_FALSE(found.error().next.empty());
  return found.error().message;
}

TEST(CudaDriver, IsTheOneThatIsNamed) {
  EXPECT_EQ(named_library(), std::nullopt);
  const SimulatedCard card;
  EXPECT_EQ(named_library(), built::kSimulatedCuda);
  auto found = driver();
  ASSERT_TRUE(found) << found.error().describe();
  EXPECT_EQ(*found, *driver());  // opened once
  EXPECT_EQ(driver_folder(), std::filesystem::canonical(built::kSimulatedCuda).parent_path());
}

TEST(CudaDriver, SaysWhyThereIsNone) {
  EXPECT_NE(why_not("/nowhere/libcuda.so").find("no CUDA driver: /nowhere/libcuda.so"),
            std::string::npos);
  EXPECT_EQ(why_not("libm.so.6"), "libm.so.6 has no cuInit: assay needs driver 525 or newer");
  const TemporaryFolder folder;
  SimulatedCard card;
  card.set("start_fails", 100);
  EXPECT_EQ(why_not(linked(folder, "does_not_start.so")),
            "the CUDA driver does not start: CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(why_not(linked(folder, "starts_later.so")), "it works");  // ~SimulatedCard mended it
}

TEST(CudaDriver, AnAnswerWithoutANameHasItsNumber) {
  const SimulatedCard card;
  EXPECT_EQ(name_of(**driver(), 2), "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(name_of(**driver(), 12345), "error 12345");
  EXPECT_TRUE(checked(**driver(), 0, "do nothing"));
  EXPECT_EQ(checked(**driver(), 2, "make room").error().message,
            "the GPU: cannot make room: CUDA_ERROR_OUT_OF_MEMORY");
}

TEST(CudaContext, IsMadeOnceAndEnteredByEachThread) {
  const SimulatedCard card;
  EXPECT_TRUE(enter_context());
  std::thread([] { EXPECT_TRUE(enter_context()); }).join();
}

TEST(CudaContext, WhatFailedOnceIsTriedAgain) {
  const TemporaryFolder folder;
  SimulatedCard card(linked(folder, "fails_once.so"));
  ASSERT_TRUE(driver());
  card.set("lost_after", 2);
  auto failed = enter_context();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message,
            "the GPU: cannot make a context on it: CUDA_ERROR_DEVICE_UNAVAILABLE");
  card.set("lost", 0);
  EXPECT_TRUE(enter_context());
}

TEST(CudaCard, IsWhatTheDriverSays) {
  const SimulatedCard simulated;
  auto card = find_card();
  ASSERT_TRUE(card) << card.error().describe();
  EXPECT_EQ(card->name, "simulated (no GPU)");
  EXPECT_EQ(card->gpu.kind, GpuKind::cuda);
  EXPECT_EQ(card->gpu.architecture, "sm_00");
  EXPECT_EQ(card->gpu.warp_threads, 32);
  EXPECT_EQ(card->gpu.shared_bytes, 48u << 10);
  EXPECT_EQ(card->node, 0);
  EXPECT_EQ(to_json(*card), (Json{{"name", "simulated (no GPU)"},
                                  {"architecture", "sm_00"},
                                  {"driver", "13.0"},
                                  {"memory_bytes", 1 << 30},
                                  {"l2_bytes", 1 << 20}}));
}

TEST(CudaCard, ADriverWithoutOneSaysSo) {
  SimulatedCard simulated;
  simulated.set("cards", 0);
  auto card = find_card();
  ASSERT_FALSE(card);
  EXPECT_EQ(card.error().message, "there is a CUDA driver, and no GPU");
}

// Whichever question it is that has no answer any more.
TEST(CudaCard, OneThatIsLostMeanwhileIsAnError) {
  SimulatedCard simulated;
  ASSERT_TRUE(driver());
  int failures = 0;
  for (uint64_t calls = 1;; ++calls, ++failures) {
    simulated.set("lost_after", calls);
    auto card = find_card();
    simulated.set("lost_after", 0);
    simulated.set("lost", 0);
    if (card) break;
    EXPECT_TRUE(card.error().message.starts_with("the GPU: cannot ")) << card.error().message;
    EXPECT_TRUE(card.error().message.ends_with(": CUDA_ERROR_DEVICE_UNAVAILABLE"));
  }
  EXPECT_GE(failures, 10);
}

TEST(CudaCard, ItsManagementSaysWhatItDoes) {
  SimulatedCard simulated;
  simulated.set("held_back_by", kHeldBackByPower);
  const CardReading reading = read_card();
  EXPECT_EQ(reading.processor_mhz, 1);
  EXPECT_EQ(reading.memory_mhz, 2);
  EXPECT_EQ(reading.temperature_c, 3);
  EXPECT_EQ(reading.power_mw, 4);
  EXPECT_EQ(reading.held_back_by, kHeldBackByPower);
  const CardState state = state_of_card();
  EXPECT_EQ(state.power_limit_mw, 5);
  EXPECT_EQ(state.corrects_errors, true);
  EXPECT_EQ(state.is_divided, std::nullopt);  // what it does not say is not known
  EXPECT_EQ(state.others, 0);
  EXPECT_EQ(state.driver, "0.simulated");
}

TEST(CudaCard, WithoutManagementNothingIsKnown) {
  const SimulatedCard simulated("libm.so.6");
  EXPECT_EQ(read_card().processor_mhz, std::nullopt);
  EXPECT_EQ(read_card().held_back_by, std::nullopt);
  EXPECT_EQ(state_of_card().others, std::nullopt);
  EXPECT_EQ(state_of_card().driver, "");
}

}  // namespace
}  // namespace assay::cuda
