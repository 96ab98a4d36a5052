// What can stand where the cursor is, on assay's command line: read from the tables of commands, so
// that no list has to be kept. The shells' scripts (completion_command.cc) ask for it anew each
// time, so they never age.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace assay {

struct Proposal {
  std::string word;
  std::string description;  // for shells that show one; may be empty
};

struct Proposals {
  std::vector<Proposal> words;
  bool files = false;  // files and folders fit as well: the shell knows them
};

// The rows of a table, each with its title.
template <class Table>
Proposals propose(const Table& table) {
  Proposals proposals;
  for (const auto& row : table)
    proposals.words.push_back({std::string(row.name), std::string(row.title)});
  return proposals;
}

// What is listed of each kind, and what can be named in its place.
Proposals propose_workloads();
Proposals propose_authors();
Proposals propose_targets();

// The words after `assay`; the last one is being typed, and may be empty.
Proposals complete(std::span<const std::string> words);

// What an option's value or a positional stands for by its name in the tables ("TARGET,..."), with
// the words before it; nothing when this name is not known here. A test asks for each.
std::optional<Proposals> values_named(const Command& command, std::string_view name,
                                      std::span<const std::string> before);

}  // namespace assay
