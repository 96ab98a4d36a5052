#include "compile/compiler.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>

#include "compile/compile_job.h"
#include "compile/diagnostics.h"

namespace assay {
namespace {

// A linker maps the file that it writes, and on a full disk ends without a word.
bool disk_is_nearly_full() {
  constexpr uint64_t kLeastBytes = uint64_t{16} << 20;  // more than a link leaves
  struct statvfs info{};
  if (::statvfs(".", &info) != 0) return false;
  return uint64_t{info.f_bavail} * info.f_frsize < kLeastBytes;
}

}  // namespace

Json failed_compile(FailureClass failure_class, std::string_view diagnostics,
                    const std::string& otherwise) {
  constexpr size_t kMaxLineBytes = 4 * 1024;
  if (says_disk_is_full(diagnostics) || disk_is_nearly_full()) return not_compiled(kDiskIsFull);
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
