// What comes from those who collect or send candidates: lines of JSON, and answers with code.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "author/answer.h"
#include "author/grade_request.h"

namespace {

// It has code, or there is a reason for it to have none.
void check(const assay::Candidate& candidate) {
  if ((candidate.code != nullptr) != candidate.why_none.empty()) abort();
}

}  // namespace

extern "C" int fuzz_answer(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Candidate candidate;
  take_code_of_answer(text, candidate);
  check(candidate);
  if (auto line = read_answer_line(text, "a line")) check(line->candidate);
  Json id;
  if (auto request = read_grade_request(text, "a line", id)) {
    check(request->candidate);
    if (request->id != id || request->problem.empty() != request->problem_code.has_value()) abort();
    if (request->timeout_ns && *request->timeout_ns < 0) abort();
    if (request->memory_bytes && *request->memory_bytes == 0) abort();
  }
  if (!id.is_null() && !id.is_string() && !id.is_number_integer()) abort();
  return 0;
}
