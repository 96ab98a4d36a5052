// The memory in which the judge and a candidate's process of gpu-probe tell each other where a
// window begins and ends, and what this candidate is to do in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace assay::gpu {

// What a candidate does in a window. Only `honest` and those marked so do what they say.
enum class Act : uint32_t {
  honest,       // computes, waits for its stream
  nothing,      // honest: a window that holds nothing
  null_kernel,  // honest: one empty kernel
  drain,        // honest: waits for all that it has queued
  // Ends: `done` comes before the work has.
  early_done,     // queues the work and does not wait
  nearly_done,    // says so when the work has gone on for parameter[1] ns
  side_stream,    // on another stream than the one that it waits for, and that its events are on
  host_thread,    // a thread queues the work after `done`
  host_callback,  // the same, woken by a host function behind a kernel of 200 us
  copy_delay,     // the work stands behind copies of parameter[0] ns on the copy engine
  copy_tail,      // computes elsewhere and waits; a copy to the outputs is under way at `done`
  contexts,       // the work, and kernels of parameter[0] ns in three more contexts
  priority,       // early_done, on the stream of the highest priority
  // Starts: armed at the end of the window before.
  poller,      // a kernel that waits on the card for the inputs
  wait_value,  // work queued behind a wait for a word of the inputs
  patch,       // the same; within the window only what has changed since is computed again
  // Results of an earlier window.
  stale_graph,    // a graph, kept by address, that copies them
  sampled_cache,  // where 64 inputs are the same
  module_memory,  // kept in memory of the module, by address
  no_write,       // leaves what is there
  // Against somebody else's windows. Both return at once.
  hog_compute,    // a kernel for ever
  hog_copy,       // copies of parameter[0] bytes, parameter[1] of them
  hog_delayed,    // copies of parameter[0] ns, then a kernel of parameter[1] ns
  hog_from_host,  // copies of 4 MiB from the host, parameter[1] of them
  hog_host_copy,  // copies to the host for parameter[0] ns
  hog_bursts,     // parameter[2] times copies to the host of parameter[0] ns, a kernel of [1] ns
  hog_words,      // parameter[0] waits for words that follow at once, a kernel of parameter[1] ns
  hog_graph,      // a graph that writes words for parameter[0] ns, then a kernel of parameter[1] ns
  // Launched by the card itself. parameter[0] says how, with 10 added where it is not waited for,
  // and parameter[2] is 1 where said[1] is to be what the launch on the card came to; said[0]: ns
  // by its own events.
  kernel_child,     // a kernel launches the work: fire and forget, tail, a stream of its own
  graph_child,      // a graph launches a graph: fire and forget, tail, as a sibling
  hog_kernel_tail,  // a kernel that launches itself for parameter[0] ns, then one of parameter[1]
  hog_graph_tail,   // the same with graphs
  hog_sibling,      // a graph's sibling, of parameter[1] ns
  // For experiments, honest.
  spin,            // a kernel of parameter[0] ns, not waited for
  progress,        // writes parameter[0] outputs one after the other, not waited for
  watch_gaps,      // for parameter[0] ns; the gaps stand in the outputs
  callback_order,  // kernel of parameter[0] ns, host function, work; not waited for
  write_inputs,    // changes its inputs
  allocate,        // parameter[0] bytes, filled with parameter[1]; 0: all there is
  scan,            // allocates as many and counts words that are not 0, or parameter[1]
  scan_again,      // allocates, fills with parameter[1], frees, allocates and counts
  shared_scan,     // what shared memory holds of parameter[1]
  shared_fill,     // and fills it
  fault_address,   // writes where there is no memory
  fault_trap,      // stops with a trap
  pinned,          // pins parameter[0] bytes of the host's memory
  reach_prepare,   // reads parameter[0] bytes, to persist in L2 where parameter[1] is 1
  reach_read,      // reads them again: said[0] ns by its own events
  events,          // said[0]: ns of a call by its own events, the mean of 100
  arm,             // queues the calls behind a word on the card
  arm_early,       // the same, hostile: the word that they are done comes before them
  arm_nearly,      // before the last parameter[1] of them
  do_bench,        // said[0] mean, [1] median of parameter[2] calls, each behind 256 MiB of writes
  fill_queue,  // queues parameter[0] of kind parameter[1] behind word parameter[2]; said[0] so far
  late_tail,  // leaves parameter[0] millionths of the elements behind `done`, those before the last
              // parameter[1]; queued behind a word on the card, as with `arm`, if parameter[2] is 1
  program,    // a zygote's: starts what `text` names
  watched,    // honest, beside a kernel that looks for gaps: said[0] gaps, [1] ns, [2] longest
  end,
};
inline constexpr std::string_view kActNames[] = {"honest",          "nothing",
                                                 "null_kernel",     "drain",
                                                 "early_done",      "nearly_done",
                                                 "side_stream",     "host_thread",
                                                 "host_callback",   "copy_delay",
                                                 "copy_tail",       "contexts",
                                                 "priority",        "poller",
                                                 "wait_value",      "patch",
                                                 "stale_graph",     "sampled_cache",
                                                 "module_memory",   "no_write",
                                                 "hog_compute",     "hog_copy",
                                                 "hog_delayed",     "hog_from_host",
                                                 "hog_host_copy",   "hog_bursts",
                                                 "hog_words",       "hog_graph",
                                                 "kernel_child",    "graph_child",
                                                 "hog_kernel_tail", "hog_graph_tail",
                                                 "hog_sibling",     "spin",
                                                 "progress",        "watch_gaps",
                                                 "callback_order",  "write_inputs",
                                                 "allocate",        "scan",
                                                 "scan_again",      "shared_scan",
                                                 "shared_fill",     "fault_address",
                                                 "fault_trap",      "pinned",
                                                 "reach_prepare",   "reach_read",
                                                 "events",          "arm",
                                                 "arm_early",       "arm_nearly",
                                                 "do_bench",        "fill_queue",
                                                 "late_tail",       "program",
                                                 "watched",         "end"};
static_assert(std::size(kActNames) == static_cast<size_t>(Act::end) + 1);
inline std::string_view name_of(Act act) { return kActNames[static_cast<uint32_t>(act)]; }

// What `fill_queue` queues.
enum class Queued { kernel, work, memset, copy, event, graph, kernel_on_two_streams };
inline constexpr std::string_view kQueuedNames[] = {"empty kernel",
                                                    "kernel with arguments",
                                                    "memset of 4 KiB",
                                                    "copy of 4 KiB on the card",
                                                    "event's record",
                                                    "graph of 50 empty kernels",
                                                    "empty kernel, on two streams in turn"};

struct ControlPage {
  static constexpr size_t kBytes = 8192;

  std::atomic<uint32_t> go;      // a futex; the judge's
  std::atomic<uint32_t> done;    // a futex; the candidate's
  std::atomic<uint32_t> ready;   // the candidate's: its context stands
  std::atomic<uint32_t> failed;  // the candidate's: `text` says why
  Act act;
  uint32_t rounds;    // how much each element takes
  uint32_t elements;  // of a slot
  uint32_t slots;     // called one after the other in a window
  uint64_t arena_bytes;
  int64_t parameter[4];
  int64_t said[8];
  std::atomic<uint32_t> called_back;  // by host functions of the candidate
  std::atomic<uint32_t> drop;         // a zygote's: kills its program, and clears it
  char text[1024];
};
static_assert(sizeof(ControlPage) <= ControlPage::kBytes);

// The shared memory on the card: inputs of all slots, outputs of all slots, a page of words.
struct ArenaLayout {
  uint32_t elements;
  uint32_t slots;

  uint64_t count() const { return uint64_t{elements} * slots; }
  uint64_t outputs_at() const { return (count() * 4 + 4095) / 4096 * 4096; }
  uint64_t words_at() const { return 2 * outputs_at(); }
  uint64_t bytes() const { return words_at() + 4096; }
};

}  // namespace assay::gpu
