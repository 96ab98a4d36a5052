// The judge's memory on a card that is simulated: what is written there, and what a window's end
// sees of it. The candidate's part is played by a stream of this process.
#include "run/cuda/mirror.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "fakes/numbers.h"
#include "fakes/simulated_card.h"

namespace assay::cuda {
namespace {

constexpr std::byte kPoison{0xab};

TEST(CudaMemory, IsSharedByItsDescriptor) {
  const SimulatedCard card;
  auto made = SharedMemory::create(100);
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_EQ(made->bytes(), 2u << 20);  // in pieces of this size
  const SharedMemory moved = std::move(*made);
  auto* here = reinterpret_cast<std::byte*>(moved.address());
  here[99] = std::byte{7};
  void* there = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, moved.fd(), 0);
  ASSERT_NE(there, MAP_FAILED);
  EXPECT_EQ(static_cast<std::byte*>(there)[99], std::byte{7});
  ::munmap(there, 4096);
}

uint64_t free_bytes() {
  size_t free = 0, total = 0;
  EXPECT_EQ((*driver())->memory_info(&free, &total), 0);
  return free;
}

TEST(CudaMemory, IsGivenBack) {
  const SimulatedCard card;
  ASSERT_TRUE(enter_context());
  const uint64_t before = free_bytes();
  {
    auto shared = SharedMemory::create(1);
    auto own = PrivateMemory::create(1000);
    auto pinned = PinnedMemory::create(1000);
    ASSERT_TRUE(shared && own && pinned);
    const PrivateMemory moved = std::move(*own);
    const PinnedMemory moved_too = std::move(*pinned);
    EXPECT_NE(moved.address(), 0u);
    EXPECT_NE(moved_too.data(), nullptr);
    EXPECT_EQ(before - free_bytes(), (2u << 20) + 1000);
  }
  EXPECT_EQ(free_bytes(), before);
}

TEST(CudaMemory, MoreThanThereIsIsAnError) {
  SimulatedCard card;
  ASSERT_TRUE(enter_context());
  const uint64_t before = free_bytes();
  card.set("memory_bytes", 1 << 20);
  auto shared = SharedMemory::create(1);
  ASSERT_FALSE(shared);
  EXPECT_EQ(shared.error().message,
            "the GPU: cannot make memory for tensors: CUDA_ERROR_OUT_OF_MEMORY");
  auto own = PrivateMemory::create(2 << 20);
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().message,
            "the GPU: cannot make memory of the judge's: CUDA_ERROR_OUT_OF_MEMORY");
  card.set("memory_bytes", 1 << 30);
  EXPECT_EQ(free_bytes(), before);
}

class CudaMirror : public testing::Test {
 protected:
  void make(int64_t count, size_t slots = 1, int64_t inout_count = 0) {
    const auto tensors = [](int64_t n) {
      return n > 0 ? std::vector<TensorSpec>{{Dtype::f32, {n}, {}}} : std::vector<TensorSpec>{};
    };
    using Access = SharedTensors::Access;
    inputs_.emplace(*SharedTensors::create("x", tensors(count), Access::read, 0, slots));
    inout_.emplace(*SharedTensors::create("z", tensors(inout_count), Access::write, 0, slots));
    outputs_.emplace(*SharedTensors::create("y", tensors(count), Access::write, 0, slots));
    for (size_t slot = 0; slot < slots; ++slot) {
      auto* x = reinterpret_cast<float*>(inputs_->tensor(0, slot).data());
      for (int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i + 1);
      std::ranges::fill(outputs_->all(slot), kPoison);
    }
    auto made = Mirror::create(*inputs_, *inout_, *outputs_);
    ASSERT_TRUE(made) << made.error().describe();
    mirror_ = std::move(*made);
    layout_ = mirror_->layout();
    if (stream_ == nullptr) {
      ASSERT_EQ((*driver())->stream_create(&stream_, kNonBlocking), 0);
    }
  }
  void TearDown() override {
    if (stream_ != nullptr) (*driver())->stream_destroy(stream_);
  }

  std::byte* part(const char* name) const { return card_.memory() + layout_[name].get<uint64_t>(); }
  uint32_t word(int number) const {
    return reinterpret_cast<std::atomic<uint32_t>*>(part("words"))[number].load();
  }
  Address address(const char* name) const { return reinterpret_cast<Address>(part(name)); }

  // What a candidate queues behind a gate: `work`, between the two words.
  void queue(uint32_t gate, const std::function<void()>& work) {
    const Driver& cuda = **driver();
    EXPECT_EQ(cuda.stream_wait_value(stream_, address("words"), gate, 0), 0);
    work();
    EXPECT_EQ(cuda.stream_write_value(stream_, address("words") + 4, gate, 0), 0);
  }
  void compute(uint64_t count) {
    EXPECT_EQ(card_.library().launch(stream_, simulated::Kernel::compute, address("inputs"),
                                     address("outputs"), count, 0),
              0);
  }
  float result(int64_t index, size_t slot = 0) const {
    return reinterpret_cast<const float*>(outputs_->tensor(0, slot).data())[index];
  }
  bool is_poison(int64_t index) const {
    return outputs_->tensor(0)[static_cast<size_t>(index) * 4] == kPoison;
  }

  SimulatedCard card_;
  std::optional<SharedTensors> inputs_, inout_, outputs_;
  std::unique_ptr<Mirror> mirror_;
  Json layout_;
  Stream stream_ = nullptr;  // the candidate's
};

TEST_F(CudaMirror, LaysOutAllSlotsAndThenTheWords) {
  make(100, 3);
  EXPECT_EQ(layout_["inputs"], 0);
  EXPECT_EQ(layout_["inout"], 3 * inputs_->slot_bytes());
  EXPECT_EQ(layout_["outputs"], 3 * (inputs_->slot_bytes() + inout_->slot_bytes()));
  EXPECT_EQ(layout_["words"], layout_["outputs"].get<uint64_t>() + 3 * outputs_->slot_bytes());
  EXPECT_GE(layout_["bytes"], layout_["words"].get<uint64_t>() + 4096);
  EXPECT_GE(mirror_->fd(), 0);
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(word(1), 0u);
}

TEST_F(CudaMirror, InputsAreNotThereBeforeTheWindow) {
  make(100, 2);
  ASSERT_TRUE(mirror_->prepare(2));
  EXPECT_TRUE(std::ranges::equal(std::span(part("outputs"), outputs_->slot_bytes()),
                                 outputs_->all()));  // poisoned
  EXPECT_EQ(reinterpret_cast<const float*>(part("inputs"))[7], 0);
  ASSERT_TRUE(mirror_->write_inputs());
  for (size_t slot = 0; slot < 2; ++slot)
    EXPECT_TRUE(std::ranges::equal(
        std::span(part("inputs") + slot * inputs_->slot_bytes(), inputs_->slot_bytes()),
        inputs_->all(slot)));
}

// Only those of the slots that are called.
TEST_F(CudaMirror, AWindowOfFewerCallsMovesLess) {
  make(100, 2);
  ASSERT_TRUE(mirror_->prepare(1));
  ASSERT_TRUE(mirror_->write_inputs());
  EXPECT_EQ(reinterpret_cast<const float*>(part("inputs") + inputs_->slot_bytes())[7], 0);
}

TEST_F(CudaMirror, AGatedWindowIsTimedAndItsResultsAreRead) {
  make(100);
  ASSERT_TRUE(mirror_->prepare(1));
  queue(1, [&] {
    card_.library().launch(stream_, simulated::Kernel::rest, 0, 0, 0, 20'000);
    compute(100);
  });
  EXPECT_EQ(word(0), 0u);
  auto ns = mirror_->measure(1, 60 * kSecond);
  ASSERT_TRUE(ns) << ns.error().describe();
  ASSERT_TRUE(*ns);
  EXPECT_GE(**ns, 19'900'000);  // of 20 ms, read as milliseconds in a float
  auto are_as_written = mirror_->read_back();
  ASSERT_TRUE(are_as_written);
  EXPECT_TRUE(*are_as_written);
  EXPECT_EQ(result(0), 3);
  EXPECT_EQ(result(99), 201);
}

TEST_F(CudaMirror, WhatItTakesItselfIsTakenOff) {
  make(100, 4);
  ASSERT_TRUE(mirror_->time_itself());
  for (uint32_t calls : {1u, 3u, 4u}) {
    ASSERT_TRUE(mirror_->prepare(calls));
    queue(calls, [] {});
    auto ns = mirror_->measure(calls, 60 * kSecond);
    ASSERT_TRUE(ns && *ns);
    EXPECT_GE(**ns, 1);  // never 0 or less
  }
}

TEST_F(CudaMirror, AWindowWhoseSecondWordDoesNotComeIsOverAndTheNextOneIsNot) {
  make(100);
  ASSERT_TRUE(mirror_->prepare(1));
  auto ns = mirror_->measure(1, kSecond / 20);
  ASSERT_TRUE(ns) << ns.error().describe();
  EXPECT_EQ(*ns, std::nullopt);
  ASSERT_TRUE(mirror_->prepare(1));
  queue(2, [&] { compute(100); });
  ns = mirror_->measure(2, 60 * kSecond);
  ASSERT_TRUE(ns && *ns);
  ASSERT_TRUE(mirror_->read_back());
  EXPECT_EQ(result(99), 201);
}

// Its judge's stream has to have come to its end before its memory goes.
TEST_F(CudaMirror, GoesWhileAWindowHasNotEnded) {
  make(1 << 20);
  ASSERT_TRUE(mirror_->prepare(1));
  auto ns = mirror_->measure(1, 1);
  ASSERT_TRUE(ns);
  EXPECT_EQ(*ns, std::nullopt);
  mirror_.reset();
  EXPECT_EQ((*driver())->stream_synchronize(stream_), 0);  // no wrong address
  make(100);
}

TEST_F(CudaMirror, OpensAGateForWhoWaits) {
  make(100);
  ASSERT_TRUE(mirror_->prepare(1));
  queue(1, [&] { compute(100); });
  ASSERT_TRUE(mirror_->open(1));
  EXPECT_EQ((*driver())->stream_synchronize(stream_), 0);
  EXPECT_EQ(word(0), 1u);
  ASSERT_TRUE(mirror_->take_sample());
  ASSERT_TRUE(mirror_->read_back());
  EXPECT_EQ(result(99), 201);
}

TEST_F(CudaMirror, ToldWhoWroteToInputs) {
  make(100, 2);
  ASSERT_TRUE(mirror_->prepare(2));
  ASSERT_TRUE(mirror_->write_inputs());
  ASSERT_TRUE(mirror_->take_sample());
  EXPECT_TRUE(*mirror_->read_back());
  part("inputs")[inputs_->slot_bytes()] ^= std::byte{1};  // the last call's
  EXPECT_FALSE(*mirror_->read_back());
}

TEST_F(CudaMirror, InputsThatMayChangeAreReadAndWritten) {
  make(100, 1, 50);
  auto* z = reinterpret_cast<float*>(inout_->tensor(0).data());
  z[49] = 5;
  ASSERT_TRUE(mirror_->prepare(1));
  ASSERT_TRUE(mirror_->write_inputs());
  auto* there = reinterpret_cast<float*>(part("inout"));
  EXPECT_EQ(there[49], 5);
  there[49] = 6;
  ASSERT_TRUE(mirror_->take_sample());
  EXPECT_TRUE(*mirror_->read_back());
  EXPECT_EQ(z[49], 6);
}

TEST_F(CudaMirror, OfSmallResultsAllIsSampled) {
  make(100);
  ASSERT_TRUE(mirror_->prepare(1));
  ASSERT_TRUE(mirror_->write_inputs());
  ASSERT_TRUE(mirror_->take_sample());
  std::memset(part("outputs"), 0, outputs_->slot_bytes());  // too late
  ASSERT_TRUE(mirror_->read_back());
  for (int64_t i = 0; i < 100; ++i) EXPECT_TRUE(is_poison(i)) << i;
}

// Of large results a sample: strips of pieces that go on to the end, at most 1/128 apart.
TEST_F(CudaMirror, AnyPercentOfLargeResultsThatIsLateIsSeen) {
  constexpr int64_t kCount = 1 << 16, kPercent = kCount / 100 + 1;
  make(kCount);
  std::vector<std::byte> right(kCount * 4);
  for (int64_t i = 0; i < kCount; ++i) {
    const float y = static_cast<float>(2 * (i + 1) + 1);
    std::memcpy(right.data() + i * 4, &y, 4);
  }
  for (int time = 0; time < 5; ++time)
    for (int64_t late : {int64_t{0}, kCount / 2, kCount - kPercent, kCount / 10 * time}) {
      std::ranges::fill(outputs_->all(), kPoison);
      ASSERT_TRUE(mirror_->prepare(1));
      ASSERT_TRUE(mirror_->write_inputs());
      std::byte* y = part("outputs") + (outputs_->tensor(0).data() - outputs_->all().data());
      std::memcpy(y, right.data(), static_cast<size_t>(late) * 4);
      const int64_t behind = late + kPercent;
      std::memcpy(y + behind * 4, right.data() + behind * 4,
                  static_cast<size_t>(kCount - behind) * 4);
      ASSERT_TRUE(mirror_->take_sample());
      std::memcpy(y + late * 4, right.data() + late * 4, kPercent * 4);
      ASSERT_TRUE(mirror_->read_back());
      // Who reads all when the window is over finds nothing.
      ASSERT_EQ(std::memcmp(y, right.data(), right.size()), 0);
      int64_t seen = 0, wrong = 0;
      const std::byte* read = outputs_->tensor(0).data();
      for (int64_t i = 0; i < kCount; ++i) {
        if (std::memcmp(read + i * 4, right.data() + i * 4, 4) == 0) continue;
        ++(i >= late && i < behind ? seen : wrong);
      }
      EXPECT_GT(seen, 0) << late;
      EXPECT_EQ(wrong, 0) << late;
      EXPECT_LT(seen, kPercent) << "a sample of all is none";
    }
}

// Of small results of many calls, which lie far apart: the last tenth of the calls is late, or the
// same place in each.
TEST_F(CudaMirror, SmallResultsOfManyCallsAreSeenInEachCall) {
  constexpr size_t kCalls = 200;
  for (const int64_t count : {1, 16, 400}) {
    make(count, kCalls);
    const auto bytes = static_cast<size_t>(count) * 4;
    auto y = [&](size_t call) {
      return part("outputs") + call * outputs_->slot_bytes() +
             (outputs_->tensor(0).data() - outputs_->all().data());
    };
    auto unwritten = [&](size_t call) {
      return std::ranges::count(outputs_->tensor(0, call), kPoison);
    };
    auto window = [&](const std::function<void(size_t)>& in_time) {
      for (size_t slot = 0; slot < kCalls; ++slot) std::ranges::fill(outputs_->all(slot), kPoison);
      ASSERT_TRUE(mirror_->prepare(kCalls));
      ASSERT_TRUE(mirror_->write_inputs());
      for (size_t call = 0; call < kCalls; ++call) in_time(call);
      ASSERT_TRUE(mirror_->take_sample());
      for (size_t call = 0; call < kCalls; ++call) std::memset(y(call), 0, bytes);  // too late
      ASSERT_TRUE(mirror_->read_back());
    };
    window([&](size_t call) {
      if (call < kCalls * 9 / 10) std::memset(y(call), 0, bytes);
    });
    for (size_t call = 0; call < kCalls; ++call) {
      if (call < kCalls * 9 / 10)
        EXPECT_EQ(unwritten(call), 0) << count << " " << call;
      else
        EXPECT_GT(unwritten(call), 0) << count << " " << call;
    }
    window([&](size_t call) {
      std::memset(y(call), 0, bytes);
      std::memset(y(call) + bytes / 2, static_cast<int>(kPoison), 4);
    });
    size_t seen = 0;
    for (size_t call = 0; call < kCalls; ++call) seen += unwritten(call) > 0;
    EXPECT_GT(seen, 0u) << count;
  }
}

// Whichever call it is that finds the card lost.
TEST_F(CudaMirror, ACardThatIsLostMeanwhileIsAnError) {
  make(100);
  const std::pair<const char*, std::function<Status()>> steps[] = {
      {"create",
       [&]() -> Status {
         ASSAY_TRY(Mirror::create(*inputs_, *inout_, *outputs_));
         return {};
       }},
      {"prepare", [&] { return mirror_->prepare(1); }},
      {"write_inputs", [&] { return mirror_->write_inputs(); }},
      {"take_sample", [&] { return mirror_->take_sample(); }},
      {"open", [&] { return mirror_->open(1); }},
      {"measure",
       [&]() -> Status {
         ASSAY_TRY(mirror_->measure(0, 60 * kSecond));
         return {};
       }},
      {"time_itself", [&] { return mirror_->time_itself(); }},
      {"read_back",
       [&]() -> Status {
         ASSAY_TRY(mirror_->read_back());
         return {};
       }},
  };
  for (const auto& [name, step] : steps) {
    int failures = 0;
    for (uint64_t calls = 1;; ++calls, ++failures) {
      card_.set("lost_after", calls);
      const Status status = step();
      card_.set("lost_after", 0);
      card_.set("lost", 0);
      if (status) break;
      EXPECT_EQ(status.error().code, Code::unavailable);
      EXPECT_TRUE(status.error().message.starts_with("the GPU: cannot ")) << name;
      EXPECT_TRUE(status.error().message.ends_with(": CUDA_ERROR_DEVICE_UNAVAILABLE")) << name;
    }
    EXPECT_GE(failures, 3) << name;
  }
}

TEST_F(CudaMirror, AFaultThatStaysIsAnErrorOfEachCall) {
  make(100);
  card_.set("fault", 700);
  EXPECT_EQ(mirror_->prepare(1).error().message,
            "the GPU: cannot write to it: CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_FALSE(mirror_->read_back());
  card_.set("fault", 0);
  EXPECT_TRUE(mirror_->prepare(1));
}

}  // namespace
}  // namespace assay::cuda
