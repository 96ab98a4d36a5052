#include "compile/compiler.h"

#include "compile/diagnostics.h"

namespace assay {

Json failed_compile(FailureClass failure_class, std::string_view diagnostics,
                    const std::string& otherwise) {
  constexpr size_t kMaxDetailBytes = 64 * 1024;
  constexpr size_t kMaxLineBytes = 4 * 1024;
  std::string line = first_error_line(diagnostics).substr(0, kMaxLineBytes);
  return {{"failed",
           {{"class", to_word(kFailureClassWords, failure_class)},
            {"error", line.empty() ? otherwise : line},
            {"detail", diagnostics.substr(0, kMaxDetailBytes)}}}};
}

}  // namespace assay
