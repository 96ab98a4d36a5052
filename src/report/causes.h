// Why attempts did not pass, one group per cause: what forty error lines have in common, once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/attempt.h"

namespace assay {

// An error line without what differs from problem to problem. Numbers become N, lists of them and
// the dimensions of types SHAPE, values of a program %V, its symbols @NAME, files PATH; names of
// operations, types and modules stay. "failed to legalize operation 'torch.aten.x' ..." becomes
// "no lowering for torch.aten.x". One line, printable, never empty.
std::string cause_of(std::string_view error);

// Attempts that ended in the same stage, with the same class or under the same rule, for the same
// cause.
struct Cause {
  Stage stage = Stage::export_;
  StageStatus status = StageStatus::failed;
  std::optional<FailureClass> failure;
  std::string rule;  // with status rejected
  std::string text;
  std::vector<const Attempt*> attempts;  // never empty
  size_t problems = 0;                   // different ones among the attempts
  std::vector<std::string> targets;      // sorted
};

// Those with most problems first. The attempts must outlive the causes.
std::vector<Cause> find_causes(const std::vector<Attempt>& attempts);

// "export: load", "verify: precision", "export, unsupported".
std::string where_in_words(const StageRecord& stage);
std::string where_in_words(const Cause& cause);

}  // namespace assay
