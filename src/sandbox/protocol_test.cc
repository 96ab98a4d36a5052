// wire.h, ending.h, capture.h, memory_file.h: the spawner's parts that need no process.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "sandbox/capture.h"
#include "sandbox/ending.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"

namespace assay {
namespace {

TEST(Wire, FramesSurviveAnyCut) {
  std::string stream = wire::frame("{}") + wire::frame("{\"a\":1}") + wire::frame("x");
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    wire::Decoder decoder;
    std::vector<std::string> bodies;
    for (size_t at = 0; at < stream.size(); at += piece) {
      decoder.feed(std::string_view(stream).substr(at, piece));
      while (auto body = decoder.next()) bodies.push_back(*body);
    }
    EXPECT_EQ(bodies, (std::vector<std::string>{"{}", "{\"a\":1}", "x"})) << piece;
    EXPECT_EQ(decoder.pending_bytes(), 0u);
  }
}

TEST(Wire, ImpossibleLengthsStayFailed) {
  for (const std::string& lie : {std::string("\xff\xff\xff\xff", 4), std::string("\0\0\0\0", 4),
                                 std::string("\x01\x00\x10\x00", 4)}) {
    wire::Decoder decoder;
    decoder.feed(lie);
    EXPECT_FALSE(decoder.next());
    EXPECT_TRUE(decoder.failed());
    decoder.feed(wire::frame("{}"));
    EXPECT_FALSE(decoder.next());
  }
}

TEST(Wire, DescriptorsTravel) {
  int sockets[2], pipe_ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_TRUE(wire::send(sockets[0], "abcd", std::span<const int>(pipe_ends, 2)));
  char bytes[4];
  int received[2] = {-1, -1};
  size_t count = 0;
  EXPECT_EQ(wire::receive(sockets[1], bytes, 4, received, 2, &count), 4);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(write(received[1], "z", 1), 1);
  EXPECT_EQ(read(pipe_ends[0], bytes, 1), 1);
  for (int fd : {sockets[0], sockets[1], pipe_ends[0], pipe_ends[1], received[0], received[1]})
    close(fd);
}

TEST(Ending, BlameComesInOrder) {
  EndFacts facts;
  EXPECT_EQ(classify(facts).kind, EndKind::lost) << "nothing is known of it";
  facts.greeted = true;
  facts.reported = true;
  facts.answered = true;
  EXPECT_EQ(classify(facts).kind, EndKind::answered);
  facts.wait_status = 11;  // SIGSEGV
  EXPECT_EQ(classify(facts).kind, EndKind::crashed);
  facts.wait_status = 9;  // SIGKILL
  EXPECT_EQ(classify(facts).kind, EndKind::crashed);
  facts.memory_exceeded = true;
  EXPECT_EQ(classify(facts).kind, EndKind::out_of_memory);
  facts.memory_exceeded = false;
  facts.machine_out_of_memory = true;
  EXPECT_EQ(classify(facts).kind, EndKind::lost);
  facts.reported = false;
  EXPECT_EQ(classify(facts).kind, EndKind::lost);
  facts.protocol_problem = "lied";
  EXPECT_EQ(classify(facts).kind, EndKind::protocol);
  facts.output_exceeded = true;
  EXPECT_EQ(classify(facts).kind, EndKind::output_limit);
  facts.timed_out = true;
  EXPECT_EQ(classify(facts).kind, EndKind::timed_out);
  facts.stopped = true;
  EXPECT_EQ(classify(facts).kind, EndKind::stopped);
  facts.spawn_problem = "no keeper";
  EXPECT_EQ(classify(facts).kind, EndKind::lost);
}

TEST(Capture, KeepsBothEnds) {
  Capture capture(4);
  capture.add("ab");
  EXPECT_EQ(capture.text(), "ab");
  capture.add("cdef");
  EXPECT_EQ(capture.text(), "abcdef");
  for (int i = 0; i < 1000; ++i) capture.add("0123456789");
  EXPECT_EQ(capture.total_bytes(), 10'006u);
  EXPECT_EQ(capture.text(), "abcd\n[... 9998 bytes left out ...]\n6789");
}

TEST(MemoryFile, SealedBytesCannotBeChanged) {
  auto file = sealed_memory_file("test", "abc");
  ASSERT_TRUE(file);
  EXPECT_EQ(*read_memory_file(*file), "abc");
  EXPECT_EQ(pwrite(file->get(), "x", 1, 0), -1);
  EXPECT_EQ(ftruncate(file->get(), 0), -1);
}

}  // namespace
}  // namespace assay
