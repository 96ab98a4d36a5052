// The files that a search leaves in its folder, under the names that users of HipKittens'
// KernelBench runner know.
#pragma once

#include <string>

#include "base/disk.h"
#include "model/attempt.h"
#include "model/search_node.h"
#include "search/tree.h"

namespace assay {

// "_s2" and "_r1" of prompt_3_s2_r1.txt: which sample it is, and which repair of it.
std::string file_suffix(const Tree& tree, const SearchNode& node);
// "code_3_s2.c".
std::string code_file(const Tree& tree, const SearchNode& node, const std::string& ending);

Status write_prompt(Disk& disk, const std::string& folder, const Tree& tree,
                    const SearchNode& node);
Status write_response(Disk& disk, const std::string& folder, const Tree& tree,
                      const SearchNode& node);
// result_3_s2.json, in the keys that the runner has, with ours beside them. Strict JSON.
Status write_result(Disk& disk, const std::string& folder, const Tree& tree, const SearchNode& node,
                    const Json& result);
// Of one attempt's record, and what a search made of it.
Json result_of(const SearchNode& node, const Attempt* attempt, const std::string& code_path);

// best_prompt.txt, best_code.* and best_result.json: copies of the node's. Those from before go.
Status write_best(Disk& disk, const std::string& folder, const Tree& tree, const SearchNode& node,
                  const std::string& ending);

}  // namespace assay
