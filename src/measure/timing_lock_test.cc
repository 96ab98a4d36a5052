#include "measure/timing_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace assay {
namespace {

TEST(TimingLock, IsHeldByOneProcessAtATimeAndGoesWithIt) {
  const std::string name = "assay-test-" + std::to_string(::getpid());
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = TimingLock::take(name, [] { return Status{}; });
    char byte = lock ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    ::_exit(0);  // without giving it back
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');

  int asked = 0;
  auto gives_up = TimingLock::take(name, [&]() -> Status {
    return ++asked < 3 ? Status{} : Status(error(Code::interrupted, "interrupted"));
  });
  ASSERT_FALSE(gives_up);
  EXPECT_EQ(gives_up.error().code, Code::interrupted);
  EXPECT_EQ(asked, 3);

  bool told = false;
  auto lock = TimingLock::take(name, [&]() -> Status {
    if (!told) (void)!::write(done[1], &byte, 1);
    told = true;
    return {};
  });
  EXPECT_TRUE(lock);
  EXPECT_TRUE(told);
  ::waitpid(child, nullptr, 0);
  for (int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
}

TEST(TimingLock, ANameThatNoSocketCanHaveIsToldSo) {
  const std::string name(200, 'x');
  auto lock = TimingLock::take(name, [] { return Status{}; });
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().message.find(name), std::string::npos);
}

}  // namespace
}  // namespace assay
