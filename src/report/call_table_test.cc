#include "report/call_table.h"

#include <gtest/gtest.h>

#include "compile/parameters.h"
#include "measure/dispatch_times.h"
#include "measure/operator_times.h"

namespace assay {
namespace {

std::string event(const std::string& key, int ns, int begin_ns = -1) {
  const std::string began =
      begin_ns < 0 ? "" : R"("start_host_time_ns":)" + std::to_string(begin_ns) + ",";
  return R"({"type":"host_dispatch_event","executable_id":1,"key":")" + key + R"(","flags":1,)" +
         began + R"("duration_ns":)" + std::to_string(ns) + R"(,"valid":true})" + "\n";
}

std::string events_of_calls(int calls) {
  std::string text = "{\"type\":\"dispatch_summary\"}\n";
  for (int i = 0; i < calls; ++i)
    text += event("once", 100 + i) + event("twice", 1000) + event("twice", 1000);
  return text;
}

TEST(DispatchTimes, WhatTakesMostOfACallIsFirst) {
  const Json counted =
      to_json(*read_dispatch_times(2500, 11, events_of_calls(11) + "no line of it\n{\"key\":"));
  EXPECT_EQ(counted["calls"], 11);
  ASSERT_EQ(counted["parts"].size(), 2u);
  EXPECT_EQ(counted["parts"][0]["name"], "twice");
  EXPECT_EQ(counted["parts"][0]["per_call"], 2);
  EXPECT_EQ(counted["parts"][1]["median_ns"], 105);
  EXPECT_EQ(counted["parts"][1]["low_ns"], 101);
  EXPECT_EQ(counted["parts"][1]["high_ns"], 109);
  EXPECT_EQ(counted["outside_ns"], 2500 - 2105);
  EXPECT_EQ(parts_in_words(counted),
            "Of a call's 2.5 us, 2.1 us is in 2 dispatches: 95 % twice, 5 % once.");
  const auto found = parts_found({{"iree-profile", counted}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counter, "iree-profile");
  const std::string lines = parts_in_lines(found->parts);
  EXPECT_TRUE(lines.contains("1 us x 2")) << lines;
  EXPECT_LT(lines.find("twice"), lines.find("once"));
  EXPECT_LT(lines.find("once"), lines.find("outside of dispatches"));
  EXPECT_TRUE(lines.contains("16 %")) << lines;  // outside: of the call, and not of its parts
}

TEST(DispatchTimes, AProductHasFlopsByTheSizesInItsName) {
  const std::pair<const char*, std::optional<int64_t>> names[] = {
      {"main$async_dispatch_3_matmul_64x32x48_f32", 2 * 64 * 32 * 48},
      {"main_dispatch_0_matmul_like_64x32x48_f32", 2 * 64 * 32 * 48},
      {"main_dispatch_12_conv_8x32x32x3x7x7_f32xf32", 2 * 8 * 32 * 32 * 3 * 7 * 7},
      {"main_dispatch_1_matmul_Dx32x48_f32", std::nullopt},
      {"main_dispatch_1_matmul_99999999x99999999x99999999_f32", std::nullopt},
      {"main_dispatch_1_elementwise_64x32_f32", std::nullopt},
      {"main_dispatch_1_slow_memcpy", std::nullopt}};
  for (const auto& [name, flops] : names) {
    const auto parts = read_dispatch_times(1, 1, event(name, 1));
    EXPECT_EQ(parts->parts.front().flops, flops) << name;
  }
}

TEST(DispatchTimes, OneUsualCallIsKeptInOrder) {
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += event("b", 10 * (i + 1), 1000 * i + 50) + event("a", 20, 1000 * i + 5);
  const auto parts = read_dispatch_times(100, 3, text);
  ASSERT_EQ(parts->one_call.size(), 2u);
  const auto call = one_call_from_json(with_one_call(*parts));
  ASSERT_EQ(call.size(), 2u);
  EXPECT_EQ(call[0].name, "a");
  EXPECT_EQ(call[0].begin_ns, 0);
  EXPECT_EQ(call[1].begin_ns, 45);
  EXPECT_EQ(call[1].ns, 20);
  EXPECT_FALSE(to_json(*parts).contains(kOneCall));
}

// A loop of equal steps is one dispatch, which each call runs as often as the loop has steps.
TEST(DispatchTimes, WhatEachCallRunsOftenIsOneCall) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += event("a", 100, 110 * i);
  const auto parts = read_dispatch_times(900, 10, text);
  EXPECT_EQ(parts->calls, 10u);
  EXPECT_EQ(parts->parts[0].per_call, 8);
  EXPECT_EQ(parts->parts_ns(), 800);
  EXPECT_EQ(parts->outside_ns(), 100);
  EXPECT_EQ(parts->one_call.size(), 8u);
}

TEST(DispatchTimes, ACallBeginsWithItsFirstDispatch) {
  std::string text = event("_initializer_0", 5, 0);
  for (int i = 1; i < 6; ++i) {
    int at = 10000 * i;  // calls are far apart
    for (const char* name : {"a", "a", "b", "c"}) text += event(name, 20, at += 30);
  }
  const auto parts = read_dispatch_times(200, 5, text);
  std::string order;
  for (const PartEvent& each : parts->one_call) order += each.name;
  EXPECT_EQ(order, "aabc");
  EXPECT_EQ(parts->one_call.back().begin_ns, 90) << "nothing of the time between calls";
}

TEST(DispatchTimes, OfWhatIsCutOffWholeCallsAreTaken) {
  std::string text = "{\"type\":\"dispatch_summary\",\"total_host_dispatches\":40}\n";
  for (int i = 0; i < 11; ++i) text += event("a", 100, 110 * i);
  const auto parts = read_dispatch_times(500, 10, text);  // four in each
  EXPECT_EQ(parts->calls, 2u);
  EXPECT_EQ(parts->parts[0].per_call, 4);
  EXPECT_EQ(parts->one_call.size(), 4u);
  const auto uneven = read_dispatch_times(500, 7, text);
  EXPECT_EQ(uneven->calls, 1u) << "as many of seven as there are of the events";
  EXPECT_TRUE(uneven->one_call.empty());
}

// An artifact runs beside what times it, and may write as it likes.
TEST(DispatchTimes, AreBoundedAsThoseOfOperatorsAre) {
  auto took = [](const std::string& key, const std::string& ns, const std::string& begin_ns) {
    return R"({"type":"host_dispatch_event","key":")" + key + R"(","start_host_time_ns":)" +
           begin_ns + R"(,"duration_ns":)" + ns + "}\n";
  };
  const std::string long_name = std::string(300, 'n') + "_matmul_2x3x4_f32";
  const auto parts = read_dispatch_times(
      100, 1,
      took("a", "1e300", "0") + took("a", "86400000000001", "0") + took("a", "inf", "0") +
          took(long_name, "86400000000000", "1790000000000000000"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->parts.size(), 1u);
  EXPECT_EQ(parts->parts[0].name, std::string(kMostPartNameBytes, 'n'));
  EXPECT_EQ(parts->parts[0].median_ns, kMostPartNs);
  EXPECT_EQ(parts->parts[0].flops, 2 * 2 * 3 * 4) << "of its whole name";
  ASSERT_EQ(parts->one_call.size(), 1u) << "a clock may have begun in 1970";
  EXPECT_EQ(parts->one_call[0].begin_ns, 0);
  const auto apart = read_dispatch_times(100, 1, took("a", "1", "0") + took("b", "1", "1e300"));
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->parts.size(), 2u);
  EXPECT_TRUE(apart->one_call.empty()) << "no call takes more than a day";
}

TEST(DispatchTimes, OfACallTheFirstTimeIsRead) {
  auto said = [](const std::string& benchmark) {
    return read_call_ns("it prints\n{\"context\": {}, \"benchmarks\": [1, {}, " + benchmark +
                        ", {\"cpu_time\": 5}]}\n");
  };
  EXPECT_EQ(said(R"({"cpu_time": 2.5, "time_unit": "ms"})"), 2.5e6);
  EXPECT_EQ(said(R"({"cpu_time": 2, "time_unit": "us"})"), 2000);
  EXPECT_EQ(said(R"({"cpu_time": 1, "time_unit": "s"})"), 1e9);
  EXPECT_EQ(said(R"({"cpu_time": 7})"), 7);
  EXPECT_EQ(said(R"({"cpu_time": "7"})"), 5);
  EXPECT_EQ(said(R"({"cpu_time": 7, "time_unit": 1})"), 7) << "an artifact may write it";
  EXPECT_EQ(said(R"({"cpu_time": -1})"), 0);
  EXPECT_EQ(said(R"({"cpu_time": 1e308, "time_unit": "s"})"), 0);
  for (const char* other : {"", "no", "{", "{}", "{\"benchmarks\": {}}", "{\"benchmarks\": []}"})
    EXPECT_EQ(read_call_ns(other), 0) << other;
}

TEST(DispatchTimes, ARecordWhoseTimesAreNoNumbersSaysNothing) {
  Json counted = to_json(*read_dispatch_times(2500, 3, events_of_calls(3)));
  EXPECT_TRUE(call_parts_from_json(counted));
  for (const char* field : {"per_call", "median_ns"}) counted["parts"][0][field] = 1e300;
  EXPECT_FALSE(call_parts_from_json(counted));
  counted["parts"][1]["median_ns"] = -1e300;
  counted["parts"][1]["per_call"] = 1e300;
  EXPECT_FALSE(call_parts_from_json(counted)) << "infinite less infinite";
}

TEST(DispatchTimes, WhatIreesAllocatorCountsIsTold) {
  const std::string text =
      "[[ iree_hal_allocator_t memory statistics ]]\n"
      "  HOST_LOCAL:            0B peak /           64B allocated /            0B freed / 64B "
      "live\n"
      "DEVICE_LOCAL:        81920B peak /      1753088B allocated /      1753088B freed / 0B "
      "live\n";
  const auto bytes = read_allocator_bytes("Device: local-sync\n" + text);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->device_peak, 81920u);
  EXPECT_EQ(bytes->device_all, 1753088u);
  EXPECT_EQ(bytes->host_all, 64u);
  CallParts parts = *read_dispatch_times(2500, 3, events_of_calls(3));
  EXPECT_EQ(to_json(parts)["allocator"], nullptr);
  EXPECT_FALSE(parts_in_lines(parts).contains("allocator"));
  parts.allocator = bytes;
  const auto kept = call_parts_from_json(to_json(parts));
  ASSERT_TRUE(kept && kept->allocator);
  EXPECT_EQ(kept->allocator->device_peak, 81920u);
  EXPECT_TRUE(parts_in_lines(*kept).contains(
      "device memory   80.0 KiB at most by IREE's allocator, of 1.7 MiB in all"))
      << parts_in_lines(*kept);
  Json older = to_json(parts);
  older.erase("allocator");
  EXPECT_TRUE(call_parts_from_json(older)) << "a record of a run before that was told";
  for (const char* other :
       {"", "HOST_LOCAL: 1B peak / 2B allocated", "DEVICE_LOCAL: -1B peak",
        "HOST_LOCAL: 1B peak / 2B allocated\nDEVICE_LOCAL: 9999999999999999999B "
        "peak / 2B allocated"})
    EXPECT_FALSE(read_allocator_bytes(other)) << other;
}

TEST(DispatchTimes, AKindOfPartHasTwoWords) {
  for (size_t i = 0; i < std::size(kPartKindWords); ++i) {
    EXPECT_EQ(static_cast<size_t>(kPartKindWords[i].value), i);
    EXPECT_EQ(from_word(kPartKindWords, kPartKindWords[i].word), kPartKindWords[i].value);
  }
  EXPECT_EQ(to_word(kPartKindWords, static_cast<PartKind>(std::size(kPartKindWords))), "?");
  EXPECT_EQ(plural(PartKind::dispatch), "dispatches");
  EXPECT_EQ(plural(PartKind::operator_), "operators");
}

TEST(DispatchTimes, OfNothingThereIsNothing) {
  EXPECT_FALSE(read_dispatch_times(1, 1, ""));
  EXPECT_FALSE(read_dispatch_times(1, 1, event("a", -1)));
  EXPECT_FALSE(read_dispatch_times(1, 0, event("a", 1))) << "of nobody knows how many calls";
  for (const Json& other :
       {Json(), Json::array(), Json{{"iree-profile", 1}},
        Json{{"iree-profile", {{"part", "dispatch"}, {"parts", {1, nullptr}}}}}})
    EXPECT_FALSE(parts_found(other)) << other;
  EXPECT_EQ(parts_in_words({{"parts", 1}}), "");
}

TEST(DispatchTimes, OfThousandsTheSmallestAreLeftOutAndStillSummedUp) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += event("d" + std::to_string(i), 100 + i);
  const auto parts = read_dispatch_times(1e6, 1, text);
  const Json counted = to_json(*parts);
  EXPECT_EQ(counted["parts"].size(), 64u);
  EXPECT_EQ(counted["left_out"], 36);
  EXPECT_EQ(counted["left_out_ns"], 36 * 100 + 35 * 36 / 2);
  EXPECT_EQ(counted["parts"][0]["name"], "d99");
  EXPECT_EQ(parts->parts_ns(), 100 * 100 + 99 * 100 / 2);
  EXPECT_TRUE(parts_in_lines(parts_found({{"iree-profile", counted}})->parts).contains("88 more"));
}

// As python/assay_worker/operators.py writes it.
Json written_operators() {
  return {{"by", "profiler"},
          {"plain_ns", {1000, 1100, 1050}},
          {"operators",
           {{{"name", "addmm 4 2x3 3x4 f32"}, {"flops", 48}, {"bytes", 136}},
            {{"name", "relu 2x4 f32"}, {"flops", nullptr}, {"bytes", 64}}}},
          {"calls",
           {{{"call_ns", 1200}, {"operators", {{0, 0, 500}, {1, 600, 100}, {1, 800, 100}}}},
            {{"call_ns", 1300}, {"operators", {{0, 0, 520}, {1, 600, 110}, {1, 800, 110}}}},
            {{"call_ns", 9000}, {"operators", {{0, 0, 540}, {1, 600, 120}, {1, 800, 120}}}}}}};
}

TEST(OperatorTimes, AreTheSameTableAsDispatches) {
  const auto parts = read_operator_times(dump_json(written_operators()));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->call_ns, 1050);
  ASSERT_EQ(parts->parts.size(), 2u);
  EXPECT_EQ(parts->parts[0].median_ns, 520);
  EXPECT_EQ(parts->parts[0].flops, 48);
  EXPECT_EQ(parts->parts[1].per_call, 2);
  EXPECT_EQ(parts->outside_ns(), 1050 - 520 - 220);
  ASSERT_EQ(parts->one_call.size(), 3u);
  EXPECT_EQ(parts->one_call[0].ns, 520);
  const Json counters{{"torch", with_one_call(*parts)}};
  EXPECT_EQ(parts_in_words(counters["torch"]),
            "Of a call's 1.05 us, 740 ns is in torch's operators, 2 of them: 70 % addmm 4 2x3 3x4 "
            "f32, 30 % relu 2x4 f32.");
  const auto found = parts_found(counters);
  ASSERT_TRUE(found);
  const std::string lines = parts_in_lines(found->parts);
  EXPECT_TRUE(lines.contains("48 FLOP")) << lines;
  EXPECT_TRUE(lines.contains("outside of operators")) << lines;
  EXPECT_EQ(parts_in_cells(found->parts)["rows"].size(), 3u);
}

TEST(OperatorTimes, AProcessMaySayAnything) {
  EXPECT_FALSE(read_operator_times(""));
  EXPECT_FALSE(read_operator_times("[1]"));
  for (const char* list : {"plain_ns", "operators", "calls"})
    for (const Json& wrong : {Json(), Json(1), Json::array(), Json{1, "a"}, Json{{{"a", 1}}}}) {
      Json written = written_operators();
      written[list] = wrong;
      EXPECT_FALSE(read_operator_times(dump_json(written))) << list << wrong;
    }
  for (const Json& wrong : {Json{7, 0, 1}, Json{-1, 0, 1}, Json{0, -1, 1}, Json{0, 0, 1e300},
                            Json{0, 0}, Json{"a", 0, 1}}) {
    Json written = written_operators();
    written["calls"][0]["operators"][0] = wrong;
    EXPECT_FALSE(read_operator_times(dump_json(written))) << wrong;
  }
}

TEST(Parameters, AreNamedOnceWithTheirTypes) {
  const std::string text =
      "util.global private @a = #flow.parameter.named<\"model\"::\"x.weight\"> : tensor<4x8xf32>\n"
      "util.global private @b = #flow.parameter.named<\"model\"::\"n\"> : tensor<i64>\n"
      "util.global private @c = #flow.parameter.named<\"model\"::\"x.weight\"> : tensor<4x8xf32>\n"
      "#flow.parameter.named<\"model\"::\"odd\\22\"> : tensor<f32>\n"
      "#flow.parameter.named<\"model\"::\"cut";
  const std::vector<NamedParameter> wanted{{"x.weight", "4x8xf32"}, {"n", "i64"}};
  EXPECT_EQ(parameters_of(text), wanted);
  EXPECT_TRUE(parameters_of("").empty());
}

}  // namespace
}  // namespace assay
