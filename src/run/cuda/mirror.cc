#include "run/cuda/mirror.h"

#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/signals_held.h"

namespace assay::cuda {
namespace {

constexpr uint64_t kWordsBytes = 4096;
// The sample: docs/gpu.md, "Large outputs". What is no larger than this is sampled whole.
constexpr uint64_t kPiece = 16, kStrips = 8, kRows = 128;
constexpr uint64_t kWholeBytes = kStrips * kRows * 2 * kPiece;
constexpr uint64_t kSampledBytes = 4 * kWholeBytes;  // of one part, unless it has very many tensors
constexpr unsigned kAtLeast = 0;  // of a wait for a word: it may have gone further
constexpr int64_t kLookEveryNs = 20'000;

// Of one call, without what lies between.
uint64_t tensor_bytes(const SharedTensors& tensors) {
  uint64_t bytes = 0;
  for (size_t n = 0; n < tensors.count(); ++n) bytes += tensors.tensor(n).size();
  return bytes;
}

// From the kernel: the candidate must not guess where it is looked.
uint64_t drawn_below(uint64_t end) {
  uint64_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return end == 0 ? 0 : value % end;
}

}  // namespace

Result<std::unique_ptr<Mirror>> Mirror::create(const SharedTensors& inputs,
                                               const SharedTensors& inout,
                                               const SharedTensors& outputs) {
  ASSAY_ASSIGN(const Driver* cuda, enter_context());
  const SignalsHeld held;  // the driver may start threads
  uint64_t bytes = kWordsBytes;
  for (const SharedTensors* each : {&inputs, &inout, &outputs})
    bytes += each->slots() * each->slot_bytes();
  ASSAY_ASSIGN(SharedMemory shared, SharedMemory::create(bytes));
  ASSAY_ASSIGN(PrivateMemory staging, PrivateMemory::create(bytes));
  uint64_t sampled_bytes = 0;
  for (const SharedTensors* each : {&inout, &outputs})
    sampled_bytes += std::max(kSampledBytes, each->slots() * each->count() * kPiece);
  ASSAY_ASSIGN(PinnedMemory sample, PinnedMemory::create(sampled_bytes));
  std::unique_ptr<Mirror> mirror(new Mirror(cuda, std::move(shared), std::move(staging),
                                            std::move(sample), inputs, inout, outputs));
  ASSAY_TRY(checked(*cuda, cuda->stream_create(&mirror->stream_, kNonBlocking), "make a stream"));
  ASSAY_TRY(checked(*cuda, cuda->stream_create(&mirror->rescue_, kNonBlocking), "make a stream"));
  for (Event* event : {&mirror->begun_, &mirror->ended_})
    ASSAY_TRY(checked(*cuda, cuda->event_create(event, 0), "make an event"));
  ASSAY_TRY(checked(*cuda, cuda->fill(mirror->word(0), 0, kWordsBytes / 4, mirror->stream_),
                    "clear its words"));
  ASSAY_TRY(checked(*cuda, cuda->stream_synchronize(mirror->stream_), "clear its words"));
  return mirror;
}

Mirror::Mirror(const Driver* cuda, SharedMemory shared, PrivateMemory staging, PinnedMemory sample,
               const SharedTensors& inputs, const SharedTensors& inout,
               const SharedTensors& outputs)
    : cuda_(cuda),
      shared_(std::move(shared)),
      staging_(std::move(staging)),
      sample_(std::move(sample)) {
  parts_ = {{.host = &inputs, .is_read = true},
            {.host = &inout, .is_read = true, .is_written = true},
            {.host = &outputs, .is_written = true}};
  uint64_t at = 0;
  for (Part& part : parts_) {
    part.at = at;
    at += part.host->slots() * part.host->slot_bytes();
  }
  words_at_ = at;
}

Mirror::~Mirror() {
  if (!enter_context()) return;
  // Nothing may be under way when the memory goes. An error may have left the stream where it
  // waits.
  if (rescue_ != nullptr) cuda_->stream_write_value(rescue_, word(1), awaited_, 0);
  for (Stream stream : {rescue_, stream_})
    if (stream != nullptr) cuda_->stream_synchronize(stream);
  for (Event event : {begun_, ended_})
    if (event != nullptr) cuda_->event_destroy(event);
  for (Stream stream : {stream_, rescue_})
    if (stream != nullptr) cuda_->stream_destroy(stream);
}

Json Mirror::layout() const {
  return {{"bytes", shared_.bytes()},
          {"inputs", parts_[0].at},
          {"inout", parts_[1].at},
          {"outputs", parts_[2].at},
          {"words", words_at_}};
}

Status Mirror::prepare(uint32_t calls) {
  ASSAY_TRY(enter_context());
  calls_ = std::min<uint32_t>(calls, static_cast<uint32_t>(parts_[0].host->slots()));
  for (const Part& part : parts_) {
    const Address to = (part.is_read ? staging_.address() : shared_.address()) + part.at;
    ASSAY_TRY(checked(*cuda_, cuda_->copy_to_device(to, part.data(), part.bytes(calls_), stream_),
                      "write to it"));
  }
  draw_strips();
  return checked(*cuda_, cuda_->stream_synchronize(stream_), "write to it");
}

void Mirror::add_strip(const Part& part, uint64_t begin, uint64_t pitch, uint64_t width,
                       uint64_t pieces) {
  strips_.push_back({&part, begin, pitch, width, pieces, sampled_bytes_});
  sampled_bytes_ += width * pieces;
}

void Mirror::draw_strips() {
  strips_.clear();
  sampled_bytes_ = 0;
  for (const Part& part : parts_) {
    if (!part.is_written || part.host->count() == 0) continue;
    const uint64_t bytes = part.bytes(calls_);
    if (bytes <= kWholeBytes)
      add_strip(part, 0, bytes, bytes, 1);
    else if (2 * tensor_bytes(*part.host) < part.host->slot_bytes())
      draw_strips_of_calls(part);
    else
      draw_strips_of(part);
  }
}

void Mirror::draw_strips_of(const Part& part) {
  const uint64_t pieces = part.bytes(calls_) / kPiece;
  for (uint64_t n = 0; n < kStrips; ++n) {
    const uint64_t widest = pieces / kRows;
    const uint64_t pitch = widest / 2 + 1 + drawn_below(widest - widest / 2);
    const uint64_t begin = drawn_below(pitch);
    add_strip(part, begin * kPiece, pitch * kPiece, kPiece, (pieces - 1 - begin) / pitch + 1);
  }
}

// Whole tensors, or as much of each as there is room for: in the next call a piece further on, as
// what is late may be at one place in all of them.
void Mirror::draw_strips_of_calls(const Part& part) {
  const SharedTensors& host = *part.host;
  const uint64_t slot = host.slot_bytes(), all = tensor_bytes(host) * calls_;
  const uint64_t room = kSampledBytes / 2 / (calls_ * host.count()) / kPiece * kPiece;
  for (size_t n = 0; n < host.count(); ++n) {
    const std::span<std::byte> tensor = host.tensor(n);
    if (tensor.empty()) continue;
    const auto begin = static_cast<uint64_t>(tensor.data() - host.all().data());
    const uint64_t width = all <= kSampledBytes
                               ? tensor.size()
                               : std::min<uint64_t>(tensor.size(), std::max(room, kPiece));
    const uint64_t places = (tensor.size() - width) / kPiece + 1;
    // Of half of all places, so that none is sure to be the n-th call's.
    const uint64_t most = places == 1 ? calls_ : (places + 1) / 2;
    for (uint64_t call = 0; call < calls_; call += most) {
      const uint64_t rows = std::min<uint64_t>(calls_ - call, most);
      const uint64_t place = places == 1 ? 0 : drawn_below(places - rows + 1);
      add_strip(part, call * slot + begin + place * kPiece, slot + (places == 1 ? 0 : kPiece),
                width, rows);
    }
  }
}

Status Mirror::queue_inputs() {
  for (const Part& part : parts_)
    if (part.is_read && part.host->count() > 0)
      ASSAY_TRY(
          checked(*cuda_,
                  cuda_->copy_on_device(shared_.address() + part.at, staging_.address() + part.at,
                                        part.bytes(calls_), stream_),
                  "write inputs"));
  return {};
}

Status Mirror::queue_sample() {
  for (const Strip& strip : strips_) {
    Copy2d copy;
    copy.from_device = shared_.address() + strip.part->at + strip.begin;
    copy.from_pitch = strip.pitch;
    copy.to_host = sample_.data() + strip.sample_at;
    copy.to_pitch = strip.width;
    copy.width_bytes = strip.width;
    copy.rows = strip.pieces;
    ASSAY_TRY(checked(*cuda_, cuda_->copy_2d(&copy, stream_), "take a sample"));
  }
  return {};
}

Status Mirror::write_inputs() {
  ASSAY_TRY(enter_context());
  ASSAY_TRY(queue_inputs());
  return checked(*cuda_, cuda_->stream_synchronize(stream_), "write inputs");
}

Status Mirror::take_sample() {
  ASSAY_TRY(enter_context());
  ASSAY_TRY(queue_sample());
  return checked(*cuda_, cuda_->stream_synchronize(stream_), "take a sample");
}

Result<bool> Mirror::wait_for(Event event, int64_t timeout_ns) {
  const int64_t end_ns = now_ns() + timeout_ns;
  while (true) {
    const Answer answer = cuda_->event_query(event);
    if (answer == 0) return true;
    if (answer != kNotReady) ASSAY_TRY(checked(*cuda_, answer, "wait for a window's end"));
    if (now_ns() > end_ns) return false;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kLookEveryNs));
  }
}

Result<int64_t> Mirror::elapsed_ns(Event from, Event to) const {
  float milliseconds = 0;
  ASSAY_TRY(checked(*cuda_, cuda_->event_elapsed(&milliseconds, from, to), "read its clock"));
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

Result<bool> Mirror::take_sample_behind(uint32_t gate, int64_t timeout_ns) {
  ASSAY_TRY(enter_context());
  awaited_ = gate;
  ASSAY_TRY(checked(*cuda_, cuda_->stream_wait_value(stream_, word(1), gate, kAtLeast),
                    "wait for a word"));
  ASSAY_TRY(queue_sample());
  ASSAY_TRY(checked(*cuda_, cuda_->event_record(ended_, stream_), "stop its clock"));
  ASSAY_ASSIGN(const bool came, wait_for(ended_, timeout_ns));
  // The judge's stream goes on, whatever the candidate's does.
  if (!came)
    ASSAY_TRY(checked(*cuda_, cuda_->stream_write_value(rescue_, word(1), gate, 0), "go on"));
  return came;
}

Result<std::optional<int64_t>> Mirror::measure(uint32_t gate, int64_t timeout_ns) {
  ASSAY_TRY(enter_context());
  ASSAY_TRY(checked(*cuda_, cuda_->event_record(begun_, stream_), "start its clock"));
  ASSAY_TRY(queue_inputs());
  ASSAY_TRY(checked(*cuda_, cuda_->stream_write_value(stream_, word(0), gate, 0), "open a gate"));
  ASSAY_ASSIGN(const bool came, take_sample_behind(gate, timeout_ns));
  if (!came) return std::optional<int64_t>{};
  ASSAY_ASSIGN(const int64_t ns, elapsed_ns(begun_, ended_));
  return std::optional(std::max<int64_t>(ns - own_ns(), 1));
}

Status Mirror::open(uint32_t gate) {
  ASSAY_TRY(enter_context());
  ASSAY_TRY(queue_inputs());
  ASSAY_TRY(checked(*cuda_, cuda_->stream_write_value(stream_, word(0), gate, 0), "open a gate"));
  return checked(*cuda_, cuda_->stream_synchronize(stream_), "open a gate");
}

Result<int64_t> Mirror::own_ns_of(uint32_t calls) {
  constexpr int kTimes = 7;
  ASSAY_TRY(prepare(calls));
  int64_t least_ns = 0;
  for (int n = 0; n < kTimes; ++n) {
    ASSAY_TRY(checked(*cuda_, cuda_->event_record(begun_, stream_), "start its clock"));
    ASSAY_TRY(queue_inputs());
    ASSAY_TRY(checked(*cuda_, cuda_->stream_write_value(stream_, word(2), 1, 0), "write a word"));
    ASSAY_TRY(queue_sample());
    ASSAY_TRY(checked(*cuda_, cuda_->event_record(ended_, stream_), "stop its clock"));
    ASSAY_TRY(checked(*cuda_, cuda_->stream_synchronize(stream_), "time itself"));
    ASSAY_ASSIGN(const int64_t ns, elapsed_ns(begun_, ended_));
    least_ns = least_ns == 0 ? ns : std::min(least_ns, ns);
  }
  return least_ns;
}

Status Mirror::time_itself() {
  ASSAY_ASSIGN(own_of_one_ns_, own_ns_of(1));
  ASSAY_ASSIGN(own_of_all_ns_, own_ns_of(static_cast<uint32_t>(parts_[0].host->slots())));
  return {};
}

// What is copied grows with the calls.
int64_t Mirror::own_ns() const {
  const auto slots = static_cast<double>(parts_[0].host->slots());
  if (slots <= 1) return own_of_one_ns_;
  const double part = (calls_ - 1) / (slots - 1);
  return own_of_one_ns_ + std::llround(part * static_cast<double>(own_of_all_ns_ - own_of_one_ns_));
}

Result<bool> Mirror::read_back() {
  ASSAY_TRY(enter_context());
  std::vector<std::byte>& inputs = inputs_there_;
  inputs.resize(parts_[0].host->count() > 0 ? parts_[0].bytes(calls_) : 0);
  for (const Part& part : parts_) {
    if (!part.is_written) continue;
    ASSAY_TRY(checked(
        *cuda_,
        cuda_->copy_to_host(part.data(), shared_.address() + part.at, part.bytes(calls_), stream_),
        "read results"));
  }
  if (!inputs.empty())
    ASSAY_TRY(checked(*cuda_,
                      cuda_->copy_to_host(inputs.data(), shared_.address() + parts_[0].at,
                                          inputs.size(), stream_),
                      "read inputs"));
  ASSAY_TRY(checked(*cuda_, cuda_->stream_synchronize(stream_), "read results"));
  for (const Strip& strip : strips_)
    for (uint64_t n = 0; n < strip.pieces; ++n)
      std::memcpy(strip.part->data() + strip.begin + n * strip.pitch,
                  sample_.data() + strip.sample_at + n * strip.width, strip.width);
  return std::ranges::equal(inputs, std::span(parts_[0].data(), inputs.size()));
}

}  // namespace assay::cuda
