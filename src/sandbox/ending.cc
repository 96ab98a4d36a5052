#include "sandbox/ending.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "base/units.h"

namespace assay {
namespace {

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  const char* meaning = sigdescr_np(number);
  if (!name) return fmt::format("signal {}", number);
  return meaning ? fmt::format("SIG{} ({})", name, meaning) : fmt::format("SIG{}", name);
}

Ending ending(EndKind kind, std::string message) {
  Ending result;
  result.kind = kind;
  result.message = std::move(message);
  return result;
}

}  // namespace

Ending classify(const EndFacts& facts) {
  if (!facts.spawn_problem.empty()) return ending(EndKind::lost, facts.spawn_problem);
  if (facts.stopped) return ending(EndKind::stopped, "stopped by assay");
  // A version of its own is the one thing a worker can get wrong before its hello.
  if (!facts.greeted && facts.protocol_problem.empty())
    return ending(EndKind::lost,
                  facts.timed_out
                      ? "its time limit was over before it had come up"
                      : "it did not come up: assay could not set it up on this machine");
  if (facts.timed_out) return ending(EndKind::timed_out, "ran into its time limit");
  if (facts.output_exceeded)
    return ending(EndKind::output_limit, fmt::format("printed more than it may, which is {}",
                                                     format_bytes(facts.output_limit_bytes)));
  if (!facts.protocol_problem.empty()) return ending(EndKind::protocol, facts.protocol_problem);
  if (!facts.reported)
    return ending(EndKind::lost, "its keeper was killed from outside before it could report");
  if (WIFSIGNALED(facts.wait_status)) {
    int number = WTERMSIG(facts.wait_status);
    if (number == SIGKILL && facts.memory_exceeded)
      return ending(EndKind::out_of_memory, "took more memory than it may, so the kernel ended it");
    if (number == SIGKILL && facts.machine_out_of_memory) {
      Ending lost =
          ending(EndKind::lost, "the kernel ended it because this machine ran out of memory");
      lost.machine_out_of_memory = true;
      return lost;
    }
    return ending(EndKind::crashed, "crashed with " + signal_name(number));
  }
  int code = WEXITSTATUS(facts.wait_status);
  if (facts.answered && code == 0) return ending(EndKind::answered, "answered");
  Ending exited = ending(
      EndKind::exited,
      facts.answered ? fmt::format("ended with status {} after it answered", code)
                     : fmt::format("ended by itself with status {} before it answered", code));
  exited.exit_status = code;
  return exited;
}

}  // namespace assay
