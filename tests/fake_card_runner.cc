// A runner of candidates on a card, which is simulated (simulated_cuda/): its candidate's file is
// the name of one. It has the judge's memory there, and stands behind its gates, as the native
// runner does. What it computes is y = 2 x + 1, and most candidates cheat or fail in one way each.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/device.h"
#include "model/tensor.h"
#include "run/control_page.h"
#include "run/cuda/called_on_card.h"
#include "sandbox/futex.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"
#include "simulated_cuda/card_words.h"
#include "simulated_cuda/library.h"

namespace {

using namespace assay;
using cuda::Address;
using cuda::Answer;
using cuda::Stream;
using simulated::Kernel;

enum Place { kSheet, kPage, kInputs, kOutputs, kInout, kConstants, kCandidate, kCard, kPlaces };
constexpr unsigned kAtLeast = 0;

void answer(const Json& message) { wire::send(wire::kChannelFd, wire::frame(dump_json(message))); }

// What the driver refuses ends a call.
struct Refused {
  Answer code;
};
void must(Answer code) {
  if (code != 0) throw Refused{code};
}

// The card as one candidate has it.
class Card {
 public:
  Card(const Json& sheet, int descriptor)
      : library_(cuda::named_library()->c_str()),
        cuda_(*cuda::enter_context()),
        judges_(*cuda::CalledOnCard::create(sheet["card"], descriptor)),
        inputs_(begin_of(sheet["inputs"][0], "inputs")),
        outputs_(begin_of(sheet["outputs"][0], "outputs")),
        words_(address_of(judges_.begin_of("words"))),
        input_slot_(sheet["slot_bytes"]["inputs"]),
        output_slot_(sheet["slot_bytes"]["outputs"]),
        count_(static_cast<uint64_t>(tensor_from_json(sheet["inputs"][0])->elements())) {
    must(cuda_->stream_create(&other_, cuda::kNonBlocking));
  }

  const cuda::CalledOnCard& judges() const { return judges_; }
  std::string name_of(Answer code) const { return cuda::name_of(*cuda_, code); }
  Address x(uint32_t call) const { return inputs_ + call * input_slot_; }
  Address y(uint32_t call) const { return outputs_ + call * output_slot_; }
  uint64_t bytes() const { return count_ * sizeof(float); }
  Stream stream() const { return judges_.stream(); }  // that calls are told
  Stream other() const { return other_; }             // and one that nobody waits for

  void compute(uint32_t call, Stream on) {
    must(library_.launch(on, Kernel::compute, x(call), y(call), count_, 0));
  }
  void compute(uint32_t call) { compute(call, stream()); }
  void launch(Kernel kernel, uint64_t microseconds = 0) {
    must(library_.launch(stream(), kernel, 0, 0, 0, microseconds));
  }
  void wait_for(int word, uint32_t value, Stream on) {
    must(cuda_->stream_wait_value(on, at(word), value, kAtLeast));
  }
  void write(int word, uint32_t value, Stream on) {
    must(cuda_->stream_write_value(on, at(word), value, 0));
  }
  void copy(Address to, Address from) { must(cuda_->copy_on_device(to, from, bytes(), stream())); }
  void fill(Address to, uint32_t value) { must(cuda_->fill(to, value, 1, stream())); }
  Address own_memory(uint64_t bytes) {
    Address address = 0;
    must(cuda_->allocate(&address, bytes));
    return address;
  }
  void synchronize(Stream of) { must(cuda_->stream_synchronize(of)); }
  // By a thread of the host's, which sees that memory as the card does.
  bool is_allowed() const {
    return reinterpret_cast<const std::atomic<uint32_t>*>(at(simulated::kAllowed))->load() != 0;
  }

 private:
  static Address address_of(const std::byte* place) { return reinterpret_cast<Address>(place); }
  Address begin_of(const Json& tensor, const char* memory) const {
    return address_of(judges_.begin_of(memory)) + tensor["offset"].get<uint64_t>();
  }
  Address at(int word) const { return words_ + 4 * static_cast<uint64_t>(word); }

  simulated::Library library_;
  const cuda::Driver* cuda_;
  cuda::CalledOnCard judges_;
  Address inputs_, outputs_, words_;
  uint64_t input_slot_, output_slot_, count_;
  Stream other_ = nullptr;
};

// --- candidates ---

// One call of a window. `gate` is 0 where it has none.
struct Call {
  Card& card;
  uint32_t number, gate;
};

void is_honest(const Call& call) { call.card.compute(call.number); }

void takes_20_ms(const Call& call) {
  call.card.launch(Kernel::rest, 20'000);
  call.card.compute(call.number);
}

void waits_for_the_card(const Call& call) {
  call.card.compute(call.number);
  call.card.synchronize(call.card.stream());
}

// For a value, say, by which it goes on: what it has queued last is under way when it returns.
void waits_and_goes_on(const Call& call) {
  call.card.synchronize(call.card.stream());
  takes_20_ms(call);
}

// More than fits into a stream whose gate is closed.
void queues_too_much(const Call& call) {
  for (int n = 0; n < 1100; ++n) call.card.compute(call.number);
}

// In the attacks, what a call does too late is what comes when the test allows it: behind the
// window, however slow the machine is.
void works_on_in_another_stream(const Call& call) {
  call.card.wait_for(simulated::kAllowed, 1, call.card.other());
  call.card.compute(call.number, call.card.other());
}

void works_on_in_a_thread(const Call& call) {
  std::thread([call] {
    while (!call.card.is_allowed()) ::usleep(500);
    call.card.compute(call.number, call.card.other());
  }).detach();
}

void writes_the_second_word_itself(const Call& call) {
  call.card.write(simulated::kSecond, call.gate, call.card.other());
  call.card.wait_for(simulated::kAllowed, 1, call.card.stream());
  call.card.compute(call.number);
}

// Of the first call, which it makes as it should.
void replays_old_results(const Call& call) {
  static Address kept = 0;
  if (kept == 0) {
    kept = call.card.own_memory(call.card.bytes());
    call.card.compute(call.number);
    call.card.copy(kept, call.card.y(call.number));
  } else {
    call.card.copy(call.card.y(call.number), kept);
  }
}

// On a stream that no gate holds, so of inputs that are not there yet.
void computes_before_the_gate(const Call& call) {
  call.card.compute(call.number, call.card.other());
  call.card.synchronize(call.card.other());
}

// The judge is not the only one who can.
void opens_the_gate_itself(const Call& call) {
  call.card.write(simulated::kFirst, call.gate, call.card.other());
  call.card.compute(call.number);
  call.card.synchronize(call.card.stream());
}

void writes_its_inputs(const Call& call) {
  call.card.compute(call.number);
  call.card.fill(call.card.x(call.number), 0x3f800000);
}

void hangs_on_the_card(const Call& call) { call.card.launch(Kernel::never_end); }

void breaks_the_card(const Call& call) {
  call.card.launch(Kernel::wrong_address);
  call.card.compute(call.number);
}

void takes_all_memory(const Call& call) {
  for (int n = 0; n < 100; ++n) call.card.own_memory(1 << 20);
}

void dies(const Call& call) {
  call.card.compute(call.number);
  ::_exit(3);
}

void does_not_return(const Call&) {
  while (true) ::pause();
}

using Candidate = void (*)(const Call&);
const std::map<std::string, Candidate> kCandidates = {
    {"is honest", is_honest},
    {"takes 20 ms", takes_20_ms},
    {"waits for the card", waits_for_the_card},
    {"waits and goes on", waits_and_goes_on},
    {"queues too much", queues_too_much},
    {"works on in another stream", works_on_in_another_stream},
    {"works on in a thread", works_on_in_a_thread},
    {"writes the second word itself", writes_the_second_word_itself},
    {"replays old results", replays_old_results},
    {"computes before the gate", computes_before_the_gate},
    {"opens the gate itself", opens_the_gate_itself},
    {"writes its inputs", writes_its_inputs},
    {"hangs on the card", hangs_on_the_card},
    {"breaks the card", breaks_the_card},
    {"takes all memory", takes_all_memory},
    {"dies", dies},
    {"does not return", does_not_return},
};

// --- the runner ---

// Says done while there is work left, which an honest runner waits for. A candidate that has taken
// over its runner can.
bool waits_at_the_end(const std::string& candidate) {
  return !candidate.starts_with("works on") && candidate != "writes the second word itself";
}

void tell(ControlPage& page, const TensorSpec& output, const std::optional<std::string>& raised) {
  page.outcome = static_cast<uint32_t>(raised ? WindowOutcome::raised : WindowOutcome::finished);
  page.text_bytes = 0;
  if (raised) page.text_bytes = static_cast<uint32_t>(raised->copy(page.text, 200));
  page.output_count = 1;
  page.outputs[0] = {};
  page.outputs[0].dtype = static_cast<uint32_t>(output.dtype);
  page.outputs[0].rank = static_cast<int32_t>(output.shape.size());
  for (size_t i = 0; i < output.shape.size(); ++i) page.outputs[0].shape[i] = output.shape[i];
}

}  // namespace

int main() {
  auto job = wire::receive_job(wire::kChannelFd);
  if (!job || job->descriptors.size() != kPlaces) return 1;
  const std::vector<int>& fds = job->descriptors;
  const Json sheet = Json::parse(*read_memory_file(UniqueFd(fds[kSheet])));
  const std::string name = *read_memory_file(UniqueFd(fds[kCandidate]));
  const Candidate candidate = kCandidates.at(name);
  const TensorSpec output = *tensor_from_json(sheet["outputs"][0]);
  void* mapped =
      ::mmap(nullptr, ControlPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds[kPage], 0);
  if (mapped == MAP_FAILED) return 1;
  auto& page = *static_cast<ControlPage*>(mapped);
  Card card(sheet, fds[kCard]);
  answer({{"ready", true}, {"device", sheet["device"]}});

  uint32_t last = 0;
  while (true) {
    const uint32_t number = page.go.load(std::memory_order_acquire);
    if (number == last) {
      sandbox::sleep_while(page.go, last);
      continue;
    }
    if (number == ControlPage::kEnd) {
      answer({{"final", true}, {"ok", Json::object()}});
      return 0;
    }
    const uint32_t gate = page.gate.load();
    std::optional<std::string> raised;
    auto call = [&] {
      if (page.kind.load() != WindowKind::call) return;
      for (uint32_t n = 0; n < page.calls.load(); ++n) candidate({card, n, gate});
    };
    try {
      if (gate == 0 && !waits_at_the_end(name)) {
        call();
      } else if (Status on_card = card.judges().around(gate, call); !on_card) {
        raised = on_card.error().message;
      }
    } catch (const Refused& refused) {
      raised = card.name_of(refused.code);
    }
    tell(page, output, raised);
    last = number;
    page.done.store(number, std::memory_order_release);
    sandbox::wake_all(page.done);
  }
}
