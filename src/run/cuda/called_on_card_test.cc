// A card as the native runner has it. Judge and runner are one process here, as the driver allows;
// window_test.cc has them apart.
#include "run/cuda/called_on_card.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fakes/numbers.h"
#include "fakes/simulated_card.h"
#include "run/cuda/mirror.h"

namespace assay::cuda {
namespace {

class CalledOnCardTest : public testing::Test {
 protected:
  void SetUp() override {
    const TensorSpec tensor{Dtype::f32, {64}, {}};
    using Access = SharedTensors::Access;
    inputs_.emplace(*SharedTensors::create("x", {tensor}, Access::read));
    inout_.emplace(*SharedTensors::create("none", {}, Access::write));
    outputs_.emplace(*SharedTensors::create("y", {tensor}, Access::write));
    reinterpret_cast<float*>(inputs_->tensor(0).data())[63] = 5;
    auto made = Mirror::create(*inputs_, *inout_, *outputs_);
    ASSERT_TRUE(made) << made.error().describe();
    mirror_ = std::move(*made);
    auto card = CalledOnCard::create(mirror_->layout(), mirror_->fd());
    ASSERT_TRUE(card) << card.error().describe();
    card_.emplace(std::move(*card));
    ASSERT_TRUE(mirror_->prepare(1));
  }
  void compute() {
    const auto at = [&](const char* name) {
      return reinterpret_cast<Address>(card_->begin_of(name));
    };
    EXPECT_EQ(simulated_.library().launch(card_->stream(), simulated::Kernel::compute, at("inputs"),
                                          at("outputs"), 64, 0),
              0);
  }
  float result() const { return reinterpret_cast<const float*>(outputs_->tensor(0).data())[63]; }

  SimulatedCard simulated_;
  std::optional<SharedTensors> inputs_, inout_, outputs_;
  std::unique_ptr<Mirror> mirror_;
  std::optional<CalledOnCard> card_;
};

TEST_F(CalledOnCardTest, CallsStandBehindTheGate) {
  bool has_returned = false;
  ASSERT_TRUE(card_->around(1, [&] {
    compute();
    has_returned = true;
  }));
  EXPECT_TRUE(has_returned);
  auto ns = mirror_->measure(1, 60 * kSecond);
  ASSERT_TRUE(ns && *ns);
  ASSERT_TRUE(mirror_->read_back());
  EXPECT_EQ(result(), 11);
}

TEST_F(CalledOnCardTest, WithoutAGateAllIsDoneWhenItReturns) {
  ASSERT_TRUE(mirror_->write_inputs());
  ASSERT_TRUE(card_->around(0, [&] {
    simulated_.library().launch(card_->stream(), simulated::Kernel::rest, 0, 0, 0, 5000);
    compute();
  }));
  ASSERT_TRUE(mirror_->take_sample());
  ASSERT_TRUE(mirror_->read_back());
  EXPECT_EQ(result(), 11);
}

TEST_F(CalledOnCardTest, ParametersAreCopied) {
  std::vector<std::byte> host(1000, std::byte{7});
  auto copied = card_->copied(host);
  ASSERT_TRUE(copied) << copied.error().describe();
  EXPECT_EQ(std::memcmp(*copied, host.data(), host.size()), 0);
}

TEST_F(CalledOnCardTest, WhatBreaksIsAnError) {
  const Status broken = card_->around(0, [&] { simulated_.set("fault", 700); });
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message,
            "the GPU: cannot finish what was queued: CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_FALSE(card_->around(1, [] {}));
  EXPECT_FALSE(card_->copied(std::vector<std::byte>(10)));
}

TEST_F(CalledOnCardTest, WhatIsNoMemoryOfACardIsRefused) {
  EXPECT_FALSE(CalledOnCard::create(mirror_->layout(), inputs_->fd()));
  EXPECT_FALSE(SharedMemory::import(-1, 100));
}

}  // namespace
}  // namespace assay::cuda
