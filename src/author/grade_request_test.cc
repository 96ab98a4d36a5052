#include "author/grade_request.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(GradeRequest, HasACandidateItsProblemAndWhatHoldsForIt) {
  Json id;
  auto request = read_grade_request(
      R"({"id": 7, "problem": "gelu.py", "code": "int f;", "language": "c", "precision": "bf16",
          "mode": "train", "target": "a100", "timeout_s": 1.5, "memory_bytes": 600000000, "seed": null, "time": false})",
      "line 1", id);
  ASSERT_TRUE(request) << request.error().describe();
  EXPECT_EQ(id, 7);
  EXPECT_EQ(request->id, 7);
  EXPECT_EQ(request->problem, "gelu.py");
  EXPECT_EQ(request->candidate.form, &c_form());
  EXPECT_EQ(*request->candidate.code, "int f;");
  EXPECT_EQ(request->precision, Precision::bf16);
  EXPECT_EQ(request->mode, "train");
  EXPECT_EQ(request->target, "a100");
  EXPECT_EQ(request->timeout_ns, 1'500'000'000);
  EXPECT_EQ(request->memory_bytes, 600'000'000u);
  EXPECT_EQ(request->time, false);
  EXPECT_EQ(request->seed, "");
}

TEST(GradeRequest, MayBringItsProblemAndAnAnswerWithCodeInIt) {
  Json id;
  auto request = read_grade_request(
      R"({"problem_code": "class Model: pass", "text": "```python\nclass ModelNew: pass\n```"})",
      "line 1", id);
  ASSERT_TRUE(request) << request.error().describe();
  EXPECT_TRUE(id.is_null());
  EXPECT_EQ(request->problem_code, "class Model: pass");
  EXPECT_EQ(*request->candidate.code, "class ModelNew: pass\n");
  EXPECT_FALSE(request->timeout_ns || request->memory_bytes || request->precision || request->time);
}

TEST(GradeRequest, ALineThatIsNoneSaysWhatIsWrong) {
  const std::pair<const char*, const char*> expected[] = {
      {"", "line 3"},
      {"[]", "no JSON object"},
      {R"({"code": "x"})", "neither 'problem'"},
      {R"({"problem": "a.py"})", "neither 'code' nor 'text'"},
      {R"({"problem": "a.py", "problem_code": "b", "code": "x"})", "both"},
      {R"({"problem": "a.py", "code": "x", "text": "y"})", "both 'code' and 'text'"},
      {R"({"problem": "a.py\u0000x", "code": "x"})", "'problem' is no path"},
      {R"({"problem": 3, "code": "x"})", "'problem' is not a string"},
      {R"({"problem": "a.py", "code": "x", "id": [1]})", "'id' is neither"},
      {R"({"problem": "a.py", "code": "x", "timeout": 3})", "it has 'timeout'; known are id,"},
      {R"({"problem": "a.py", "code": "x", "timeout_s": 0})", "'timeout_s' is no number"},
      {R"({"problem": "a.py", "code": "x", "timeout_s": "5m"})", "'timeout_s' is no number"},
      {R"({"problem": "a.py", "code": "x", "timeout_s": 1e300})", "'timeout_s' is no number"},
      {R"({"problem": "a.py", "code": "x", "memory_bytes": 0})",
       "'memory_bytes' is 0, and a process needs 33554432 at least"},
      {R"({"problem": "a.py", "code": "x", "memory_bytes": 1.5})", "'memory_bytes'"},
      {R"({"problem": "a.py", "code": "x", "precision": "f8"})", "'precision' is 'f8'"},
      {R"({"problem": "a.py", "code": "x", "time": 3})", "'time'"},
      {R"({"problem": "a.py", "code": "x", "mode": "test"})", "can be eval or train"},
      {R"({"problem": "a.py", "code": "x", "language": "perl"})",
       "can be python, c, cpp, cuda or hip"},
      {R"({"problem": "a.py", "code": "x", "seed": "12"})", "'seed' has not 64"},
  };
  for (const auto& [line, what] : expected) {
    Json id;
    auto read = read_grade_request(line, "line 3", id);
    ASSERT_FALSE(read) << line;
    EXPECT_NE(read.error().message.find(what), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find("line 3"), std::string::npos) << read.error().message;
  }
}

TEST(GradeRequest, CancelsByAnIdAlone) {
  Json id;
  auto request = read_grade_request(R"({"id": 7, "cancel": true})", "line 1", id);
  ASSERT_TRUE(request) << request.error().describe();
  EXPECT_TRUE(request->cancels);
  EXPECT_EQ(request->id, 7);
  for (const char* line : {R"({"cancel": true})", R"({"id": 7, "cancel": false})",
                           R"({"id": 7, "cancel": 1})", R"({"id": null, "cancel": true})",
                           R"({"id": 7, "cancel": true, "problem": "a.py", "code": "x"})"})
    EXPECT_FALSE(read_grade_request(line, "line 1", id)) << line;
}

TEST(GradeRequest, WhatIsWrongIsToldByItsId) {
  Json id;
  EXPECT_FALSE(read_grade_request(R"({"id": "a", "code": 3})", "line 1", id));
  EXPECT_EQ(id, "a");
}

}  // namespace
}  // namespace assay
