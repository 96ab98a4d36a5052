// Scores for people, as terminal and Markdown show them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/scores.h"
#include "report/table.h"

namespace assay {

// A head, and a row for each; the cells are plain text.
std::vector<Row> score_rows(std::span<const Score> scores);

// Of authors that handed in several candidates, a head and rows; empty: nobody did.
std::vector<Row> at_k_rows(std::span<const Score> scores);

// What must be known to read them, a line each: what the columns are, and what is provisional or
// limited.
std::vector<std::string> score_notes(std::span<const Score> scores);

}  // namespace assay
