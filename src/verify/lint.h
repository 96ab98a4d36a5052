// Whether a problem proves anything: one whose result is always the same, say, is solved by a
// kernel that never looks at its inputs. No candidate takes part.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"
#include "sandbox/children.h"
#include "verify/flaws.h"
#include "verify/tools.h"

namespace assay {

struct LintJob {
  std::string path;    // what the problem's code sees as its file name
  std::string source;  // the bytes of its file
  std::string mode;
  Precision precision = Precision::f32;
  int64_t timeout_ns = 0;     // of each step
  uint64_t memory_bytes = 0;  // of the process
};

struct LintFinding {
  FlawKind kind = FlawKind::constant;
  bool flags = true;  // false: worth knowing, and the problem proves something all the same
  std::string says;   // a sentence, with figures
};

struct Lint {
  // ok: it was looked at. Otherwise what its own code broke, or what kept it from being looked at.
  StageRecord stage{};
  std::vector<LintFinding> findings{};
  std::vector<std::string> weaker{};  // what was not tried as it should be, and why
  std::string seed{};

  bool is_flagged() const;
};

// Blocks; to be called on a thread of its own. The problem's code runs in the jail that it has in
// verify. Fails with Code::interrupted, and where assay itself cannot go on.
Result<Lint> lint(const LintJob& job, const VerifyTools& tools, Children& children);

}  // namespace assay
