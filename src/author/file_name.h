// What the name of a candidate's file says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "author/candidate.h"

namespace assay {

// Which problem a candidate is for, by what its author calls that. Of a suite's problems it is
// those that agree in all that is given.
struct ProblemKey {
  std::string name;                 // "gelu"; "": by its number
  std::string level;                // "level1"; "": of any
  std::optional<int> level_number;  // KernelBench's: level 1 is "level1"
  std::optional<int> number;        // KernelBench's: problem 19 is "19_ReLU"
  // Where nothing else names it: the hash of the code that its suite has for it, or what its author
  // was asked (asked_in(), workload/suite_format.h).
  std::string own_code{};
  std::string asked{};

  // `suite` is the level of problems that lie in none: a level's folder may be given by itself. Of
  // folders in folders a level may be the last ones alone: "Fusion" of "kernelbenchx/Fusion".
  bool matches(std::string_view suite, std::string_view problem_level,
               std::string_view problem_name) const;
};

// What a file holds.
enum class Content {
  code,     // of one candidate, in the language of `form`
  answer,   // text with code in it, of one candidate
  answers,  // of many, a line each, or an object of them
};

struct FileName {
  Content content = Content::code;
  const Form* form = &python_form();  // with Content::code
  ProblemKey key;                     // not with Content::answers
  int number = 1;                     // of the candidate
  bool has_number = false;            // its name says it
};

// Nothing where no candidate's file has such a name. NAME__s2 is the second candidate for NAME, and
// level_1_problem_19_sample_0_kernel.py, as KernelBench calls it, the first one for problem 19.
std::optional<FileName> read_file_name(const std::string& path);

// The same of "level_1_problem_19_sample_0", as KernelBench calls a sample where it is no file.
std::optional<FileName> read_sample_name(std::string_view name);

// What the end of a name says that is no problem's: 3 of "v3", and 4 of "sample_3", which are
// counted from 0. Nothing: no number.
std::optional<int> trailing_number(std::string_view name);

// Of problems and samples, whatever says it.
inline constexpr int kMostNumber = 1'000'000;

// The endings that it takes, for messages: ".py, .c, ...".
std::string known_endings();

}  // namespace assay
