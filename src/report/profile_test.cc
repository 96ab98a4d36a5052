// What is said of times that are held against nothing, and formats of profilers.
#include "report/profile.h"

#include <gtest/gtest.h>

#include "report/example_run.h"
#include "report/format.h"
#include "report/ranking.h"
#include "report/run_reader.h"
#include "report/scores.h"

namespace assay {
namespace {

ReportInput profiled_run() {
  ReportInput input = example_run();
  input.run.settings.timing = TimingSettings{.against = {}, .profile = true};
  Attempt profiled = example_profiled(example_verified("product", "local"));
  Attempt wrong = example_profiled(example_verified("product_2", "local"));
  wrong.stages.resize(3);
  wrong.stages[2].status = StageStatus::rejected;
  wrong.stages[2].rule = "wrong";
  wrong.stages[2].error = "3 of 32 elements are wrong";
  wrong.profile.reset();
  wrong.verdict = verdict_of(wrong.stages);
  input.attempts = {profiled, wrong};
  return input;
}

std::string report_as(const char* format, const ReportInput& input) {
  return rendered(format_named(format), input).front().text;
}

TEST(Profile, IsNoOutcomeAndNoScore) {
  const ReportInput input = profiled_run();
  const Attempt& profiled = input.attempts.front();
  ASSERT_TRUE(check(profiled));
  EXPECT_EQ(outcome(profiled), std::nullopt);
  EXPECT_EQ(reached(profiled), "correct");
  const Json json = to_json(profiled);
  EXPECT_TRUE(json["outcome"].is_null());
  EXPECT_TRUE(json["timing"].is_null());
  EXPECT_EQ(json["profile"]["provisional"], true);
  const auto back = attempt_from_json(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, profiled);
  for (const Score& score : scores_of(input.attempts)) EXPECT_FALSE(score.is_timed());

  Attempt unverified = profiled;
  unverified.stages.erase(unverified.stages.begin() + 2);
  EXPECT_FALSE(check(unverified)) << "nothing is timed that was not verified";
  Attempt without = profiled;
  without.profile.reset();
  EXPECT_FALSE(check(without));
}

TEST(Profile, IsATableOfItsOwn) {
  ReportInput input = profiled_run();
  const std::string text = report_as("md", input);
  EXPECT_TRUE(text.contains("| time (profile) |")) << text;
  EXPECT_TRUE(text.contains("| 62 us | 61 us to 63.5 us | 60 us | 541 | 7.4 | 50.0 % | iree |"))
      << text;
  EXPECT_TRUE(text.contains("rejected (verify: wrong)")) << "a wrong one is a row";
  const std::string csv = report_as("csv", input);
  EXPECT_TRUE(csv.contains(",profile_median_ns,"));
  EXPECT_TRUE(csv.contains(",m=256 n=512 k=128 dtype=f16 layout=nn,")) << csv;
  EXPECT_FALSE(report_as("csv", example_run()).contains("profile_median_ns"));
  EXPECT_TRUE(csv.contains(",intensity,code_bytes,runner,")) << csv;
  EXPECT_TRUE(csv.contains(",458752,33554432,73.14285714285714,,iree,")) << csv;
  input.attempts.front().profile->code_bytes = 4321;
  EXPECT_TRUE(report_as("csv", input).contains(",73.14285714285714,4321,iree,"));
  const auto back = attempt_from_json(to_json(input.attempts.front()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->profile->code_bytes, 4321u);
}

TEST(Profile, SaysWhereAnotherRunnerHasFoundOtherTimes) {
  ReportInput input = profiled_run();
  input.attempts.front().profile->check = Profile::Check{"other", 900'000, /*agrees=*/false};
  EXPECT_TRUE(report_as("md", input).contains("| iree, disputed |")) << report_as("md", input);
  input.attempts.front().profile->check->agrees = true;
  EXPECT_FALSE(report_as("md", input).contains("disputed"));
}

TEST(Profile, OfASearchStandsBesideWhatItJudged) {
  ReportInput input = profiled_run();
  input.run.settings.timing = TimingSettings{.against = {"iree"}};
  Attempt winner = example_verified("product", "local");
  winner.author = "iree@winner";
  Speedup speedup;
  speedup.baseline = "iree";
  speedup.ratio = 1.5;
  input.attempts.push_back(example_timed(winner, speedup));
  EXPECT_TRUE(scores_of(input.attempts).empty()) << "it was picked: of it there are no shares";
  const std::string text = report_as("terminal", input);
  const size_t profile = text.find("TIME (PROFILE)");
  ASSERT_NE(profile, std::string::npos) << text;
  EXPECT_EQ(text.find("iree@winner"), text.rfind("iree@winner")) << text;
  EXPECT_LT(text.find("iree@winner"), profile) << text;
  EXPECT_LT(profile, text.find("62 us")) << text;
  EXPECT_EQ(ranking_rows(input.attempts).size(), 3u) << "head, winner and baseline";
}

TEST(ProfilerFormat, HasTheColumnsOfIreesProfiler) {
  ReportInput input = profiled_run();
  input.tags = {{"who", "me, myself"}};
  EXPECT_EQ(report_as("profiler", input),
            "who,Provider,op_kind,Operation,bytes,flops,batch_count,m,n,k,lhs,rhs,result,"
            "split_k_mode,split_k_slices,Tile config,Core class,Instruction class,Verification,"
            "Runtime(ms),GFLOPs\r\n"
            "\"me, myself\",IREE Codegen,matmul,matmul_256x512x128_f16t_f16t_f16t,458752,33554432,"
            "1,256,512,128,f16t,f16t,f16t,N/A,N/A,Default,Default,Default,SUCCESS,0.062,541.20\r\n"
            "\"me, myself\",IREE Codegen,matmul,matmul_256x512x128_f16t_f16t_f16t,458752,33554432,"
            "1,256,512,128,f16t,f16t,f16t,N/A,N/A,Default,Default,Default,FAILED,,Not run\r\n");
  input.attempts.front().author = "iree@tile_config_128x128_32x5_tensorcore_mmasync";
  EXPECT_TRUE(report_as("profiler", input)
                  .contains(",IREE Codegen,matmul,matmul_256x512x128_f16t_f16t_f16t,"));
  EXPECT_TRUE(report_as("profiler", input).contains(",128x128_32x5,tensorcore,mmasync,SUCCESS,"));
  input.attempts.front().author = "iree@tile_config_128x256_16x3_simt_ffma";
  EXPECT_TRUE(report_as("profiler", input).contains(",128x256_16x3,simt,ffma,SUCCESS,"));
}

TEST(ProfilerFormat, HasItsOwnNamesOfBatchesAndSlices) {
  ReportInput input = profiled_run();
  input.attempts.resize(1);
  input.attempts.front().operation->arguments = {{"b", "16"}, {"m", "8"},      {"n", "4"},
                                                 {"k", "32"}, {"slices", "2"}, {"dtype", "f16"}};
  EXPECT_TRUE(report_as("profiler", input).contains(",16,8,4,32,f16t,f16t,f16t,parallel,2,"))
      << report_as("profiler", input);
}

TEST(ProfilerFormat, FactorsAndResultAreColumnsOfProductsAlone) {
  ReportInput input = profiled_run();
  input.attempts.resize(1);
  auto columns = [&](const char* kind, const std::vector<std::string>& tensors) {
    input.attempts.front().operation->kind = kind;
    input.attempts.front().operation->tensors = tensors;
    const std::string text = report_as("profiler", input);
    const size_t begin = text.find(",1,256,512,128,") + 15, end = text.find(",N/A,N/A,");
    return begin < end ? text.substr(begin, end - begin) : text;
  };
  EXPECT_EQ(columns("matmul", {"f16n", "f16t", "f32t"}), "f16n,f16t,f32t");
  EXPECT_EQ(columns("matmul", {"f16n", "f16t", "f32t", "f32t"}), "f16n,f16t,f32t")
      << "what it is added to is no factor";
  EXPECT_EQ(columns("matmul_bias", {"f16t", "f16t", "f16t", "f32t"}), "f16t,f16t,f32t");
  EXPECT_EQ(columns("norm_matmul", {"f16t", "f64t", "bf16t", "f32t"}), "f16t,bf16t,f32t");
  EXPECT_EQ(columns("elementwise", {"f32t", "f32t", "f32t"}), ",,");
  EXPECT_EQ(columns("gather", {"f32t", "s64t", "f32t"}), ",,");
  EXPECT_EQ(columns("matmul", {"f16t"}), ",,") << "a record of somebody's making";
  EXPECT_EQ(columns("of another assay", {"f16t", "f16t", "f16t"}), ",,");
  EXPECT_TRUE(report_as("profiler-text", input).contains(" --dtype=f16 --layout=nn"))
      << "what no tensor says is said by its key";
}

TEST(Profile, IsAmongThePropertiesOfATestCase) {
  const std::string text = report_as("junit", profiled_run());
  EXPECT_TRUE(text.contains("<property name=\"profile_median_ns\" value=\"62000\"/>")) << text;
}

TEST(ProfilerFormat, HasTheBlockOfIreesProfiler) {
  ReportInput input = profiled_run();
  input.attempts.resize(1);
  EXPECT_EQ(report_as("profiler-text", input),
            "----------------------------------------------------------------\n"
            "Dispatch      : matmul_256x512x128_f16t_f16t_f16t_tile_config_default\n"
            "Provider      : IREE Codegen\n"
            "OpKind        : OperationKind.Matmul\n"
            "Operation     : matmul_256x512x128_f16t_f16t_f16t\n"
            "Configuration : tile_config_default\n"
            "Arguments     : --batch_count=1 --m=256 --n=512 --k=128 --lhs=f16t --rhs=f16t "
            "--result=f16t\n"
            "                --split_k_mode=N/A --split_k_slices=N/A\n"
            "Verification  : SUCCESS\n"
            "Runtime(ms)   : 0.062\n"
            "GFLOPs        : 541.20\n"
            "----------------------------------------------------------------\n");
}

TEST(ProfilerFormat, SaysOfWhatHasNoTimeInItsBlockWhatTheProfilerSays) {
  ReportInput input = profiled_run();
  input.attempts.erase(input.attempts.begin());
  const std::string text = report_as("profiler-text", input);
  EXPECT_TRUE(text.contains("Runtime(ms)   : Not profiled\nGFLOPs        : Not profiled\n"))
      << text;
  EXPECT_TRUE(report_as("profiler", input).ends_with(",FAILED,,Not run\r\n"))
      << "in the file it says that otherwise";
}

TEST(ProfilerFormat, KindsHaveTheNamesOfTheProfilersCode) {
  ReportInput input = profiled_run();
  auto has = [&](const char* kind, const char* words) {
    input.attempts.front().operation->kind = kind;
    return report_as("profiler-text", input)
        .contains(std::string("\nOpKind        : OperationKind.") + words + "\n");
  };
  EXPECT_TRUE(has("matmul_splitk", "SplitkMatmul"));
  EXPECT_TRUE(has("batch_matmul", "BatchMatmul"));
  EXPECT_TRUE(has("conv2d", "Conv2d"));
}

TEST(CutlassFormat, HasItsColumns) {
  const std::string text = report_as("cutlass", profiled_run());
  EXPECT_TRUE(
      text.starts_with("Problem,Provider,OperationKind,Operation,Disposition,Status,"
                       "batch_count,m,n,k,lhs,rhs,result,split_k_mode,split_k_slices,"
                       "Bytes,Flops,Flops/Byte,Runtime,GB/s,GFLOPs\r\n"))
      << text;
  EXPECT_TRUE(text.contains(",passed,success,")) << text;
  EXPECT_TRUE(text.contains(",458752,33554432,73.1429,0.062,7.39923,541.201\r\n")) << text;
  EXPECT_TRUE(text.contains(",incorrect,success,")) << text;
}

TEST(GoogleBenchmarkFormat, HasAnErrorWhereThereIsNoTime) {
  const Json json = *parse_json(report_as("google-benchmark", profiled_run()), "the report");
  ASSERT_EQ(json["benchmarks"].size(), 5u);
  const Json& median = json["benchmarks"][0];
  EXPECT_EQ(median["aggregate_name"], "median");
  EXPECT_EQ(median["real_time"], 62'000);
  EXPECT_EQ(median["time_unit"], "ns");
  const Json& wrong = json["benchmarks"][4];
  EXPECT_EQ(wrong["error_occurred"], true);
  EXPECT_EQ(wrong["error_message"], "rejected (verify: wrong)");
  EXPECT_FALSE(wrong.contains("real_time"));
}

// Windows of one attempt: a warm-up of two calls, and three that count.
struct Windows : RunReader {
  Result<std::vector<WindowRecord>> windows(const std::string&) override {
    std::vector<WindowRecord> found(5);
    found[0].use = WindowUse::null;
    found[0].cpu_ns = found[0].wall_ns = 500'000;
    found[1].use = WindowUse::warm_up;
    found[1].calls = 2;
    for (size_t i = 2; i < found.size(); ++i)
      found[i].cpu_ns = found[i].wall_ns = static_cast<int64_t>(i) * 1'000'000;
    return found;
  }
  std::optional<std::string> text(const std::string&) override { return std::nullopt; }
};

TEST(LatencyFormat, HasATimeOrWhatStandsInItsWay) {
  ReportInput input = profiled_run();
  Attempt unsupported = example_verified("product_3", "local");
  unsupported.stages.resize(1);
  unsupported.stages[0].status = StageStatus::unsupported;
  unsupported.stages[0].error = "it returns no tensor";
  unsupported.artifacts.clear();
  unsupported.verdict = verdict_of(unsupported.stages);
  Attempt untimed = example_verified("product_4", "local");
  const Attempt timed = example_timed(example_verified("product_5", "local"),
                                      {"eager", 2, 1.9, 2.1, Outcome::faster, "", {}, {}});
  input.attempts.insert(input.attempts.end(), {unsupported, untimed, timed});
  for (Attempt& each : input.attempts) each.finished = "2026-11-27T12:00:00Z";
  Windows windows;
  input.reader = &windows;
  input.tags = {{"who", "me"}};
  EXPECT_EQ(report_as("latency", input),
            "who,timestamp,model,device,ms,warmup,iters,mean,median,min,max,author,level\r\n"
            "me,2026-11-27T12:00:00Z,product,local,2.5,2,3,2.5,2.5,1.5,3.5,iree,level1\r\n"
            "me,2026-11-27T12:00:00Z,product_2,local,error: rejected (verify: wrong): 3 of 32 "
            "elements are wrong,,,,,,,iree,level1\r\n"
            "me,2026-11-27T12:00:00Z,product_3,local,unsupported,,,,,,,iree,level1\r\n"
            "me,2026-11-27T12:00:00Z,product_4,local,,,,,,,,iree,level1\r\n"
            "me,2026-11-27T12:00:00Z,product_5,local,2.5,2,3,2.5,2.5,1.5,3.5,iree,level1\r\n");
  input.reader = nullptr;
  EXPECT_TRUE(report_as("latency", input).contains(",product_5,local,2,,,,2,,,iree,level1\r\n"))
      << "without windows the attempt's own median is told";
  for (const char* size : {"tiny", "small"}) {
    input.attempts = {timed};
    input.attempts[0].level = size;
    EXPECT_TRUE(report_as("latency", input).ends_with(std::string(",iree,") + size + "\r\n"));
  }
}

}  // namespace
}  // namespace assay
