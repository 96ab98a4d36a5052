#include "compile/tool_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/escape.h"

namespace assay {

Result<std::string> output_of(const Machine& machine, const std::vector<std::string>& words) {
  constexpr int64_t kTimeoutNs = 120'000'000'000;
  constexpr size_t kMostBytes = 2000;  // compilers go on for pages
  ASSAY_ASSIGN(ProgramResult result, machine.run(words, "", kTimeoutNs));
  if (result.status != 0)
    return error(Code::unavailable,
                 fmt::format("'{}' failed with status {}: {}", fmt::join(words, " "), result.status,
                             printable(result.errors.substr(0, kMostBytes), false)));
  return result.output;
}

Status write_by(Disk& disk, const Machine& machine, std::vector<std::string> words,
                const std::string& path) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  words.insert(words.end(), {"-o", temporary});
  Status written;
  if (auto said = output_of(machine, words); !said)
    written = std::unexpected(said.error());
  else
    written = disk.rename(temporary, path);
  if (!written) ASSAY_TRY(disk.remove_all(temporary));
  return written;
}

}  // namespace assay
