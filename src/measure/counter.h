// What other tools count of a candidate that is accepted: --counters. One file for each of them; to
// add one, write it beside counter_objdump.cc, declare it below and name it in counters.cc. What
// they say decides nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/attempt.h"
#include "sandbox/children.h"
#include "target/machine.h"
#include "verify/native_libraries.h"
#include "verify/verify.h"

namespace assay {

struct CountedCandidate {
  const VerifyJob& job;
  const VerifyTools& tools;
  Children& children;
  NativeLibraries& libraries;
};

struct Counter {
  std::string_view name;   // the program's
  std::string_view title;  // for people, in one line
  // Why it counts nothing on this machine; "": it does.
  std::string (*missing)(const Machine& machine) = nullptr;
  bool (*serves)(const VerifyJob& job) = nullptr;
  // Of a candidate that it serves, an object. Blocks. Null: it has nothing to say of this one.
  Result<Json> (*count)(const CountedCandidate& candidate) = nullptr;
  // What a writer of the candidate should know of that, in a sentence or two; "": nothing.
  std::string (*words)(const Json& counted) = nullptr;
};
std::span<const Counter> counters();

// An object by their names: of each that is here and serves the candidate.
Result<Json> count(const CountedCandidate& candidate, const Machine& machine);
// Those that are not here, each with why: "ncu: not found". Empty: all are.
std::vector<std::string> missing_counters(const Machine& machine);
// What an attempt's record has of that: a sentence or two each.
std::vector<std::string> counted_of(const Attempt& attempt);
// What it has of one of them. Null: nothing, or why there are no counts.
Json counted_by(std::string_view counter, const Attempt& attempt);

Counter objdump_counter();
Counter perf_counter();
Counter dispatch_counter();
Counter operator_counter();
Counter ncu_counter();
Counter rocprof_counter();

// Of a candidate that is called on a card of this kind (model/device.h).
bool is_called_on(const VerifyJob& job, std::string_view device);

// Of a program that is looked for and not found.
std::string not_found(const Machine& machine, const char* program);

}  // namespace assay
