// The memory in which the judge and a runner tell each other where a window begins and ends.
//
// A window, one call of the candidate, or several where one is too short to be timed:
//
//   judge    the runner is frozen: writes inputs, poisons outputs
//            go = n; thaws; wakes `go`
//   runner   was waiting for `go`; calls the candidate; writes its outputs and what is below
//            done = n; wakes `done`; waits for `go` again
//   judge    was waiting for `done`, up to a deadline; freezes; reads the outputs
//
// Where work is queued (model/device.h), a call that has returned is not a window that is done:
//
//   runner   queues on one stream: all of inputs, outputs and inout to the device, poison and red
//            zones with them; then what the candidate queues; then outputs and inout back
//            submitted = n, when the candidate's call has returned
//            done = n, when the device says that the stream has come to its end
//
// A freeze holds the runner's processes, and no device: what a queue still does afterwards is
// too late, since the judge has read its copy of the outputs by then.
//
// The judge believes nothing in here: a runner that says `done` early has its outputs read too
// early, and what it says of its outputs only decides how they are refused. Nothing is used as an
// index.
//
// Part of what runners are built from: no dependency beyond the C library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace assay {

// What a runner says of one result, before it is copied to where the judge reads it.
struct ReportedOutput {
  uint32_t dtype;          // of include/assay/kernel.h; 0: another
  int32_t rank;            // -1: not a tensor; over 8: only the first 8 sizes stand here
  uint32_t aliased_input;  // 1 + place of the input whose memory it shares; 0: none
  uint32_t reserved;
  int64_t shape[8];
};

// What the judge wants of a window.
enum class WindowKind : uint32_t {
  call = 0,
  null = 1,     // the candidate is not called, which measures what a window itself costs
  watched = 2,  // `text` says what the candidate does. Of runners of Python candidates only
  // Around a call whose results stay where the candidate has left them. Nobody's code is called.
  prepare = 3,  // arguments are made, of inputs that are not there yet; former results are dropped
  told = 4,     // the results of the window before are looked at, as after other calls
  // All of a call's window but the candidate: what the judge adds to calls. Not of native ones, to
  // which it adds nothing.
  beside = 5,
};

enum class WindowOutcome : uint32_t {
  finished = 0,
  raised = 1,    // `text` says what
  declined = 2,  // a native kernel returned `status`
  odd = 3,       // its outputs are not those of the problem: count, type or shape. None was copied
  out_of_memory = 4,  // as `raised`, for want of memory
  disk_full = 5,      // or of room on its disk
  not_here = 6,       // as `raised`, since what it asks for is not here: a device, say
};

struct ControlPage {
  static constexpr size_t kBytes = 32768;       // of the whole mapping
  static constexpr uint32_t kEnd = 0xffffffff;  // `go`: end the process
  static constexpr size_t kMaxOutputs = 64;
  static constexpr size_t kMaxTextBytes = 4096;
  static constexpr size_t kMaxAddresses = 2816;
  static constexpr uint64_t kPutBack = 1;

  std::atomic<uint32_t> go;    // a futex; the judge's
  std::atomic<uint32_t> done;  // a futex; the runner's
  uint32_t outcome;            // a WindowOutcome
  int32_t status;              // that a native kernel returned
  uint32_t output_count;       // of `outputs`
  uint32_t text_bytes;         // of `text`
  ReportedOutput outputs[kMaxOutputs];
  char text[kMaxTextBytes];
  std::atomic<uint32_t> submitted;  // the runner's, where work is queued; else it stays 0
  std::atomic<WindowKind> kind;     // the judge's
  // The runner's, of artifacts alone, which assay has compiled itself. Not 0: it turns to the
  // candidate now. How it ended before that is not the candidate's doing.
  std::atomic<uint32_t> begun;
  // The judge's: how often the candidate is called in this window, each time with the next slot of
  // all tensors but the constants. After a call that does not finish there is none.
  std::atomic<uint32_t> calls;
  // The runner's, where the sheet has "in_place": where each call's results begin in its memory,
  // dense; 0 where there is none, and kPutBack where the model keeps that memory and has it as it
  // was before the call. The judge reads them there while the runner stands still.
  uint64_t addresses[kMaxAddresses];
  // The judge's, on a card (run/cuda/mirror.h). Not 0: the runner queues a wait until the first of
  // the card's words is this, then the calls, then that the second word is this, and is done when
  // all is queued. 0: it is done when the card has done it all.
  std::atomic<uint32_t> gate;
};
static_assert(sizeof(ReportedOutput) == 80);
static_assert(offsetof(ControlPage, outputs) == 24);
static_assert(offsetof(ControlPage, submitted) == 9240);
static_assert(offsetof(ControlPage, kind) == 9244);
static_assert(offsetof(ControlPage, begun) == 9248);
static_assert(offsetof(ControlPage, calls) == 9252);
static_assert(offsetof(ControlPage, addresses) == 9256);
static_assert(offsetof(ControlPage, gate) == 31784);
static_assert(sizeof(ControlPage) <= ControlPage::kBytes);
static_assert(std::atomic<uint32_t>::is_always_lock_free);
static_assert(std::atomic<WindowKind>::is_always_lock_free);

// Of the runner's: each word is read once, as without a jail nobody holds the runner meanwhile.
template <class T>
T read_once(const T& word) {
  return const_cast<const volatile T&>(word);
}

}  // namespace assay
