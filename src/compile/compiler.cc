#include "compile/compiler.h"

#include <cerrno>
#include <cstring>

#include "compile/compile_job.h"
#include "compile/diagnostics.h"

namespace assay {

Json failed_compile(FailureClass failure_class, std::string_view diagnostics,
                    const std::string& otherwise) {
  constexpr size_t kMaxLineBytes = 4 * 1024;
  if (says_disk_is_full(diagnostics)) return not_compiled(kDiskIsFull);
  std::string line = first_error_line(diagnostics).substr(0, kMaxLineBytes);
  return {{"failed",
           {{"class", to_word(kFailureClassWords, failure_class)},
            {"error", line.empty() ? otherwise : line},
            {"detail", diagnostics}}}};
}

Json not_compiled(const std::string& reason) { return {{"not_judged", reason}}; }

Json bad_flags(const std::string& complaint) {
  return not_compiled("the compiler does not take the target's flags: " + complaint);
}

Json cannot_hand_over(const std::string& what) {
  return not_compiled("cannot hand over " + what + ": " + std::strerror(errno));
}

}  // namespace assay
