#include "measure/timing_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace assay {
namespace {

TEST(TimingLock, IsHeldByOneProcessAtATimeAndGoesWithIt) {
  std::string folder = "/tmp/assay-lock-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/lock";
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto lock = TimingLock::take(path, [] { return Status{}; });
    char byte = lock ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    ::_exit(0);  // without giving it back
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');

  int asked = 0;
  auto gives_up = TimingLock::take(path, [&]() -> Status {
    return ++asked < 3 ? Status{} : Status(error(Code::interrupted, "interrupted"));
  });
  ASSERT_FALSE(gives_up);
  EXPECT_EQ(gives_up.error().code, Code::interrupted);
  EXPECT_EQ(asked, 3);

  bool told = false;
  auto lock = TimingLock::take(path, [&]() -> Status {
    if (!told) (void)!::write(done[1], &byte, 1);
    told = true;
    return {};
  });
  EXPECT_TRUE(lock);
  EXPECT_TRUE(told);
  ::waitpid(child, nullptr, 0);
  for (int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

TEST(TimingLock, AFileThatCannotBeMadeIsToldByName) {
  auto lock = TimingLock::take("/nowhere/lock", [] { return Status{}; });
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().message.find("/nowhere/lock"), std::string::npos);
}

}  // namespace
}  // namespace assay
