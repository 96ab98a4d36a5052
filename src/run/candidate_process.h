// The judge's side of a runner: a process, jailed, that holds one candidate and calls it whenever
// the judge opens a window (control_page.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/attempt.h"
#include "model/device.h"
#include "run/control_page.h"
#include "run/cuda/mirror.h"
#include "run/extension.h"
#include "run/results_in_place.h"
#include "run/shared_tensors.h"
#include "sandbox/children.h"

namespace assay {

// Which results the judge reads in the memory of a runner that has them in place.
enum class ResultsAre {
  in_place,  // those that a call has left
  copied,    // copies of them, made within the window: calls leave them in the same memory
  restored,  // the same, and behind each call all that the model keeps is as it was before it
};
inline constexpr Word<ResultsAre> kResultsAreWords[] = {{ResultsAre::in_place, "in_place"},
                                                        {ResultsAre::copied, "copied"},
                                                        {ResultsAre::restored, "restored"}};

// What a runner is given. The memory outlives the runner and is the caller's.
struct CandidateJob {
  Image image;
  Limits limits;  // with the jail
  Json sheet;     // what this kind of runner is told: python/assay_worker/sheet.py
  Device device;  // that it is to run on, which becomes part of the sheet
  const SharedTensors* inputs = nullptr;
  const SharedTensors* inout = nullptr;
  const SharedTensors* outputs = nullptr;
  const SharedTensors* constants = nullptr;
  int candidate_fd = -1;          // its source or its binary, sealed
  std::vector<int> extensions{};  // libraries, in the order of the sheet's "extensions"
  // An empty memory file that it writes to: where the sheet has "gpu" to be compiled for, or
  // "operators".
  int written_fd = -1;
  // A memory file in which a process that compiles the problem's own model leaves what the next can
  // use, where the sheet has "leaves". Nobody but such processes reads it.
  int left_fd = -1;
  // Its runner is an interpreter that is started for it, and may itself be what fails to start. Not
  // for candidates that could reach the control page then.
  bool may_not_start = false;
  // Results are read in its own memory, and not copied by it to `outputs`: windows cost it less.
  bool in_place = false;
  ResultsAre results = ResultsAre::in_place;  // with in_place
  bool is_timed = false;  // somebody goes by what windows take, and wants every clock there is
};

// How one window ended.
struct Window {
  enum class Kind {
    finished,   // the candidate returned, and the outputs are where the judge reads them
    raised,     // `text` says what
    declined,   // a native kernel returned `status`
    odd,        // its outputs are not of the problem's kind: `reported`
    timed_out,  // the runner stands still, and is ended next
    ended,      // the runner ended by itself: `ending`
  };
  Kind kind = Kind::finished;
  FailureClass failure = FailureClass::exception;  // what it is as one that raised
  std::string text;
  bool not_here = false;  // it raised since what it asks for is not here, as it says itself
  int status = 0;
  bool submitted = false;                // where work is queued: the call had returned
  std::vector<ReportedOutput> reported;  // of every window that did not time out or end
  Ending ending;
  // Until all was frozen; of work for a card, by that one's clock where the window had a gate, else
  // until a sample of its results had been read.
  int64_t wall_ns = 0;
  bool waits = false;         // it was to have a gate, and a call waited for the card
  bool wrote_inputs = false;  // memory of inputs that the problem does not change: on a card
  // Of all its processes; the other clocks where windows are timed (CandidateJob).
  JailTimes used;
};

// What a runner's first message comes to: what it says of itself, {"device", "parameters", "why"},
// why it is not ready, or what it needs before it can be. It may say anything.
std::variant<Json, StageRecord, ExtensionRequest> read_ready(const Json& message,
                                                             const Device& device);

// What a runner says of a window that is done, its times aside. It may say anything.
Window read_page(const ControlPage& page);

class CandidateProcess {
 public:
  // Starts one and waits until it is ready. A finding about the candidate, or an inability, is the
  // StageRecord; one that needs an extension has ended, and is to be started again with it. An
  // error is assay's own.
  using Started = std::variant<std::unique_ptr<CandidateProcess>, StageRecord, ExtensionRequest>;
  static Result<Started> start(Children& children, const CandidateJob& job);
  ~CandidateProcess();

  // What it said when it was ready: {"device": {...}, "parameters": "copied"}, and "why", "beside",
  // "beside_elements", as the candidate has it.
  // Text, and no more to be believed than anything else of it.
  const Json& facts() const { return facts_; }
  // Its process's number, in assay's pid namespace.
  Result<int> process() const;
  // Which process of its image it was forked from (Fork::process).
  unsigned forked_from() const { return fork_.process; }
  // From its fork until it was ready: what its author does before the first call, and nothing of
  // the image's own start.
  int64_t setup_ns() const { return ready_ns_ - fork_.forked_ns; }

  // Calls the candidate, once for each of so many slots. Inputs are written and outputs poisoned
  // before. After a window that
  // timed out or ended there is no further one.
  Result<Window> window(int64_t timeout_ns, WindowKind kind = WindowKind::call, uint32_t calls = 1);
  // Of work for a card, from the next window on: calls are queued behind a gate, and timed by the
  // card's clock.
  void set_gated(bool is_gated) { is_gated_ = is_gated; }
  // With in_place: where it leaves what the last window's calls return.
  const ResultsInPlace& results() const { return *results_; }
  // Ends it, where it still runs. The ending has no more than its kind where it does not end in
  // time: no finding is given up for that. There is no further window.
  Result<Ending> end();
  // Has it end by itself, as it does when all is over, and so what it runs in; which is ended where
  // that takes longer. There is no further window.
  Result<Ending> finish(int64_t timeout_ns);

 private:
  CandidateProcess(Children& children, ChildId child, UniqueFd page_file, ControlPage* page);
  Result<Window> hold_window(int64_t timeout_ns, bool moves, uint32_t calls);
  Status end_on_card(int64_t timeout_ns, bool is_queued, Window& window);
  Result<Ending> end_behind(const Error& failure, int64_t timeout_ns);
  Result<bool> wait_until_done(uint32_t number, int64_t deadline_ns, Window& window);
  Result<JailTimes> used();
  Status freeze();
  Status thaw();

  Children& children_;
  ChildId child_;
  bool running_ = true;
  UniqueFd page_file_;
  ControlPage* page_;
  std::shared_ptr<Freezer> freezer_;
  std::optional<ResultsInPlace> results_;
  bool is_timed_ = false;
  std::unique_ptr<cuda::Mirror> mirror_;  // of work for a card
  bool is_gated_ = false;
  uint32_t gates_ = 0;
  Json facts_;
  Fork fork_;
  int64_t ready_ns_ = 0;
  uint32_t last_window_ = 0;
};

}  // namespace assay
