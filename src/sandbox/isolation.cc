#include "sandbox/isolation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/disk.h"
#include "base/places.h"
#include "sandbox/jail.h"
#include "sandbox/jail_enter.h"
#include "sandbox/jail_group.h"

namespace assay {
namespace {

using sandbox::Jail;
using sandbox::JailProblem;

// In the child: all that a keeper and its worker do. Returns the exit status.
int rehearse(int layout, int scratch, bool in_group, int group, JailProblem& problem) {
  Jail jail;
  int joined = -1;
  if (!in_group && group >= 0) joined = ::openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (!sandbox::read_jail(layout, jail, problem) ||
      !sandbox::make_room(jail, scratch, &joined, joined >= 0 ? 1 : 0, problem))
    return 1;
  pid_t worker = ::fork();
  if (worker < 0) {
    problem.say("fork in it", "", errno);
    return 1;
  }
  if (worker == 0) {
    char folder[4096] = "/";
    if (!jail.layout.own_mounts && (::fchdir(scratch) != 0 || !::getcwd(folder, sizeof folder)))
      problem.say("go to its folder", "", errno);
    ::_exit(sandbox::lock_in(jail, folder, problem) ? 0 : 1);
  }
  int status = 1;
  if (!sandbox::give_up_rights() && problem.text[0] == '\0')
    problem.say("take away its keeper's rights", "", errno);
  ::waitpid(worker, &status, 0);
  return status == 0 && problem.text[0] == '\0' ? 0 : 1;
}

// "" where the level works; else what failed.
std::string try_level(Isolation level, JailGroups* groups) {
  JailMeans means;
  means.as_root = can_give_users();
  JailSpec spec;
  spec.level = level;
  spec.memory_bytes = uint64_t{1} << 30;
  spec.read_only = {"/usr"};
  std::unique_ptr<JailGroup> group;
  if (level == Isolation::L3) {
    auto made = groups->create("probe", spec);
    if (!made) return made.error().message;
    group = std::move(*made);
    means.memory_in_group = group->limits_memory();
  }
  auto layout = jail_layout(spec, means);
  if (!layout) return layout.error().message;
  char scratch[] = "/tmp/assay-probe-XXXXXX";
  if (!::mkdtemp(scratch)) return errno_error("make a folder in /tmp").error().message;
  UniqueFd folder(::open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  void* page = ::mmap(nullptr, sizeof(JailProblem), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::string failed = "no memory to share with a child";
  if (page != MAP_FAILED) {
    auto* problem = new (page) JailProblem;
    uint64_t namespaces = jail_namespaces(level, means.as_root);
    auto pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD | namespaces, 0, 0, 0, 0));
    if (pid == 0) {
      // assay itself may be hidden from its user; a zygote is not, and hidden it has no user map.
      ::prctl(PR_SET_DUMPABLE, 1);
      if (namespaces & CLONE_NEWUSER) sandbox::map_own_ids(::geteuid(), ::getegid());
      ::_exit(rehearse(layout->get(), folder.get(), false, group ? group->folder() : -1, *problem));
    }
    int status = 1;
    if (pid < 0)
      failed = errno_error("make namespaces").error().message;
    else if (::waitpid(pid, &status, 0) != pid || status != 0)
      failed = problem->text[0] ? problem->text : "a child that entered it ended by itself";
    else
      failed.clear();
    ::munmap(page, sizeof(JailProblem));
  }
  if (failed.empty() && group) {
    // Empty by now; to freeze and thaw is what a window needs.
    auto frozen = group->freezer()->freeze();
    if (!frozen) failed = frozen.error().message;
  }
  ::rmdir(scratch);
  return failed;
}

std::string landlock_words() {
  int abi = sandbox::landlock_abi();
  if (abi == 0) return "no landlock";
  return fmt::format("landlock ABI {}{}", abi,
                     abi < 6 ? ", which lets it send signals to processes of its user" : "");
}

IsolationTrial try_l1() {
  IsolationTrial trial{Isolation::L1, false, "", "", ""};
  trial.holds = landlock_words() + ", a filter of system calls, limits of resources" +
                (can_give_users() ? ", a user of its own" : "");
  trial.missing = try_level(Isolation::L1, nullptr);
  trial.mend =
      "Linux 5.13 or newer, with landlock among the security modules (/sys/kernel/security/lsm)";
  return trial;
}

IsolationTrial try_l2() {
  IsolationTrial trial{Isolation::L2, false, "", "", ""};
  trial.holds = can_give_users() ? "as root: namespaces, a root folder and a user of its own"
                                 : "by user namespaces: processes, files, network of its own";
  trial.missing = try_level(Isolation::L2, nullptr);
  trial.mend =
      "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
      "user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0; in a container: "
      "its system call filter, and /proc without masks), Linux 5.12 or newer; or run as root";
  return trial;
}

IsolationTrial try_l3(const IsolationTrial& below) {
  IsolationTrial trial{Isolation::L3, false, "", "", ""};
  trial.mend = "run assay as root of the machine, where /sys/fs/cgroup may be written";
  if (!can_give_users()) {
    trial.missing = ::geteuid() == 0 ? "root of this container has no users to give"
                                     : "users of their own and control groups are root's";
    return trial;
  }
  auto groups = JailGroups::find();
  if (!groups) {
    trial.missing = groups.error().message;
    if (!groups.error().next.empty()) trial.mend = groups.error().next;
    return trial;
  }
  trial.holds = (*groups)->describe() + ", a user of its own";
  trial.missing = below.works ? try_level(Isolation::L3, groups->get()) : below.missing;
  if (!below.works) trial.mend = below.mend;
  return trial;
}

}  // namespace

IsolationReport probe_isolation(const std::string& bound_word) {
  IsolationReport report;
  report.bound = from_word(kIsolationWords, bound_word);
  report.trials = {try_l1(), try_l2()};
  for (IsolationTrial& trial : report.trials) trial.works = trial.missing.empty();
  report.trials.push_back(try_l3(report.trials[1]));
  report.trials[2].works = report.trials[2].missing.empty();
  for (IsolationTrial& trial : report.trials) {
    if (trial.works) trial.mend.clear();
    if (trial.works && (!report.bound || trial.level <= *report.bound))
      report.highest = trial.level;
  }
  return report;
}

const IsolationReport& isolation() {
  static const IsolationReport report = probe_isolation(environment_variable("ASSAY_ISOLATION"));
  return report;
}

Status check_isolation_bound() {
  std::string bound = environment_variable("ASSAY_ISOLATION");
  if (bound.empty() || isolation().bound) return {};
  return error(Code::invalid_input, "ASSAY_ISOLATION is '" + bound + "', which is no level",
               "unset it, or set it to L0, L1, L2 or L3");
}

}  // namespace assay
