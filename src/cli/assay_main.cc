// assay's entry: parse, run one command, print its error, choose the exit status. Nothing below
// cli/ prints or exits.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <span>
#include <vector>

#include "base/version.h"
#include "cli/command.h"
#include "cli/output.h"

namespace {

constexpr int kCannotWork = 2;
constexpr int kCannotJudge = 3;  // of `grade`, whose 2 says that a candidate is wrong
constexpr int kInterrupted = 130;

// Of the command that the words name, if they do: `grade` has another status for it.
int cannot_work(std::span<const char* const> words) {
  const assay::Command* command = words.empty() ? nullptr : assay::find_command(words.front());
  return command && !command->statuses.three.empty() ? kCannotJudge : kCannotWork;
}

int fail(const assay::Error& error, int status) {
  if (error.code == assay::Code::interrupted) {
    std::fprintf(stderr, "assay: %s\n", error.describe().c_str());
    return kInterrupted;
  }
  std::fprintf(stderr, "assay: error: %s\n", error.describe().c_str());
  return status;
}

// A program started with a standard descriptor closed would open its own files in that place.
void fill_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0 && fd <= STDERR_FILENO;
       fd = ::open("/dev/null", O_RDWR)) {
    if (fd == STDERR_FILENO) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  // What assay holds (references, one day) is nobody's to read, not even the same user's.
  ::prctl(PR_SET_DUMPABLE, 0);
  std::vector<const char*> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  auto line = assay::parse_command_line(words);
  const int failed = cannot_work(words);
  if (!line) return fail(line.error(), failed);
  assay::Output output;
  int status = 0;
  switch (line->kind) {
    case assay::ParsedLine::Kind::help:
      output.write(assay::help_text(line->command));
      break;
    case assay::ParsedLine::Kind::reference:
      output.write(assay::reference_markdown());
      break;
    case assay::ParsedLine::Kind::vocabulary:
      output.write(assay::vocabulary_markdown());
      break;
    case assay::ParsedLine::Kind::version:
      output.write(std::string("assay ") + assay::kVersionText + "\n");
      break;
    case assay::ParsedLine::Kind::run: {
      auto result = line->command->run(line->arguments, output);
      if (!result) return fail(result.error(), failed);
      status = *result;
      break;
    }
  }
  if (!output.healthy())
    return fail({assay::Code::io, "cannot write to standard output", "", {}}, failed);
  return status;
}
