#include "serve/stdio_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>

#include "fakes/fake_spawner.h"

namespace assay {
namespace {

// A pipe to the stream, and one from it.
class StdioStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // as the program has it
    std::array<int, 2> to{}, from{};
    ASSERT_EQ(::pipe2(to.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(from.data(), O_CLOEXEC), 0);
    requests_ = UniqueFd(to[1]);
    in_ = UniqueFd(to[0]);
    verdicts_ = UniqueFd(from[0]);
    out_ = UniqueFd(from[1]);
    auto stream = StdioStream::start(in_.get(), out_.get(), kLines, spawner_);
    ASSERT_TRUE(stream) << stream.error().describe();
    stream_ = std::move(*stream);
  }

  void write(std::string_view text) {
    ASSERT_EQ(::write(requests_.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  static void wait_until(const std::function<bool()>& condition) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(Clock::now(), until);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  LineStream::Line next() {
    LineStream::Line line;
    wait_until([&] {
      auto taken = stream_->take();
      if (!taken) return false;
      line = std::move(*taken);
      return true;
    });
    return line;
  }

  static constexpr size_t kLines = 2;
  FakeSpawner spawner_;
  UniqueFd requests_, in_, verdicts_, out_;
  std::unique_ptr<StdioStream> stream_;
};

TEST_F(StdioStreamTest, LinesComeInOrderByTheirNumbersAndTheLastNeedsNoEnd) {
  write("one\n\n  \r\ntwo\nthr");
  EXPECT_EQ(next().text, "one");
  LineStream::Line two = next();
  EXPECT_EQ(two.text, "two");
  EXPECT_EQ(two.where, "line 4");
  write("ee");
  EXPECT_FALSE(stream_->has_ended());
  requests_ = UniqueFd();
  EXPECT_EQ(next().text, "three");
  wait_until([&] { return stream_->has_ended(); });
}

TEST_F(StdioStreamTest, WhoWritesWaitsForWhoTakes) {
  ASSERT_EQ(::fcntl(requests_.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string line = std::string(65535, 'x') + "\n";
  std::string rest;
  size_t written = 0, taken = 0;
  auto write_on = [&] {
    if (rest.empty()) rest = line;
    ssize_t count = ::write(requests_.get(), rest.data(), rest.size());
    if (count <= 0) return false;
    rest.erase(0, static_cast<size_t>(count));
    written += rest.empty() ? 1 : 0;
    return true;
  };
  // What it holds, what it is at, and what a pipe holds; and not more, however long one tries.
  for (int i = 0; i < 300; ++i)
    if (!write_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(written, kLines);
  EXPECT_LE(written, kLines + 4);
  while (written < 20) {
    if (!write_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (stream_->take()) ++taken;
  }
  requests_ = UniqueFd();
  for (; taken < written; ++taken) EXPECT_EQ(next().text.size(), line.size() - 1);
}

TEST_F(StdioStreamTest, ALineThatIsTooLongIsNotKept) {
  std::thread writer([&] {
    const std::string part(1 << 20, 'x');
    for (size_t bytes = 0; bytes <= StdioStream::kLineBytes; bytes += part.size()) write(part);
    write("\nshort\n");
  });
  LineStream::Line line = next();
  EXPECT_EQ(line.text, "");
  EXPECT_EQ(line.where, "line 1 (too long: 16.0 MiB is the most)");
  EXPECT_EQ(next().text, "short");
  writer.join();
}

TEST_F(StdioStreamTest, WhatIsPutIsWrittenAndHasNotEndedBefore) {
  requests_ = UniqueFd();
  stream_->put("a");
  stream_->put("b");
  std::string read(4, ' ');
  for (size_t had = 0; had < read.size();) {
    ssize_t count = ::read(verdicts_.get(), read.data() + had, read.size() - had);
    ASSERT_GT(count, 0);
    had += static_cast<size_t>(count);
  }
  EXPECT_EQ(read, "a\nb\n");
  wait_until([&] { return stream_->has_ended(); });
}

TEST_F(StdioStreamTest, IsCloggedWhileNobodyReadsAndEndsAllTheSame) {
  requests_ = UniqueFd();
  const std::string large(200'000, 'x');
  EXPECT_FALSE(stream_->is_clogged());
  for (size_t i = 0; i < kLines + 1; ++i) stream_->put(large);
  EXPECT_TRUE(stream_->is_clogged());
  EXPECT_FALSE(stream_->has_ended());
  stream_.reset();  // waits for nobody
}

TEST_F(StdioStreamTest, SaysThatNobodyReadsAnyMore) {
  EXPECT_TRUE(stream_->check());
  verdicts_ = UniqueFd();  // before anything is said
  wait_until([&] { return !stream_->check(); });
  EXPECT_EQ(stream_->check().error().message, "nobody reads the verdicts: Broken pipe");
}

}  // namespace
}  // namespace assay
