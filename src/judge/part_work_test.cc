#include "judge/part_work.h"

#include <gtest/gtest.h>

#include "fakes/calibration.h"
#include "measure/call_parts.h"

namespace assay {
namespace {

Json parts_of(PartKind kind, std::optional<int64_t> bytes) {
  CallParts parts{.kind = kind, .by = "somebody", .calls = 3, .call_ns = 5000};
  parts.parts = {{.name = "product", .median_ns = 4000, .flops = 2'000'000, .bytes = bytes},
                 {.name = "look up", .median_ns = 500}};
  return to_json(parts);
}

TEST(PartWork, DispatchesHaveTheBytesOfTheProgram) {
  Json counted{{"iree-profile", parts_of(PartKind::dispatch, std::nullopt)},
               {"perf", {{"instructions", 3}}}};
  const Json before = counted["perf"];
  add_work(counted, Json{{"product", 4096}, {"another", 5}}, "f32", 2, nullptr);
  EXPECT_EQ(counted["iree-profile"]["parts"][0]["bytes"], 4096);
  EXPECT_EQ(counted["iree-profile"]["parts"][0]["bound_ns"], nullptr);
  EXPECT_EQ(counted["iree-profile"]["parts"][1]["bytes"], nullptr);
  EXPECT_EQ(counted["perf"], before);
}

// Two cores of the machine, which compute at twice the rate.
Calibration two_cores() {
  Calibration machine = fake_calibration();
  machine.machine.threads = 2;
  machine.compute.push_back({"f32", 2, {1e11, 1e11, 15, "FMA"}});
  return machine;
}

Json bound_of(PartKind kind, int64_t bytes, const std::string& type = "f32") {
  const Calibration machine = two_cores();
  Json counted{{"it", parts_of(kind, bytes)}};
  add_work(counted, nullptr, type, 2, &machine);
  return counted["it"]["parts"][0]["bound_ns"];
}

// More cores compute an operator, and one a dispatch: IREE's tool has no others.
TEST(PartWork, TheBoundIsOfThisMachine) {
  EXPECT_EQ(bound_of(PartKind::dispatch, 64), 40'000);   // 2 MFLOP at 50 GFLOP/s
  EXPECT_EQ(bound_of(PartKind::operator_, 64), 20'000);  // by two cores
  EXPECT_NEAR(bound_of(PartKind::dispatch, 1 << 30).get<double>(), 107e6, 1e6);  // 10 GB/s
}

// Nobody has measured how fast such numbers are multiplied: what they move is no bound of products.
TEST(PartWork, TypesWithoutAPeakHaveNoBound) {
  for (const char* type : {"i32", "f16"})
    EXPECT_EQ(bound_of(PartKind::dispatch, 64, type), nullptr) << type;
}

TEST(PartWork, WhatIsNoNumberIsNoSize) {
  for (const Json& odd : {Json("many"), Json::array(), Json(-5), Json(1e300), Json()}) {
    Json counted{{"it", parts_of(PartKind::dispatch, std::nullopt)}};
    const Calibration machine = two_cores();
    add_work(counted, Json{{"product", odd}}, "f32", 2, &machine);
    EXPECT_TRUE(counted["it"]["parts"][0]["bound_ns"].is_null()) << odd;
  }
}

}  // namespace
}  // namespace assay
