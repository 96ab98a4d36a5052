// "batch=1|8,seq=16:64:16": which values numbers are to have. Inside this folder only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "op/grammar.h"

namespace assay {

using Choice = std::pair<std::string, std::vector<int64_t>>;  // the values to take of a number

// `check` is asked of each key whether there is such a number.
Result<std::vector<Choice>> read_choices(
    const Grammar& grammar, const Piece& arguments,
    const std::function<Status(const Piece& argument, const std::string& key)>& check);

// Calls with each combination of one value of each.
void for_each_choice(const std::vector<Choice>& choices,
                     const std::function<void(std::vector<std::pair<std::string, int64_t>>)>& take);

// "[batch=1,seq=16]"; "" of none.
std::string in_brackets(const std::vector<std::pair<std::string, int64_t>>& numbers);
// "_batch1_seq16"
std::string in_name(const std::vector<std::pair<std::string, int64_t>>& numbers);

}  // namespace assay
