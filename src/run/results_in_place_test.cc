#include "run/results_in_place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "model/tensor.h"
#include "run/control_page.h"

namespace assay {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr std::byte kGiven{0x5a}, kResult{1};

// Memory of this process in the place of a runner's: what a call has left, and a page that says
// where.
class InPlace : public testing::Test {
 protected:
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* memory) const { ::munmap(memory, bytes); }
  };
  using Memory = std::unique_ptr<std::byte, Unmap>;

  static Memory map(uint64_t bytes, int fd = -1, int protection = PROT_READ | PROT_WRITE) {
    const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* memory = ::mmap(nullptr, bytes, protection, flags, fd, 0);
    EXPECT_NE(memory, MAP_FAILED);
    return Memory(static_cast<std::byte*>(memory), Unmap{bytes});
  }

  // One result of so many bytes for each of so many calls.
  static SharedTensors outputs(uint64_t bytes, size_t calls = 1) {
    TensorSpec spec;
    spec.dtype = Dtype::u8;
    spec.shape = {static_cast<int64_t>(bytes)};
    spec.strides = {1};
    auto made = SharedTensors::create("results", {spec}, SharedTensors::Access::write, 0, calls);
    EXPECT_TRUE(made);
    for (size_t slot = 0; slot < calls; ++slot) std::ranges::fill(made->tensor(0, slot), kGiven);
    return std::move(*made);
  }

  std::optional<std::string> exchange(const SharedTensors& outputs,
                                      const std::vector<const std::byte*>& places,
                                      bool is_overwritten = true) {
    for (size_t n = 0; n < places.size(); ++n)
      page_->addresses[n] = reinterpret_cast<uint64_t>(places[n]);
    ProcessMemory memory;
    memory.bytes = UniqueFd(::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
    memory.pages = UniqueFd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(memory.bytes && memory.pages);
    return ResultsInPlace(std::move(memory), *page_)
        .exchange(outputs, static_cast<uint32_t>(places.size()), {is_overwritten});
  }

  static bool is_all(std::span<const std::byte> bytes, std::byte value) {
    return std::ranges::all_of(bytes, [&](std::byte each) { return each == value; });
  }

  std::unique_ptr<ControlPage> page_ = std::make_unique<ControlPage>();
};

TEST_F(InPlace, AResultIsReadAndOverwritten) {
  const Memory left = map(kMiB);
  std::fill_n(left.get(), kMiB, kResult);
  SharedTensors all = outputs(kMiB);
  EXPECT_EQ(exchange(all, {left.get()}), std::nullopt);
  EXPECT_TRUE(is_all(all.tensor(0), kResult));
  EXPECT_TRUE(is_all({left.get(), kMiB}, kGiven));
}

TEST_F(InPlace, AnInputsMemoryIsReadAlone) {
  const Memory left = map(kMiB);
  std::fill_n(left.get(), kMiB, kResult);
  SharedTensors all = outputs(kMiB);
  EXPECT_EQ(exchange(all, {left.get()}, /*is_overwritten=*/false), std::nullopt);
  EXPECT_TRUE(is_all(all.tensor(0), kResult));
  EXPECT_TRUE(is_all({left.get(), kMiB}, kResult));
}

TEST_F(InPlace, OfALargeResultNothingStays) {
  constexpr uint64_t kBytes = 33 * kMiB + 8;
  const Memory left = map(kBytes + kMiB);
  std::fill_n(left.get(), kBytes + kMiB, kResult);
  SharedTensors all = outputs(kBytes);
  EXPECT_EQ(exchange(all, {left.get()}), std::nullopt);
  EXPECT_TRUE(is_all(all.tensor(0), kResult));
  EXPECT_TRUE(is_all({left.get(), kBytes}, kGiven));
  EXPECT_TRUE(is_all({left.get() + kBytes, kMiB}, kResult));  // it is no result's
}

TEST_F(InPlace, CallsResultsLieApart) {
  const Memory left = map(kMiB);
  std::fill_n(left.get(), kMiB, kResult);
  SharedTensors all = outputs(kMiB / 2, 2);
  EXPECT_EQ(exchange(all, {left.get(), left.get() + kMiB / 2}), std::nullopt);
  std::fill_n(left.get(), kMiB, kResult);
  EXPECT_EQ(exchange(all, {left.get(), left.get() + kMiB / 4}),
            "results of one call lie where those of another do");
}

TEST_F(InPlace, MemoryThatNobodyMayWriteToIsNoCallersOwn) {
  const UniqueFd file(::memfd_create("result", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), kMiB), 0);
  const UniqueFd readable(
      ::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC));
  const Memory left = map(kMiB, readable.get(), PROT_READ);
  ASSERT_TRUE(is_all({left.get(), kMiB}, std::byte{0}));  // and each page is there from now on
  SharedTensors all = outputs(kMiB);
  EXPECT_EQ(exchange(all, {left.get()}), "they lie in memory that cannot be written to");
  EXPECT_TRUE(is_all(all.tensor(0), std::byte{0}));
}

TEST_F(InPlace, PagesThatAreNotThereAreNoCallersOwn) {
  const Memory left = map(kMiB);
  std::fill_n(left.get(), kMiB / 2, kResult);
  EXPECT_EQ(exchange(outputs(kMiB), {left.get()}),
            "they lie in memory that is not there until somebody reads it");
  // A few are anybody's.
  const Memory small = map(kMiB / 16);
  EXPECT_EQ(exchange(outputs(kMiB / 16), {small.get()}), std::nullopt);
}

TEST_F(InPlace, WhatTheModelKeepsIsTold) {
  page_->addresses[0] = ControlPage::kPutBack;
  EXPECT_EQ(exchange(outputs(64), {reinterpret_cast<const std::byte*>(ControlPage::kPutBack)}),
            "they lie in memory that the model keeps");
}

// A hostile runner may say any address.
TEST_F(InPlace, NothingIsReadWhereNothingIs) {
  SharedTensors all = outputs(kMiB);
  for (uint64_t address : {uint64_t{4096}, uint64_t{1} << 63, ~uint64_t{0} - 7}) {
    EXPECT_TRUE(exchange(all, {reinterpret_cast<const std::byte*>(address)}));
    EXPECT_TRUE(is_all(all.tensor(0), kGiven));
  }
  EXPECT_EQ(exchange(all, {nullptr}), std::nullopt);
}

}  // namespace
}  // namespace assay
