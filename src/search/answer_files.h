// The files that a search leaves in its folder, under the names that users of HipKittens'
// KernelBench runner know: each answer's, and unsuffixed those of the best one of each attempt.
#pragma once

#include <string>

#include "base/disk.h"
#include "model/attempt.h"
#include "model/search_tree.h"

namespace assay {

struct Search;

// "code_3_s2.c".
std::string code_file(const Tree& tree, const SearchNode& node, const std::string& ending);

Status write_prompt(Disk& disk, const Search& search, const SearchNode& node);
Status write_response(Disk& disk, const Search& search, const SearchNode& node);
// result_3_s2.json of a node with a verdict, in the keys that the runner has, with ours beside
// them. Strict JSON. `attempt`: of that verdict; null: nothing of it was judged.
Status write_result(Disk& disk, const Search& search, const SearchNode& node,
                    const Attempt* attempt, const std::string& language);

// prompt_3.txt, response_3.txt, code_3.* and result_3.json: copies of those of the attempt's best
// answer, as far as is known now.
Status write_attempt_files(Disk& disk, const Search& search, int attempt, const SearchTerms& terms);
// best_prompt.txt, best_code.* and best_result.json, of the best one so far that counts; where none
// does, there are none.
Status write_best(Disk& disk, const Search& search, const SearchTerms& terms);

}  // namespace assay
