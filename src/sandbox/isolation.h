// How well code that nobody trusts is held, in levels, and which of them this machine gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/words.h"

namespace assay {

// Each holds all that those before it hold.
enum class Isolation {
  L0,  // nothing: it runs as the user
  L1,  // landlock, a filter of system calls, limits of resources
  L2,  // namespaces: processes, files, network of its own
  L3,  // control groups and, as root, a user of its own
};

inline constexpr Word<Isolation> kIsolationWords[] = {
    {Isolation::L0, "L0"}, {Isolation::L1, "L1"}, {Isolation::L2, "L2"}, {Isolation::L3, "L3"}};

// What one level needs and whether it was there when it was tried.
struct IsolationTrial {
  Isolation level = Isolation::L0;
  bool works = false;
  std::string holds;    // what it adds, in words; with what of it is weaker here
  std::string missing;  // what failed; empty where it works
  std::string mend;     // what would make it work
};

struct IsolationReport {
  Isolation highest = Isolation::L0;   // that works, and that the bound allows: the level in force
  std::optional<Isolation> bound;      // ASSAY_ISOLATION
  std::vector<IsolationTrial> trials;  // L1, L2, L3
};

// Tries every level in a throw-away child, in earnest: the code that jails workers runs to its end.
// Some ten milliseconds; to be called while this process has one thread. `bound`: an upper bound,
// for tests; as a user's ASSAY_ISOLATION it can only lower what is used. A word that is no level
// counts as none; check_isolation_bound() says so.
IsolationReport probe_isolation(const std::string& bound_word);

// The same with ASSAY_ISOLATION as the bound, done once and remembered.
const IsolationReport& isolation();

// An error where ASSAY_ISOLATION says what is no level.
Status check_isolation_bound();

}  // namespace assay
