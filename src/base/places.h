#pragma once

#include <string>

#include "base/status.h"

namespace assay {

// Where assay's own files are. Everything shipped is found from the binary's place, so an
// installation can be moved and two can live side by side.
struct Places {
  std::string prefix;    // holds bin/, libexec/assay/, share/assay/
  std::string compiler;  // the compiler image's program
  std::string launcher;  // starts a program afresh for each worker
  std::string native_runner;
  std::string large_memory;  // preloaded where programs in Python are timed
  std::string probe_kernel;  // what `assay doctor --timing` times
  std::string native_compiler;
  std::string watcher;       // serves the page of a run that goes on
  std::string include;       // holds assay/kernel.h
  std::string emulated;      // source of the native runner, for CPUs that are emulated
  std::string python;        // the worker: a folder that python runs
  std::string targets;       // shipped targets
  std::string suites;        // shipped suites
  std::string sets;          // shipped sets of shapes, for op:NAME[set=...]
  std::string configs;       // shipped configurations of IREE, in sets
  std::string policies;      // shipped policies
  std::string prompts;       // shipped templates of what language models are told
  std::string prices;        // shipped prices of models
  std::string models;        // networks: NAME.py and NAME.toml
  std::string page;          // holds page.html, what `--format html` fills
  std::string user_models;   // a user's own; need not be there
  std::string user_targets;  // in find_config_folder(); "" without a home
};

// Fails when the binary was torn from the files it was installed with.
Result<Places> find_places();

// What users set assay up with: $XDG_CONFIG_HOME/assay, else ~/.config/assay; "" without a home.
std::string find_config_folder();

// $ASSAY_CACHE, else $XDG_CACHE_HOME/assay, else ~/.cache/assay. HOME may be unset: then the
// password database is asked. Fails when nobody knows a home.
Result<std::string> find_cache_folder();

// The value of an environment variable, or "".
std::string environment_variable(const char* name);

}  // namespace assay
