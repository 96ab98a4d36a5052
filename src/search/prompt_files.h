// What stands in a folder of prompts, read: assay's own, one of the same form, or one as seed users
// have it (config.json). docs/formats.md has the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/gpu.h"

namespace assay {

// What is said of problems of some kind, on a CPU or on a GPU.
struct KindNotes {
  std::string notes;  // a template's name
  std::vector<std::string> ideas;
};

struct PromptKind {
  std::string title;      // "matrix products"
  std::string name{};     // a pattern over the problem's name; of none: `in_file`, or all problems
  std::string in_file{};  // a pattern over the problem's file
  std::vector<std::string> languages{};  // empty: all
  std::string header{};                  // only where a folder of --include has this file
  std::optional<KindNotes> cpu{}, gpu{};
};

// Of a config.json: a text that takes the place of what assay says in the system's.
struct GivenSystem {
  std::string name{};  // a pattern over the problem's name; "": of all others
  std::string file, text;
};

struct PromptHint {
  std::string pattern;
  bool or_plain = false;  // or a piece of text: the pattern as it is written
  std::vector<std::string> languages{};
  std::vector<std::string> say;
};

struct PromptLanguage {
  std::string title;    // "a kernel in C"
  std::string fence;    // behind the marks of a block of code
  bool abi = false;     // written to include/assay/kernel.h; else to torch
  std::string device;   // "cpu", "gpu", "cuda", "hip", "any"
  std::string example;  // code that answers example.py
};

struct PromptFiles {
  // By the names that they include each other by.
  std::map<std::string, std::string> templates{};
  std::vector<GivenSystem> systems{};
  std::vector<PromptKind> kinds{};
  std::vector<PromptHint> hints{};
  PromptLanguage language{};
  std::string example_problem{};
  std::string all_text{};  // one after the other, whatever the device: for an identity
};

// `own`: assay's; `folder`: the user's, or "". What that has stands in the place of assay's own.
// `gpu`: which device the code is for, if it is for one.
Result<PromptFiles> read_prompt_files(const Disk& disk, const std::string& own,
                                      const std::string& folder, const std::string& language,
                                      const std::optional<Gpu>& gpu);

}  // namespace assay
