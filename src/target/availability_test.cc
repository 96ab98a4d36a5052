#include "target/availability.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/interruptions.h"
#include "fakes/fake_machine.h"

namespace assay {
namespace {

const std::vector<std::string> kCudaFlags{"--iree-hal-target-device=cuda"};

TEST(CanCompile, NeedsTheCompilerAndItsBackend) {
  FakeMachine machine;
  Target target;
  EXPECT_EQ(can_compile(target, kCudaFlags, machine, nullptr).missing, "IREE's compiler");
  IreeCompiler compiler{"/t", "3.13.0", {"llvm-cpu", "vmvx"}};
  auto no_cuda = can_compile(target, kCudaFlags, machine, &compiler);
  EXPECT_FALSE(no_cuda.ready);
  EXPECT_EQ(no_cuda.missing, "the backend cuda; this compiler has llvm-cpu, vmvx");
  compiler.backends.insert("cuda");
  EXPECT_TRUE(can_compile(target, kCudaFlags, machine, &compiler).ready);
}

TEST(CanCompile, NeedsTheToolChainThatIsLinked) {
  FakeMachine machine;
  IreeCompiler compiler{"/t", "3.13.0", {"cuda"}};
  Target target;
  target.link = Link{"cross-gcc", {}, {"/t/a.c"}, {}, "gcc-cross"};
  auto missing = can_compile(target, kCudaFlags, machine, &compiler);
  EXPECT_EQ(missing.missing, "cross-gcc");
  EXPECT_EQ(missing.mend, "sudo apt-get install -y gcc-cross");
  machine.programs["cross-gcc"] = "/usr/bin/cross-gcc";
  EXPECT_EQ(can_compile(target, kCudaFlags, machine, &compiler).missing, "/t/a.c");
  machine.files.files["/t/a.c"] = "";
  EXPECT_TRUE(can_compile(target, kCudaFlags, machine, &compiler).ready);
}

TEST(CanRun, EachThingThatIsMissingIsNamed) {
  FakeMachine machine;
  Target target;
  EXPECT_FALSE(can_run(target, machine).ready);
  EXPECT_EQ(can_run(target, machine).missing, "") << "nothing would help";

  target.runner = {.kind = RunnerKind::native};
  EXPECT_TRUE(can_run(target, machine).ready);
  target.runner.architecture = "aarch64";
  EXPECT_EQ(can_run(target, machine).missing, "a CPU of aarch64; this one is x86_64");
  target.runner = {.kind = RunnerKind::native, .cpu_features = {"avx512f"}};
  machine.files.files["/proc/cpuinfo"] = "flags\t\t: fpu avx512 avx512_vnni\n";
  EXPECT_EQ(can_run(target, machine).missing, "a CPU with avx512f");
  machine.files.files["/proc/cpuinfo"] = "flags\t\t: fpu avx512f\n";
  EXPECT_TRUE(can_run(target, machine).ready);

  target.runner = {.kind = RunnerKind::driver, .system = "Darwin"};
  EXPECT_EQ(can_run(target, machine).missing, "Darwin; this is Linux");
  target.runner = {.kind = RunnerKind::driver,
                   .library = "libx.so.1",
                   .devices = {"/dev/x[0-9]*", "/dev/y"},
                   .package = "libx"};
  EXPECT_EQ(can_run(target, machine).missing, "libx.so.1");
  EXPECT_EQ(can_run(target, machine).mend, "sudo apt-get install -y libx");
  machine.files.files["/usr/lib/libx.so.1"] = "";
  machine.files.files["/dev/xctl"] = "";
  EXPECT_EQ(can_run(target, machine).missing, "a device: there is no /dev/x[0-9]* or /dev/y");
  machine.files.files["/dev/x0"] = "";
  EXPECT_TRUE(can_run(target, machine).ready);
}

TEST(CanRun, ACpuOfItsOwnNeedsNoEmulator) {
  FakeMachine machine;
  Target target;
  target.runner = {
      .kind = RunnerKind::native, .architecture = "aarch64", .emulator = "qemu-aarch64-static"};
  EXPECT_EQ(can_run(target, machine).missing, "a CPU of aarch64; this one is x86_64");
  EXPECT_TRUE(is_to_be_emulated(target, machine));
  machine.cpu = "aarch64";
  EXPECT_TRUE(can_run(target, machine).ready);
  EXPECT_FALSE(is_to_be_emulated(target, machine));
  // Whatever drivers there are: assay calls nothing by these.
  target.runner = {.kind = RunnerKind::driver, .emulator = "lavapipe"};
  EXPECT_TRUE(can_run(target, machine).ready);
  EXPECT_TRUE(is_to_be_emulated(target, machine));
  target.runner.emulator = "";
  EXPECT_FALSE(is_to_be_emulated(target, machine));
}

TEST(NeededBackends, FollowFromTheDevice) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(needed_backends({"--iree-hal-target-device=hip"}), Names{"rocm"});
  EXPECT_EQ(needed_backends(
                {"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx"}),
            Names{"vmvx"});
  EXPECT_EQ(needed_backends({"--iree-hal-target-device=future"}), Names{});
  EXPECT_EQ(needed_backends({"--flag"}), Names{});
}

TEST(IreeCompiler, IsFoundBesideAnInterpreterWhenThatIsClear) {
  MemoryDisk disk;
  auto tool = [](const std::string& python) {
    return "/v/bin/../lib/" + python + "/site-packages/iree/compiler/_mlir_libs/iree-compile";
  };
  disk.files["/v/bin/../lib/python3.11/x"] = "";
  EXPECT_EQ(tool_beside_python(disk, "/v/bin/python3"), "");
  disk.files[tool("python3.11")] = "";
  EXPECT_EQ(tool_beside_python(disk, "/v/bin/python3"), tool("python3.11"));
  disk.files[tool("python3.12")] = "";
  EXPECT_EQ(tool_beside_python(disk, "/v/bin/python3"), "");
}

TEST(IreeCompiler, SaysItsBackendsAndVersion) {
  FakeMachine machine;
  machine.answer = [](const std::vector<std::string>& words) -> Result<ProgramResult> {
    if (words[1] == "--version")
      return ProgramResult{0, "IREE:\n  IREE compiler version 3.9 @ 1\n", ""};
    return ProgramResult{0, "Registered target backends:\n  cuda\n  vmvx\n", ""};
  };
  auto compiler = ask_compiler(machine, "/i/_mlir_libs/iree-compile");
  ASSERT_TRUE(compiler) << compiler.error().describe();
  EXPECT_EQ(compiler->backends, (std::set<std::string>{"cuda", "vmvx"}));
  EXPECT_EQ(compiler->version, "3.9");
  machine.files.files["/i/_mlir_libs/../version.py"] = "# x\nVERSION = \"3.13.0rc1\"\n";
  EXPECT_EQ(ask_compiler(machine, "/i/_mlir_libs/iree-compile")->version, "3.13.0rc1");
  machine.answer = [](const auto&) { return ProgramResult{1, "", "cannot load \x1b[1mit\n"}; };
  auto broken = ask_compiler(machine, "/i/iree-compile");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("cannot load")) << broken.error().message;
  EXPECT_FALSE(broken.error().message.contains("\x1b"));
}

TEST(IreeCompiler, SaysWhatTheHostCpuIs) {
  FakeMachine machine;
  machine.answer = [](const auto&) {
    return ProgramResult{
        0, "#hal.executable.target<\"x\", {cpu = \"znver4\", cpu_features = \"+b,+a,-c,-b,+d,+b\"}",
        ""};
  };
  auto cpu = resolve_cpu(machine, {"/t", "3.13.0", {}}, {"--flag"});
  ASSERT_TRUE(cpu) << cpu.error().describe();
  EXPECT_EQ(cpu->cpu, "znver4");
  EXPECT_EQ(cpu->features, (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(machine.runs.back().back(), "--flag");
  machine.answer = [](const auto&) { return ProgramResult{0, "module {}", ""}; };
  EXPECT_FALSE(resolve_cpu(machine, {"/t", "3.13.0", {}}, {}));
}

TEST(ThisMachine, RunsProgramsAndSaysHowTheyEnded) {
  const Machine& machine = this_machine();
  std::string shell = machine.find_program("sh");
  ASSERT_NE(shell, "");
  EXPECT_EQ(machine.find_program("no-such-program-anywhere"), "");
  EXPECT_EQ(machine.find_program("/etc"), "");
  constexpr int64_t kLong = 20'000'000'000;
  auto both = machine.run({shell, "-c", "cat; echo oops >&2; exit 3"}, "hello", kLong);
  ASSERT_TRUE(both) << both.error().describe();
  EXPECT_EQ(both->status, 3);
  EXPECT_EQ(both->output, "hello");
  EXPECT_EQ(both->errors, "oops\n");
  EXPECT_EQ(machine.run({shell, "-c", "kill -9 $$"}, "", kLong)->status, 128 + 9);
  EXPECT_FALSE(machine.run({"/no/such/program"}, "", kLong));
  // Whether it holds its output or not, and with what it started.
  EXPECT_FALSE(machine.run({shell, "-c", "sleep 600 & wait"}, "", 50'000'000));
  EXPECT_FALSE(machine.run({shell, "-c", "exec >&- 2>&-; sleep 600"}, "", 50'000'000));
}

// As a program that was just started does, whatever tests before have left in this process.
void hear_of_the_end() {
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGTERM, SIG_DFL);
}

TEST(ThisMachine, WhatEndsAssayEndsTheProgramFirst) {
  const Machine& machine = this_machine();
  constexpr int64_t kLong = 20'000'000'000;
  int status = 0;
  const pid_t pid = ::fork();
  if (pid == 0) {
    hear_of_the_end();
    const InterruptionsHeld held;
    // The program's parent is told to end, which the program itself never hears.
    const auto ran =
        machine.run({machine.find_program("sh"), "-c", "kill -TERM $PPID; sleep 600"}, "", kLong);
    const bool is_said = !ran && ran.error().code == Code::interrupted;
    ::_exit(is_said && !held.status() ? 0 : 1);
  }
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  // Nobody holds it back: it ends assay, and the program with it. That says so by its own pipe.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    hear_of_the_end();
    ::close(ends[0]);
    (void)machine.run({machine.find_program("sh"), "-c", "kill -TERM $PPID; sleep 600"}, "", kLong);
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // all who have the other end are gone
  ::close(ends[0]);
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

}  // namespace
}  // namespace assay
