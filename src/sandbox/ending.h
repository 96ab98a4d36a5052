#pragma once

#include <cstdint>
#include <string>

#include "sandbox/isolation.h"

namespace assay {

// How a child ended, as the spawner classifies it. What the child itself claims plays no part.
enum class EndKind {
  answered,       // sent its final answer, then exited with status 0
  exited,         // ended by itself without a final answer
  crashed,        // ended by a signal that assay did not send
  timed_out,      // its deadline passed; assay ended it
  out_of_memory,  // the kernel ended it, for what its jail may take of memory
  output_limit,   // printed more than it may; assay ended it
  protocol,       // broke the protocol; assay ended it
  stopped,        // assay ended it because nobody wants its answer any more
  lost,           // assay's own process handling failed: says nothing about the child
};

// What is known about a child when everything below it is gone.
struct EndFacts {
  bool timed_out = false;
  bool output_exceeded = false;
  uint64_t output_limit_bytes = 0;
  bool stopped = false;
  bool greeted = false;                // its hello was received: from there on others' code may run
  bool answered = false;               // a frame marked final was received
  std::string protocol_problem;        // empty: none
  std::string spawn_problem;           // empty: none
  bool machine_out_of_memory = false;  // the kernel killed somebody for memory meanwhile
  bool memory_exceeded = false;        // it killed one in the child's jail, for the jail's limit
  int wait_status = 0;                 // as wait4 gives it; valid when reported
  bool reported = false;               // the keeper's report came whole
};

struct Ending {
  EndKind kind = EndKind::lost;
  std::string message;                 // one sentence: "crashed with SIGSEGV (segmentation fault)"
  std::optional<int> exit_status;      // with kind exited
  bool machine_out_of_memory = false;  // with kind lost: the kernel ended it for want of memory
  bool memory_exceeded = false;        // the kernel ended one of its processes for its jail's limit
  std::string output;                  // the beginning and the end of what it printed
  uint64_t output_bytes = 0;           // all that it printed
  int64_t wall_ns = 0;                 // from the request to fork until all was gone
  int64_t ready_ns = 0;  // from the request to fork until the child's hello; 0: it never came
  int64_t cpu_ns = 0;
  uint64_t peak_bytes = 0;
  unsigned strays = 0;                  // processes it left behind, killed
  Isolation isolation = Isolation::L0;  // of its jail
  bool in_namespace = false;  // held by a pid namespace; else by a subreaper, which a hostile
                              // worker of the same user can kill
};

// Kind and message of an Ending. The order of the checks is the order of blame: what assay had to
// stop it for comes before what the signal then says.
Ending classify(const EndFacts& facts);

}  // namespace assay
