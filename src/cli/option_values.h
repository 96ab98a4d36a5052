// What options say, for the commands that share them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/words.h"
#include "cli/command.h"
#include "model/run_record.h"

namespace assay {

// One of the words that are known.
Result<std::string> parse_word(const char* option, const Arguments& arguments,
                               const std::vector<std::string>& known);

template <class Enum, size_t N>
Result<Enum> parse_word(const char* option, const Arguments& arguments,
                        const Word<Enum> (&table)[N]) {
  ASSAY_ASSIGN(std::string word, parse_word(option, arguments, words_of(table)));
  return *from_word(table, word);
}

// How candidates are called, and what each may take: --mode, --precision, --policy, --include,
// --sanitize,
// --threads, --require-isolation, --timeout and --memory.
Status parse_how_to_judge(const Arguments& arguments, RunSettings& settings);

// How what is right is timed: --against, --quick, --budget and --cache. None is given: it is not.
Result<std::optional<TimingSettings>> parse_timing(const Arguments& arguments);

// A number from 1 to 1024.
Result<int> parse_count(const char* option, const std::string& text);
// --jobs; without it one per usable core.
// With --counters: what of them this machine lacks, in a line; "" where that is nothing.
std::string missing_in_words(const RunSettings& settings);

Result<int> parse_jobs(const Arguments& arguments);

// Labels that are no reason not to count: --allow.
Result<std::vector<std::string>> parse_allowed(const Arguments& arguments);

// How long an attempt may take: --timeout.
Result<int64_t> parse_duration(const char* option, const std::string& text);
// What one process may take: --memory. Not less than one that has imported torch takes.
Result<uint64_t> parse_memory_bytes(const std::string& text);

}  // namespace assay
