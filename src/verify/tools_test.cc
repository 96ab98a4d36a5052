#include "verify/tools.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "verify/verify.h"

namespace assay {
namespace {

VerifyTools tools(std::vector<std::string> environment) {
  VerifyTools made;
  made.oracle.environment = std::move(environment);
  JailSpec jail;
  jail.level = Isolation::L2;
  jail.read_only = {"/usr"};
  jail.may_exec = true;
  made.limits.jail = jail;
  return made;
}

TEST(OracleJail, IsThatOfCandidatesAndHasWhatProblemsRead) {
  JailSpec jail = oracle_jail(tools({"PATH=/bin", "HOME=/home/you"}), "/home/you/suite/relu.py");
  EXPECT_EQ(jail.level, Isolation::L2);
  EXPECT_TRUE(jail.may_exec);
  EXPECT_EQ(jail.read_only,
            (std::vector<std::string>{"/usr", "/home/you/suite", "/home/you/.cache/huggingface"}));
}

TEST(OracleJail, TheHubIsWhereItWasPutAndGeneratedProblemsHaveNoFolder) {
  JailSpec jail = oracle_jail(tools({"HF_HOME=/data/hub", "HOME=/home/you"}), "op:matmul");
  EXPECT_EQ(jail.read_only, (std::vector<std::string>{"/usr", "/data/hub"}));
  EXPECT_EQ(oracle_jail(tools({}), "op:matmul").read_only, std::vector<std::string>{"/usr"});
}

TEST(OracleJail, LoadedWeightsAreThere) {
  const LoadedWeights weights{"/w", {"model.safetensors"}, "", {"/blobs", "/w"}};
  EXPECT_EQ(oracle_jail(tools({}), "op:matmul", &weights).read_only,
            (std::vector<std::string>{"/usr", "/blobs", "/w"}));
}

TEST(VerifyTools, AProblemThatTheJailShowsIsSaid) {
  EXPECT_EQ(shown_with(tools({}), "/usr/local/suite/relu.py"), "/usr");
  EXPECT_EQ(shown_with(tools({}), "/usr/../usr/relu.py"), "/usr");
  EXPECT_EQ(shown_with(tools({}), "/usrs/relu.py"), "");
  EXPECT_EQ(shown_with(tools({}), "op:matmul"), "");
  VerifyTools free = tools({});
  free.limits.jail->level = Isolation::L0;
  EXPECT_EQ(shown_with(free, "/usr/relu.py"), "");
}

TEST(VerifyTools, WhatOneJobMayTakeHoldsForItsJailsAndItsBuilds) {
  VerifyTools all = tools({});
  all.build_limits = all.header_limits = all.limits;
  VerifyTools its = tools_within(all, 2'000'000'000, 64 << 20);
  for (const Limits& limits : {its.limits, its.build_limits}) {
    EXPECT_EQ(limits.timeout_ns, 2'000'000'000);
    EXPECT_EQ(limits.jail->memory_bytes, uint64_t{64} << 20);
  }
  EXPECT_EQ(oracle_jail(its, "/p.py").memory_bytes, uint64_t{64} << 20);
  EXPECT_EQ(its.header_limits.jail->memory_bytes, all.header_limits.jail->memory_bytes)
      << "which is made for all";
}

TEST(VerifyTools, EachFormHasItsRunner) {
  VerifyJob job;
  const std::pair<const Form*, const Runner*> expected[] = {
      {&artifact_form(), &iree_runner()},
      {&python_form(), &python_runner()},
      {&c_form(), &native_runner()},
      {form_of_ending(".so"), &native_runner()}};
  for (const auto& [form, runner] : expected) {
    job.form = form;
    EXPECT_EQ(&job.runner(), runner) << form->title;
  }
  job.form = &python_form();
  job.candidate = "torch.compile(model)";
  EXPECT_EQ(&job.runner(), &inductor_runner());
  job.form = &c_form();
  EXPECT_EQ(&job.runner(), &native_runner());
}

}  // namespace
}  // namespace assay
