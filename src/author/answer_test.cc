#include "author/answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

Candidate taken(const std::string& text) {
  Candidate candidate;
  take_code_of_answer(text, candidate);
  return candidate;
}

TEST(Answer, TheLastBlockWithAModelIsTheCandidate) {
  Candidate candidate = taken(R"(First try:
```python
class ModelNew: first
```
Better:
~~~~ Python title="x"
class ModelNew: second
```
~~~
~~~~
and how to call it:
```python
ModelNew()(x)
```
)");
  EXPECT_EQ(candidate.form, &python_form());
  ASSERT_TRUE(candidate.code);
  EXPECT_EQ(*candidate.code, "class ModelNew: second\n```\n~~~\n");
}

TEST(Answer, AByteOrderMarkIsNoPartOfIt) {
  const Candidate candidate =
      taken("\xef\xbb\xbf```c\nint assay_kernel(const assay_call* call) { return 0; }\n```\n");
  ASSERT_TRUE(candidate.code) << candidate.why_none;
  EXPECT_TRUE(candidate.code->starts_with("int assay_kernel"));
  EXPECT_TRUE(is_file_of_code("\xef\xbb\xbfint assay_kernel(const assay_call* call) {\n}\n"));
}

TEST(Answer, WhatIsThoughtAloudIsNoAnswer) {
  const std::string right = "```c\nint assay_kernel(const assay_call* call) { return 0; }\n```\n";
  const std::string half = "Let me see ```c here\n```c\nint assay_kernel(broken\n";
  for (const std::string& text : {"<think>" + half + "</think>\n" + right,
                                  half + "</think>" + right, right + "<think>" + half + "</think>"})
    EXPECT_TRUE(taken(text).code && taken(text).code->contains("return 0")) << text;
}

TEST(Answer, CodeSaysWhatItIs) {
  EXPECT_EQ(form_of_code("class ModelNew(nn.Module): ..."), &python_form());
  EXPECT_EQ(form_of_code("int assay_kernel(const assay_call*)"), &c_form());
  EXPECT_EQ(form_of_code("extern \"C\" int assay_kernel(const assay_call*)"), &cpp_form());
  EXPECT_EQ(form_of_code("__global__ void f(); int assay_kernel(x)"), form_of_language("cuda"));
  EXPECT_EQ(form_of_code("#include <hip/hip_runtime.h>\n__global__ void f(); int assay_kernel(x)"),
            form_of_language("hip"));
  EXPECT_EQ(form_of_code("def forward(x): ..."), nullptr);
}

TEST(Answer, TheLanguageIsThatOfTheFenceOrOfWhatItDefines) {
  const std::string c = "int assay_kernel(const assay_call* call) { return 0; }\n";
  EXPECT_EQ(taken("```c\n" + c + "```").form, &c_form());
  EXPECT_EQ(taken("```C++\n" + c + "```").form, &cpp_form());
  EXPECT_EQ(taken("```\n" + c + "```").form, &c_form());
  EXPECT_EQ(taken("```\nextern \"C\" " + c + "```").form, &cpp_form());
  EXPECT_EQ(taken("```\nclass ModelNew: pass\n```").form, &python_form());
  EXPECT_EQ(*taken("```c\n" + c).code, c) << "a block that nobody closed";
}

TEST(Answer, WhatIsFencedInAListLosesTheIndentOfItsFence) {
  for (const char* indent : {"", "   ", "    ", "\t", "          "}) {
    const std::string in = indent;
    Candidate candidate =
        taken("1. So:\n\n" + in + "```python\n" + in + "class ModelNew:\n" + in + "  \"\"\"\n" +
              in + "    ```\n" + in + "  \"\"\"\n" + "\n" + in + "```\n2. That is all.\n");
    ASSERT_TRUE(candidate.code) << "'" << in << "': " << candidate.why_none;
    EXPECT_EQ(*candidate.code, "class ModelNew:\n  \"\"\"\n    ```\n  \"\"\"\n\n");
  }
}

TEST(Answer, ADiffIsNoFile) {
  const std::string diff =
      "--- a/kernel.py\n+++ b/kernel.py\n@@ -1,2 +1,2 @@\n class ModelNew:\n-  a\n+  b\n";
  const std::string search = "<<<<<<< SEARCH\nclass ModelNew: a\n=======\n>>>>>>> REPLACE\n";
  for (const std::string& text : {"```diff\n" + diff + "```", "```python\n" + diff + "```",
                                  "```\n\n" + diff + "```", "```python\n" + search + "```"}) {
    const Candidate candidate = taken(text);
    EXPECT_FALSE(candidate.code) << text;
    EXPECT_EQ(candidate.why_none, "its code is a diff, and the whole file is needed");
  }
  EXPECT_EQ(*taken("```diff\n" + diff + "```\nAll:\n```python\nclass ModelNew: b\n```").code,
            "class ModelNew: b\n");
}

TEST(Answer, BackticksWithinALineAreNoFence) {
  Candidate candidate = taken(
      "```ModelNew``` is what you asked for:\n"
      "```python\nclass ModelNew: pass\n```\n");
  ASSERT_TRUE(candidate.code) << candidate.why_none;
  EXPECT_EQ(*candidate.code, "class ModelNew: pass\n");
  EXPECT_EQ(*taken("~~~py `x`\nclass ModelNew: pass\n~~~\n").code, "class ModelNew: pass\n");
}

TEST(Answer, FencesInTheCommentsOfAFileAreNoAnswer) {
  const std::string example = "```python\nclass ModelNew(Module): pass\n```\n";
  EXPECT_TRUE(
      is_file_of_code("\"\"\"As in:\n" + example + "\"\"\"\nclass ModelNew(Module):\n  x = 1\n"));
  EXPECT_TRUE(is_file_of_code("int assay_kernel(const assay_call* call) { return 0; }"));
  EXPECT_FALSE(is_file_of_code("My class ModelNew:\n" + example));
  EXPECT_FALSE(is_file_of_code(example));
  EXPECT_FALSE(is_file_of_code("<think>\nclass ModelNew(Module):\n</think>\n" + example));
}

TEST(Answer, WhatHasNoCandidateSaysWhy) {
  EXPECT_EQ(taken("").why_none, "there is no fenced code in it");
  EXPECT_NE(taken("```c\nclass ModelNew\n```").why_none, "") << "which is not C";
  EXPECT_NE(taken("```python\nprint()\n```").why_none.find("none of its 1 blocks"),
            std::string::npos);
}

TEST(Answer, NullIsAnAnswerWithoutCode) {
  for (const char* field : {"text", "code"}) {
    auto line =
        read_answer_line(std::string(R"({"problem": "gelu", ")") + field + "\": null}", "x");
    ASSERT_TRUE(line) << line.error().describe();
    EXPECT_EQ(line->candidate.why_none, "there was no answer");
    EXPECT_FALSE(line->candidate.code);
  }
  EXPECT_FALSE(read_answer_line(R"({"problem": "gelu"})", "x"));
}

TEST(Answer, ALineNamesItsProblemAndItsCandidate) {
  auto line = read_answer_line(R"({"level": 1, "problem_id": 19, "sample_id": 3, "text":
      "```python\nclass ModelNew: pass\n```", "model": "any"})",
                               "x");
  ASSERT_TRUE(line) << line.error().describe();
  EXPECT_TRUE(line->key.matches("s", "level1", "19_ReLU"));
  EXPECT_FALSE(line->key.matches("s", "level2", "19_ReLU"));
  EXPECT_EQ(line->candidate.number, 4);
  EXPECT_EQ(*line->candidate.code, "class ModelNew: pass\n");
}

TEST(Answer, ALineThatIsNoneSaysWhatItLacks) {
  const std::pair<const char*, const char*> expected[] = {
      {"[1]", "no JSON object"},
      {"{", "a.jsonl, line 3"},
      {R"({"code": "x"})", "no 'problem'"},
      {R"({"problem": "gelu"})", "neither 'code' nor 'text'"},
      {R"({"problem": "gelu", "code": "x", "candidate": 0})", "no number from 1"},
      {R"({"problem": "gelu", "code": "x", "sample_id": -1})", "no number from 0"},
      {R"({"problem": "gelu", "code": "x", "language": "perl"})",
       "can be python, c, cpp, cuda or hip"},
      {R"({"problem": 3, "code": "x"})", "'problem'"},
      {R"({"problem_id": 99999999999, "code": "x"})", "'problem_id' is no number from 0"},
      {R"({"problem_id": 3, "level": -1, "code": "x"})", "'level' is no number from 0"},
      {R"({"problem": "gelu", "code": "x", "sample_id": 4294967296})", "'sample_id'"},
  };
  for (const auto& [line, what] : expected) {
    auto read = read_answer_line(line, "a.jsonl, line 3");
    ASSERT_FALSE(read) << line;
    EXPECT_NE(read.error().message.find(what), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find("line 3"), std::string::npos) << read.error().message;
  }
}

TEST(AnswerLine, PredictionsAreTakenAsSuitesOfTritonKernelsTakeThem) {
  auto read = [](const std::string& predict, const std::string& more) {
    return read_answer_line("{" + more + "\"predict\": " + dump_json(Json(predict)) + "}",
                            "a line");
  };
  const std::string file = R"("file": "Fusion/add.py", "difficulty": 3, )";
  auto two = read("Imports:\n```python\nimport torch\n```\nthen\n```python\nx = 1\n```\n", file);
  ASSERT_TRUE(two) << two.error().describe();
  EXPECT_EQ(*two->candidate.code, "import torch\nx = 1\n") << "all blocks count";
  EXPECT_EQ(two->key.name, "add");
  EXPECT_EQ(two->key.level, "Fusion");
  EXPECT_EQ(two->candidate.difficulty, "3");
  EXPECT_EQ(*read("x = 1\n", file)->candidate.code, "x = 1\n") << "without a fence it is code";
  EXPECT_EQ(*read("```python\nx = (\n", file)->candidate.code, "x = (\n") << "cut off";
  for (const char* end : {"<|im_end|>", "\n<|EOT|>", " <|endoftext|>\n", "<|EOT|><|im_end|>\n\n"}) {
    EXPECT_EQ(*read(std::string("x = 1") + end, file)->candidate.code, "x = 1") << end;
    EXPECT_EQ(*read(std::string("```python\nx = 1") + end, file)->candidate.code, "x = 1\n") << end;
    EXPECT_EQ(*read(std::string("```\nx = 1\n```") + end, file)->candidate.code, "x = 1\n") << end;
  }
  EXPECT_EQ(*read("x = '<|EOT|>'\n", file)->candidate.code, "x = '<|EOT|>'\n") << "not at the end";
  const std::string bash = "```bash\npip install triton\n```\n", text = "```text\nok\n```\n";
  EXPECT_EQ(*read(bash + "```python\nx = 1\n```\n" + text, file)->candidate.code, "x = 1\n");
  EXPECT_EQ(*read("```text\nx = 1\n```\n", file)->candidate.code, "x = 1\n") << "there is no other";
  auto labelled = read("x = 1", R"("label": " def f(): pass\n", )");
  ASSERT_TRUE(labelled) << labelled.error().describe();
  EXPECT_FALSE(labelled->key.own_code.empty());
  EXPECT_TRUE(labelled->key.name.empty());
  EXPECT_FALSE(read("x = 1", "")) << "for nothing";
  for (const char* asked : {"instruction", "prompt", "query"}) {
    auto for_what = read("x = 1", fmt::format(R"("{}": "Write it in Triton.", )", asked));
    ASSERT_TRUE(for_what) << for_what.error().describe();
    EXPECT_EQ(for_what->key.asked, "WriteitinTriton.") << asked;
  }
  auto none = read_answer_line(R"({"file": "add.py", "predict": null})", "a line");
  ASSERT_TRUE(none) << none.error().describe();
  EXPECT_FALSE(none->candidate.why_none.empty());
}

}  // namespace
}  // namespace assay
