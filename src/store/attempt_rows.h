// Rows of a run's tables that its reading and its continuing both look at.
#pragma once

#include "base/words.h"
#include "model/attempt.h"
#include "store/sqlite.h"

namespace assay {

template <class Enum, size_t N>
Result<Enum> word_in(const Word<Enum> (&table)[N], std::string_view word) {
  if (auto value = from_word(table, word)) return *value;
  return error(Code::corrupt, "the store has the unknown word '" + std::string(word) + "'");
}

inline ArtifactRecord read_artifact(const Statement& row) {
  return {row.text(1), row.text(2), static_cast<uint64_t>(row.integer(3))};
}

}  // namespace assay
