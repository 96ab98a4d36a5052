// The card's side of a window (docs/gpu.md): memory that a candidate has on the card, what is
// written to it and read from it, and the clock of that.
//
// What judge and runner share in the host's memory (shared_tensors.h) is the same on the card, byte
// by byte: all slots, with what lies around tensors. A candidate maps that, and never the host's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/json.h"
#include "run/cuda/shared_memory.h"
#include "run/shared_tensors.h"

namespace assay::cuda {

class Mirror {
 public:
  // Of these, which outlive it.
  static Result<std::unique_ptr<Mirror>> create(const SharedTensors& inputs,
                                                const SharedTensors& inout,
                                                const SharedTensors& outputs);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  int fd() const { return shared_.fd(); }
  // Where what lies in it, in bytes: {"bytes", "inputs", "inout", "outputs", "words"}.
  Json layout() const;

  // Before a window of so many calls: their inputs go to memory of the judge's on the card, and
  // outputs are as they are in the host's memory, poisoned. Draws which pieces its sample is of.
  Status prepare(uint32_t calls);

  // A window without a gate: writes the inputs. The clock of the host's is running.
  Status write_inputs();
  // Behind it: reads a secret sample of the outputs. When this returns, the window is over.
  Status take_sample();

  // A gated window: the candidate's calls stand behind a word on the card that is to be at least
  // `gate`, and a second word becomes that behind them. Writes the inputs, opens, waits, takes the
  // sample; nothing of the host's stands in between. The time without the judge's own part of it.
  // Nothing: the second word did not come in time.
  Result<std::optional<int64_t>> measure(uint32_t gate, int64_t timeout_ns);
  // Opens the gate, for who waits for the card in a call. There is no time to be had of it.
  Status open(uint32_t gate);
  // Behind that, once the calls have returned: what they queued last may still be under way. Waits
  // for the second word, and takes the sample. False: the word did not come in time.
  Result<bool> take_sample_behind(uint32_t gate, int64_t timeout_ns);
  // Finds out what measure() takes where nobody is called, which is taken off what it measures.
  // Before there is a candidate, who could make it longer.
  Status time_itself();

  // All outputs, and inputs that may change, to the host's memory; over them the sample, which is
  // what was there when the window ended. Whether the other inputs are as they were written.
  Result<bool> read_back();

 private:
  Mirror(const Driver* cuda, SharedMemory shared, PrivateMemory staging, PinnedMemory sample,
         const SharedTensors& inputs, const SharedTensors& inout, const SharedTensors& outputs);

  // One of the three memories.
  struct Part {
    const SharedTensors* host = nullptr;
    uint64_t at = 0;  // in the shared memory, and in the judge's
    bool is_read = false, is_written = false;
    uint64_t bytes(uint32_t calls) const { return calls * host->slot_bytes(); }
    std::byte* data() const { return host->all(0).data(); }
  };
  // Pieces of a part, evenly apart: one copy of the driver's.
  struct Strip {
    const Part* part = nullptr;
    uint64_t begin = 0, pitch = 0, width = 0, pieces = 0;
    uint64_t sample_at = 0;
  };
  Status queue_inputs();
  Status queue_sample();
  void draw_strips();
  // Of a part that is dense: from a place that is drawn, to its end.
  void draw_strips_of(const Part& part);
  // Of one whose tensors are small beside what lies between them: some of each call's.
  void draw_strips_of_calls(const Part& part);
  void add_strip(const Part& part, uint64_t begin, uint64_t pitch, uint64_t width, uint64_t pieces);
  Address word(int number) const { return shared_.address() + words_at_ + 4 * number; }
  // False: not in time.
  Result<bool> wait_for(Event event, int64_t timeout_ns);
  Result<int64_t> elapsed_ns(Event from, Event to) const;
  Result<int64_t> own_ns_of(uint32_t calls);
  int64_t own_ns() const;

  const Driver* cuda_;
  SharedMemory shared_;
  PrivateMemory staging_;
  PinnedMemory sample_;
  std::vector<Part> parts_;
  uint64_t words_at_ = 0;
  Stream stream_ = nullptr, rescue_ = nullptr;
  Event begun_ = nullptr, ended_ = nullptr;
  uint32_t calls_ = 0;
  uint32_t awaited_ = 0;                 // what the second word is to be before the stream goes on
  std::vector<std::byte> inputs_there_;  // as read: a copy may come when nobody waits for it
  std::vector<Strip> strips_;
  uint64_t sampled_bytes_ = 0;                     // by strips_
  int64_t own_of_one_ns_ = 0, own_of_all_ns_ = 0;  // of one call, and of as many as there are slots
};

}  // namespace assay::cuda
