#include "judge.h"

#include <algorithm>
#include <cmath>

namespace assay::gpu {
namespace {

constexpr uint64_t kLargeBytes = uint64_t{256} << 20;

}  // namespace

Judge::Judge(uint32_t elements, uint32_t slots) : layout_{elements, slots} {
  open_card();
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) die("who am I?");
  std::string path = self;
  kernels_.load(path.substr(0, path.rfind('/')) + "/kernels.cubin");
  arena_ = make_shared_memory(layout_.bytes());
  check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "make a stream");
  check(driver().cuEventCreate(&begun_, CU_EVENT_DEFAULT), "make an event");
  check(driver().cuEventCreate(&written_, CU_EVENT_DEFAULT), "make an event");
  check(driver().cuEventCreate(&sampled_, CU_EVENT_DEFAULT), "make an event");
  taken_ = allocate(uint64_t{kMostOfEngine} * 4);
  places_ = allocate(uint64_t{kMostOfEngine} * 4);
  void* pinned = nullptr;
  check(driver().cuMemHostAlloc(&pinned, uint64_t{kMostOfEngine} * 4, 0), "pin memory");
  pinned_ = static_cast<uint32_t*>(pinned);
  copy_ = allocate(layout_.count() * 4);
  counts_ = allocate(4096);
  large_ = allocate(kLargeBytes);
  check(driver().cuMemsetD32(arena_.address, 0, layout_.bytes() / 4), "clear");
  check(driver().cuMemsetD32(large_, 1, kLargeBytes / 4), "fill");
  check(driver().cuCtxSynchronize(), "synchronize");
}

std::unique_ptr<Side> Judge::start_side(JailOptions jail) {
  Side::Plan plan;
  plan.elements = layout_.elements;
  plan.slots = layout_.slots;
  plan.arena_fd = arena_.fd;
  plan.jail = std::move(jail);
  return std::make_unique<Side>(plan);
}

std::unique_ptr<Side> Judge::start_honest_side() {
  auto side = start_side();
  if (!side->problem().empty()) die("no candidate: %s", side->problem().c_str());
  return side;
}

std::vector<std::unique_ptr<Side>> Judge::start_honest_sides(size_t count) {
  std::vector<std::unique_ptr<Side>> sides;
  Side::Plan plan;
  plan.elements = layout_.elements;
  plan.slots = layout_.slots;
  plan.arena_fd = arena_.fd;
  plan.waits = false;
  for (size_t i = 0; i < count; ++i) sides.push_back(std::make_unique<Side>(plan));
  for (auto& side : sides) {
    side->await_ready();
    if (!side->problem().empty()) die("no candidate: %s", side->problem().c_str());
  }
  return sides;
}

void Judge::synchronize() { check(driver().cuStreamSynchronize(stream_), "synchronize"); }

void Judge::choose_places() {
  std::vector<uint32_t> places(kSample);
  std::uniform_int_distribution<uint32_t> any(0, static_cast<uint32_t>(layout_.count() - 1));
  for (uint32_t& place : places) place = any(random_);
  check(driver().cuMemcpyHtoD(places_, places.data(), places.size() * 4), "choose places");
  uint64_t pieces = layout_.count() * 4 / kPiece;
  uint64_t widest = to_end_ ? pieces / rows_ : (pieces - 1) / (rows_ - 1);
  for (Strip& strip : strips_) {
    uint64_t pitch = std::uniform_int_distribution<uint64_t>(widest / 2 + 1, widest)(random_);
    uint64_t last = to_end_ ? pitch - 1 : pieces - 1 - pitch * (rows_ - 1);
    uint64_t begin = std::uniform_int_distribution<uint64_t>(0, last)(random_);
    strip.pitch = pitch * kPiece;
    strip.offset = begin * kPiece;
    strip.rows = to_end_ ? static_cast<uint32_t>((pieces - 1 - begin) / pitch + 1) : rows_;
  }
}

uint32_t Judge::pieces() const {
  uint32_t all = 0;
  for (const Strip& strip : strips_) all += strip.rows;
  return all;
}

void Judge::queue_engine_sample() {
  uint64_t before = 0;
  for (const Strip& strip : strips_) {
    CUDA_MEMCPY2D piece{};
    piece.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    piece.srcDevice = outputs() + strip.offset;
    piece.srcPitch = strip.pitch;
    piece.dstMemoryType = CU_MEMORYTYPE_HOST;
    piece.dstHost = pinned_ + before * kPiece / 4;
    piece.dstPitch = kPiece;
    piece.WidthInBytes = kPiece;
    piece.Height = strip.rows;
    check(driver().cuMemcpy2DAsync(&piece, stream_), "take a sample");
    before += strip.rows;
  }
}

// Puts it where samples are verified.
void Judge::take_engine_sample() {
  std::vector<uint32_t> places;
  places.reserve(kMostOfEngine);
  for (const Strip& strip : strips_)
    for (uint32_t row = 0; row < strip.rows; ++row)
      for (uint32_t word = 0; word < kPiece / 4; ++word)
        places.push_back(static_cast<uint32_t>((strip.offset + row * strip.pitch) / 4 + word));
  check(driver().cuMemcpyHtoD(places_, places.data(), places.size() * 4), "tell places");
  check(driver().cuMemcpyHtoD(taken_, pinned_, places.size() * 4), "tell a sample");
}

void Judge::poison_outputs() {
  auto count = static_cast<uint32_t>(layout_.count());
  check(launch(kernels_["poison"], {blocks_for(count)}, stream_, outputs(), count, secret()),
        "poison");
}

void Judge::write_all_inputs(uint32_t seed) {
  auto count = static_cast<uint32_t>(layout_.count());
  seed_ = seed;
  secret_ = 0;
  check(launch(kernels_[floats_ ? "write_floats" : "write_inputs"], {blocks_for(count)}, stream_,
               inputs(), count, seed),
        "write inputs");
}

void Judge::keep_outputs() {
  queue_copy();
  synchronize();
}

uint64_t Judge::floats_apart(uint32_t count, float tolerance) {
  check(driver().cuMemsetD32Async(counts_, 0, 2, stream_), "clear");
  check(launch(kernels_["count_apart"], {blocks_for(count)}, stream_, outputs(), copy_, count,
               tolerance, counts_),
        "compare");
  return counted();
}

void Judge::queue_sample(End end) {
  if (end == End::engine)
    queue_engine_sample();
  else
    check(launch(kernels_["sample"], {kSample / 256}, stream_, taken_, outputs(), places_, kSample),
          "take a sample");
  check(driver().cuEventRecord(sampled_, stream_), "record");
}

void Judge::queue_copy() {
  if (!copies_) return;
  auto count = static_cast<uint32_t>(layout_.count());
  check(launch(kernels_["copy"], {blocks_for(count)}, stream_, copy_, outputs(), count), "copy");
}

uint64_t Judge::counted() {
  synchronize();
  uint64_t count = 0;
  check(driver().cuMemcpyDtoH(&count, counts_, sizeof count), "read a count");
  return count;
}

uint64_t Judge::wrong_in(CUdeviceptr results) {
  if (!verifies_) return 0;
  auto count = static_cast<uint32_t>(layout_.count());
  check(driver().cuMemsetD32Async(counts_, 0, 2, stream_), "clear");
  check(launch(kernels_["verify"], {blocks_for(count)}, stream_, results, count, seed_, secret_,
               second_, rounds_, counts_),
        "verify");
  return counted();
}

uint64_t Judge::wrong_in_sample(End end) {
  if (!verifies_) return 0;
  uint32_t count = end == End::engine ? pieces() * kPiece / 4 : kSample;
  if (end == End::engine) take_engine_sample();
  check(driver().cuMemsetD32Async(counts_, 0, 2, stream_), "clear");
  check(launch(kernels_["verify_sample"], {count / 256}, stream_, taken_, places_, count, seed_,
               secret_, second_, rounds_, counts_),
        "verify the sample");
  return counted();
}

uint64_t Judge::wrong_now() { return wrong_in(outputs()); }

Window Judge::window(Side& side, const WindowPlan& plan) {
  Window result;
  rounds_ = side.page().rounds;
  auto count = static_cast<uint32_t>(layout_.count());
  choose_places();
  if (plan.freeze) side.freeze();
  if (plan.poison) poison_outputs();
  uint32_t seed = plan.seed != 0 ? plan.seed : secret();
  auto scatter = [&] {
    secret_ = secret();
    second_ = secret();
    check(launch(kernels_["scatter_inputs"], {blocks_for(count)}, stream_, inputs(), count, secret_,
                 second_),
          "scatter inputs");
  };
  auto record = [&] { check(driver().cuEventRecord(written_, stream_), "record"); };
  if (plan.start == Start::at_write_end) {
    synchronize();
    if (plan.probe) result.probe_ns = null_ns();
  }
  if (plan.start != Start::whole_inside) {
    if (plan.start != Start::scatter_inside)
      check(driver().cuEventRecord(begun_, stream_), "record");
    write_all_inputs(seed);
    if (plan.scatter) scatter();
    record();
  }
  synchronize();
  if (plan.start == Start::gap && plan.gap_us > 0) sleep_us(plan.gap_us);
  if (plan.probe && plan.start != Start::at_write_end) result.probe_ns = null_ns();
  int64_t begin_ns = now_ns();
  if (plan.start == Start::whole_inside || plan.start == Start::scatter_inside) {
    check(driver().cuEventRecord(begun_, stream_), "record");
    if (plan.start == Start::whole_inside)
      write_all_inputs(seed);
    else
      scatter();
    record();
    synchronize();
  }
  result.write_ns = now_ns() - begin_ns;
  side.go(plan.act);
  if (!side.wait()) die("%s", side.problem().c_str());
  result.done_ns = now_ns() - begin_ns;
  if (plan.freeze && !plan.freeze_late) side.freeze();
  result.frozen_ns = now_ns() - begin_ns;
  queue_sample(plan.end);
  if (!plan.freeze_late) queue_copy();
  check(driver().cuEventSynchronize(sampled_), "wait for the sample");
  result.wall_ns = now_ns() - begin_ns;
  result.sample_ns = result.wall_ns - result.frozen_ns;
  if (plan.freeze_late) {
    if (plan.freeze) side.freeze();
    queue_copy();
  }
  synchronize();
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, written_, sampled_), "ask for a time");
  result.card_ns = std::llround(static_cast<double>(milliseconds) * 1e6);
  check(driver().cuEventElapsedTime(&milliseconds, begun_, sampled_), "ask for a time");
  result.all_card_ns = std::llround(static_cast<double>(milliseconds) * 1e6);
  result.wrong_sample = wrong_in_sample(plan.end);
  if (copies_) result.wrong = wrong_in(copy_);
  if (plan.late) {
    side.thaw();
    sleep_us(2000);  // for threads and host functions that have not begun
    side.call(Act::drain);
    sleep_us(2000);
    side.call(Act::drain);
    result.wrong_late = wrong_now();
  }
  return result;
}

Window Judge::gated_window(Side& side, End end, Act act) {
  rounds_ = side.page().rounds;
  side.thaw();
  close_gate(side);
  side.call(act);
  side.freeze();
  return open_gate(end);
}

void Judge::open_gate_alone(uint32_t place) {
  check(driver().cuStreamWriteValue32(stream_, word(place), gates_, CU_STREAM_WRITE_VALUE_DEFAULT),
        "open the gate");
  synchronize();
}

Window Judge::open_gate(End end) {
  Window result;
  choose_places();
  poison_outputs();
  synchronize();
  result.probe_ns = null_ns();
  int64_t begin_ns = now_ns();
  check(driver().cuEventRecord(begun_, stream_), "record");
  write_all_inputs(secret());
  check(driver().cuEventRecord(written_, stream_), "record");
  check(driver().cuStreamWriteValue32(stream_, word(0), gates_, CU_STREAM_WRITE_VALUE_DEFAULT),
        "open the gate");
  check(driver().cuStreamWaitValue32(stream_, word(1), gates_, CU_STREAM_WAIT_VALUE_GEQ),
        "wait for the candidate's word");
  queue_sample(end);
  queue_copy();
  check(driver().cuEventSynchronize(sampled_), "wait for the sample");
  result.wall_ns = now_ns() - begin_ns;
  synchronize();
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, written_, sampled_), "ask for a time");
  result.card_ns = std::llround(static_cast<double>(milliseconds) * 1e6);
  check(driver().cuEventElapsedTime(&milliseconds, begun_, sampled_), "ask for a time");
  result.all_card_ns = std::llround(static_cast<double>(milliseconds) * 1e6);
  result.wrong_sample = wrong_in_sample(end);
  if (copies_) result.wrong = wrong_in(copy_);
  return result;
}

int64_t Judge::timed(const std::function<void()>& queue) {
  int64_t begin_ns = now_ns();
  queue();
  synchronize();
  return now_ns() - begin_ns;
}

int64_t Judge::null_ns() {
  CUfunction function = kernels_["nothing"];
  return timed([&] { check(launch(function, {1, 32}, stream_), "launch an empty kernel"); });
}

int64_t Judge::read_back_ns() {
  static void* pinned = [] {
    void* memory = nullptr;
    check(driver().cuMemHostAlloc(&memory, 4096, 0), "pin memory");
    return memory;
  }();
  return timed(
      [&] { check(driver().cuMemcpyDtoHAsync(pinned, outputs(), 4096, stream_), "read back"); });
}

int64_t Judge::copy_ns() {
  return timed([&] {
    check(driver().cuMemcpyDtoDAsync(copy_, outputs(), layout_.count() * 4, stream_), "copy");
  });
}

int64_t Judge::sample_ns() {
  CUfunction function = kernels_["sample"];
  return timed([&] {
    check(launch(function, {kSample / 256}, stream_, taken_, outputs(), places_, kSample),
          "take a sample");
  });
}

int64_t Judge::engine_sample_ns() {
  choose_places();
  return timed([&] { queue_engine_sample(); });
}

int64_t Judge::write_4k_ns() {
  return timed([&] {
    check(driver().cuMemcpyHtoDAsync(taken_, pinned_, 4096, stream_), "write from the host");
  });
}

int64_t Judge::bandwidth_ns() {
  CUfunction function = kernels_["read_all"];
  return timed([&] {
    check(launch(function, {132 * 8}, stream_, large_, kLargeBytes / 16, counts_), "read");
  });
}

int64_t Judge::copy_probe_ns() {
  return timed([&] {
    check(driver().cuMemcpyDtoDAsync(large_, large_ + kLargeBytes / 2, kLargeBytes / 2, stream_),
          "copy");
  });
}

void Judge::flush(int times) {
  for (int i = 0; i < times; ++i)
    check(launch(kernels_["write_inputs"], {132 * 8}, stream_, large_,
                 static_cast<uint32_t>(kLargeBytes / 4), secret()),
          "flush");
  synchronize();
}

double Judge::sm_mhz() {
  check(launch(kernels_["count_cycles"], {1, 1}, stream_, uint64_t{50'000}, counts_),
        "count cycles");
  synchronize();
  uint64_t counts[2] = {};
  check(driver().cuMemcpyDtoH(counts, counts_, sizeof counts), "read");
  return counts[1] == 0 ? 0 : static_cast<double>(counts[0]) * 1e3 / static_cast<double>(counts[1]);
}

void Judge::warm_up(int64_t for_ms) {
  auto count = static_cast<uint32_t>(layout_.count());
  int64_t until_ns = now_ns() + for_ms * 1'000'000;
  while (now_ns() < until_ns) {
    for (int i = 0; i < 20; ++i)
      check(launch(kernels_["work"], {blocks_for(count)}, stream_, copy_, inputs(), count, 50U),
            "warm up");
    synchronize();
  }
}

double Judge::microseconds_of(uint32_t rounds, int trials, int calls) {
  CUfunction function = kernels_["work"];
  std::vector<double> times;
  for (int i = 0; i < trials; ++i) {
    check(driver().cuEventRecord(written_, stream_), "record");
    for (int call = 0; call < calls; ++call)
      check(launch(function, {blocks_for(layout_.elements)}, stream_, copy_, inputs(),
                   layout_.elements, rounds),
            "launch the work");
    check(driver().cuEventRecord(sampled_, stream_), "record");
    synchronize();
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, written_, sampled_), "ask for a time");
    times.push_back(static_cast<double>(milliseconds) * 1e3 / calls);
  }
  return quantile(times, 0.5);
}

uint32_t Judge::rounds_for(double microseconds) {
  double rounds = 100;
  for (int i = 0; i < 5; ++i) {
    bool is_long = i > 0 && microseconds > 5000;
    double took = microseconds_of(static_cast<uint32_t>(rounds), is_long ? 1 : 5, is_long ? 1 : 4);
    rounds = std::clamp(rounds * microseconds / took, 1.0, 4e9);
    if (is_long && i == 2) break;
  }
  return static_cast<uint32_t>(std::lround(rounds));
}

std::vector<uint32_t> Judge::read(CUdeviceptr from, uint64_t words) {
  std::vector<uint32_t> values(words);
  check(driver().cuMemcpyDtoH(values.data(), from, words * 4), "read");
  return values;
}

void Tally::add(const Window& window) {
  ++windows;
  done_ns.push_back(window.done_ns);
  wall_ns.push_back(window.wall_ns);
  card_ns.push_back(window.card_ns);
  all_card_ns.push_back(window.all_card_ns);
  probe_ns.push_back(window.probe_ns);
  sample_ns.push_back(window.sample_ns);
  frozen_ns.push_back(window.frozen_ns - window.done_ns);
  write_ns.push_back(window.write_ns);
  wrong_sample += window.wrong_sample != 0;
  wrong += window.wrong != 0;
  wrong_late += window.wrong_late != 0;
  if (window.wrong == 0 && window.wrong_sample == 0) {
    right_wall_ns.push_back(window.wall_ns);
    right_card_ns.push_back(window.card_ns);
    right_all_card_ns.push_back(window.all_card_ns);
  }
  wrong_only_by_copy += window.wrong != 0 && window.wrong_sample == 0;
  most_wrong = std::max(most_wrong, window.wrong);
  if (window.wrong_sample != 0) wrong_words.push_back(window.wrong_sample);
}

void Tally::print_to(Row& row) const {
  auto median_us = [&](const std::vector<int64_t>& values) {
    return static_cast<double>(quantile(values, 0.5)) / 1e3;
  };
  row.whole("windows", windows)
      .number("done_us", median_us(done_ns))
      .number("wall_us", median_us(wall_ns))
      .number("wall_us_p99", static_cast<double>(quantile(wall_ns, 0.99)) / 1e3)
      .number("card_us", median_us(card_ns))
      .number("all_card_us", median_us(all_card_ns))
      .number("freeze_us", median_us(frozen_ns))
      .number("sample_us", median_us(sample_ns))
      .number("write_us", median_us(write_ns))
      .number("probe_us", median_us(probe_ns))
      .number("probe_us_max", static_cast<double>(quantile(probe_ns, 1.0)) / 1e3)
      .whole("wrong_by_sample", wrong_sample)
      .whole("wrong_by_copy", wrong)
      .whole("wrong_only_by_copy", wrong_only_by_copy)
      .whole("wrong_late", wrong_late)
      .whole("most_wrong_elements", static_cast<int64_t>(most_wrong));
}

}  // namespace assay::gpu
