// Code out of what language models answer, and out of what collects such answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "author/file_name.h"
#include "base/json.h"
#include "base/status.h"

namespace assay {

// Takes the first line off a text, and returns it without its end.
std::string_view take_line(std::string_view& text);

// The code of a text with fenced blocks: the last of them that defines ModelNew or assay_kernel.
// Becomes `kind` and `code` of the candidate, or `why_none`.
void take_code_of_answer(std::string_view text, Candidate& candidate);
// Whether a text is itself a file that defines ModelNew or assay_kernel: fences in it stand in its
// comments. In an answer these stand within a fence, or in words.
bool is_file_of_code(std::string_view text);
// What code is a candidate as, where nobody says its language: by what it defines. Null: neither
// ModelNew nor assay_kernel.
const Form* form_of_code(std::string_view code);

// Reads of an object, whose fields they are, into the candidate:
//   "code"         its source, in "language": "python" (or absent), "c", "cpp"
//   "text"         in the place of "code": an answer with fenced code
//   "predict"      in the place of both: an answer, of which all fenced code counts, or else all
// Null in the place of either is an answer without code.
void read_code(const Json& json, JsonReader& fields, Candidate& candidate);

// One line of a JSONL file, an object:
//   "problem"      "gelu" or "level1/gelu", or "file", with its ending; or "level" and
//                  "problem_id", KernelBench's numbers; or with "predict" alone "label", the
//                  suite's own code, or "instruction", "prompt" or "query", what was asked
//   "code"         or "text", as above
//   "candidate"    which of several it is, from 1; or "sample_id", from 0
// Other fields are left alone.
struct AnswerLine {
  ProblemKey key;
  Candidate candidate;
  bool has_number = false;
};

// `where` names the line in errors.
Result<AnswerLine> read_answer_line(std::string_view line, const std::string& where);

// All of a file, with the number of the line or the entry of each, from 1: such objects, one a line
// or in a list; or, as KernelBench's leaderboard takes them, one object of code by
// "level_1_problem_19_sample_0", which may be its field "kernels".
struct AnswerEntry {
  int place = 0;
  AnswerLine answer;
};
// Where `odd` is there, an entry that is none takes nothing from the others, and is told in it, but
// where there are no others: files of many answers come from programs that were interrupted.
Result<std::vector<AnswerEntry>> read_answers(std::string_view text, const std::string& path,
                                              std::vector<std::string>* odd = nullptr);

}  // namespace assay
