// The judge of gpu-probe: its own context on the card, shared memory with one candidate at a time,
// and windows of several kinds, so that their ends and starts can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "driver.h"
#include "memory.h"
#include "report.h"
#include "side.h"

namespace assay::gpu {

// When the inputs are written, and when the clock starts.
enum class Start {
  gap,             // all are written, then 1 ms passes, then the clock starts: naive
  at_write_end,    // the clock starts when they are written
  scatter_inside,  // all are written before; one in a hundred again, at secret places, behind t0
  whole_inside,    // all are written behind t0
};
inline constexpr std::string_view kStartNames[] = {"gap", "at_write_end", "scatter_inside",
                                                   "whole_inside"};

// What ends a window: reading a secret sample of the outputs.
enum class End {
  kernel,  // with a kernel of the judge's: its context has to come on the card first
  engine,  // with the copy engine, whosever kernels are on the card
};

struct WindowPlan {
  Act act = Act::honest;
  Start start = Start::whole_inside;
  End end = End::kernel;
  bool freeze = true;
  bool freeze_late = false;  // behind the sample, before all is copied
  bool poison = true;
  bool probe = true;
  bool late = false;     // reads the outputs again when all of the candidate's work has ended
  uint32_t seed = 0;     // of the inputs; 0: a fresh one
  bool scatter = false;  // with gap: one in a hundred differs from those of `seed`
  int64_t gap_us = 1000;
};

struct Window {
  int64_t probe_ns = 0;   // an empty kernel of the judge's, before
  int64_t write_ns = 0;   // until the inputs inside the window were written
  int64_t done_ns = 0;    // from t0 until the candidate said so
  int64_t frozen_ns = 0;  // until it stood still
  int64_t wall_ns = 0;    // until the judge had its sample
  int64_t card_ns = 0;    // from the end of the writes to that of the sample, by the judge's events
  int64_t all_card_ns = 0;  // from before the writes
  int64_t sample_ns = 0;    // from the freeze to the sample
  uint64_t wrong_sample = 0;
  uint64_t wrong = 0;       // of the copy that follows the sample
  uint64_t wrong_late = 0;  // of what stands there when all has ended
};

class Judge {
 public:
  static constexpr uint32_t kSample = 4096;

  // Memory for so much is made. The process has a context of the card then.
  Judge(uint32_t elements, uint32_t slots);
  ~Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  const ArenaLayout& layout() const { return layout_; }
  const SharedMemory& arena() const { return arena_; }
  std::unique_ptr<Side> start_side(JailOptions jail = {});
  // Ends the program where it does not start.
  std::unique_ptr<Side> start_honest_side();
  // So many at once.
  std::vector<std::unique_ptr<Side>> start_honest_sides(size_t count);

  Window window(Side& side, const WindowPlan& plan);
  // Calls queued on the card behind a word; nothing of the host stands between start and end.
  Window gated_window(Side& side, End end = End::kernel, Act act = Act::arm);
  // Its parts, for candidates that may not come so far: tells the number of the gate, to be asked
  // for a call behind it; then the window; or the gate opens without one.
  void close_gate(Side& side) { side.page().parameter[3] = ++gates_; }
  Window open_gate(End end);
  void open_gate_alone(uint32_t place = 0);
  // Off: windows don't say what is wrong.
  void set_verifies(bool verifies) { verifies_ = verifies; }
  // Inputs are numbers from -1 to 1 then, and nothing is verified.
  void set_floats() {
    floats_ = true;
    verifies_ = false;
  }
  // How many floats of the outputs are further from those of the private copy than that.
  uint64_t floats_apart(uint32_t count, float tolerance);
  void keep_outputs();

  // Latencies of things of the judge's own, until it knows of their end.
  int64_t null_ns();
  int64_t read_back_ns();  // 4 KiB to the host by the copy engine
  int64_t copy_ns();       // the outputs to private memory by cuMemcpyDtoDAsync
  int64_t sample_ns();
  int64_t engine_sample_ns();
  // Pieces of 16 bytes in each of eight strips; up to 512.
  void set_engine_rows(uint32_t rows) { rows_ = rows; }
  // A strip begins within its first distance then, and goes on to the end of the outputs: of its
  // random distances the largest leaves it so many pieces, the smallest twice as many.
  void set_strips_to_end(bool to_end) { to_end_ = to_end; }
  uint32_t pieces() const;  // of the last sample
  // Off: windows end with the sample.
  void set_copies(bool copies) { copies_ = copies; }
  int64_t write_4k_ns();    // from the host by the copy engine
  int64_t bandwidth_ns();   // reads 256 MiB of its own
  int64_t copy_probe_ns();  // copies 128 MiB of its own by the copy engine
  // Writes 256 MiB of its own, so many times.
  void flush(int times);
  // Megahertz of a multiprocessor, by its cycles in 50 us.
  double sm_mhz();
  // Makes the card's clocks rise.
  void warm_up(int64_t for_ms = 300);

  // Rounds with which one call on a slot takes about so long; and what it takes, by events.
  uint32_t rounds_for(double microseconds);
  double microseconds_of(uint32_t rounds, int trials = 9, int calls = 4);

  CUfunction kernel(const char* name) const { return kernels_[name]; }
  CUstream stream() const { return stream_; }
  CUdeviceptr inputs() const { return arena_.address; }
  CUdeviceptr outputs() const { return arena_.address + layout_.outputs_at(); }
  CUdeviceptr word(uint32_t place) const { return arena_.address + layout_.words_at() + 4 * place; }
  CUdeviceptr taken() const { return taken_; }
  CUdeviceptr private_copy() const { return copy_; }
  uint32_t secret() { return random_() | 1; }
  void synchronize();
  // Of the outputs as they are now, for the inputs of the last window.
  uint64_t wrong_now();
  void poison_outputs();
  void write_all_inputs(uint32_t seed);
  std::vector<uint32_t> read(CUdeviceptr from, uint64_t words);

 private:
  void choose_places();
  void queue_sample(End end);
  void queue_copy();
  void queue_engine_sample();
  void take_engine_sample();
  uint64_t wrong_in(CUdeviceptr outputs);
  uint64_t wrong_in_sample(End end);
  uint64_t counted();
  int64_t timed(const std::function<void()>& queue);

  ArenaLayout layout_;
  SharedMemory arena_;
  Kernels kernels_;
  CUstream stream_ = nullptr;
  CUevent begun_ = nullptr, written_ = nullptr, sampled_ = nullptr;
  CUdeviceptr taken_ = 0, places_ = 0, copy_ = 0, counts_ = 0, large_ = 0;
  uint32_t seed_ = 0, secret_ = 0, second_ = 0, rounds_ = 1, gates_ = 0;
  bool floats_ = false, verifies_ = true, copies_ = true, to_end_ = false;
  // Pieces of the outputs at secret distances, as the copy engine takes them.
  struct Strip {
    uint64_t offset;
    uint64_t pitch;
    uint32_t rows;
  };
  static constexpr uint32_t kStrips = 8, kMostRows = 512, kPiece = 16;
  static constexpr uint32_t kMostOfEngine = kStrips * 2 * kMostRows * kPiece / 4;
  uint32_t rows_ = 128;
  Strip strips_[kStrips]{};
  uint32_t* pinned_ = nullptr;
  std::mt19937 random_{std::random_device{}()};
};

// The honest and the hostile windows of one kind side by side.
struct Tally {
  std::vector<int64_t> done_ns, wall_ns, card_ns, all_card_ns, probe_ns, sample_ns, frozen_ns,
      write_ns;
  std::vector<int64_t> right_wall_ns, right_card_ns,
      right_all_card_ns;  // of windows with right outputs
  int windows = 0;
  int wrong_only_by_copy = 0;  // the sample was right
  int wrong_sample = 0, wrong = 0, wrong_late = 0;
  uint64_t most_wrong = 0;
  std::vector<uint64_t> wrong_words;  // of the samples that saw any

  void add(const Window& window);
  void print_to(Row& row) const;
};

}  // namespace assay::gpu
