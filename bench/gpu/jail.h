// A process in namespaces of its own that sees one card, for finding out how little CUDA needs.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::gpu {

struct JailOptions {
  bool drop_user = false;        // runs as uid 65534
  bool namespaces = false;       // pid, mount, network, ipc, uts; a root of its own
  bool user_namespace = false;   // with those: a user namespace, too
  bool become_user = false;      // uid 1000 in there, not root, who is 0
  bool no_capabilities = false;  // none, and none to be gained
  bool filter = false;  // refuses what the judge's filter refuses; notes what was asked for
  std::map<std::string, int>
      answers{};  // other errors than EPERM, by name of a call, "*" for all others; 0: allowed
  bool note_paths = false;             // refuses nothing; notes which files are opened
  bool proc = true;                    // with namespaces: its own /proc
  bool proc_of_tasks = false;          // that shows processes alone
  bool sys = false;                    // and the machine's /sys
  std::vector<std::string> devices;    // bound from /dev
  std::vector<std::string> read_only;  // bound from where they are
  std::string cgroup;                  // moved there before it starts; empty: stays
};

// What a filter has seen.
struct Seen {
  std::map<std::string, int> refused;
  std::map<std::string, int> allowed;  // execve
  std::map<std::string, int> paths;
};

class Jailed {
 public:
  // Descriptors become 3, 4, ... in there. `output` becomes 1 where it is not negative.
  static Jailed start(const JailOptions& options, const std::vector<std::string>& arguments,
                      const std::vector<int>& descriptors, int output = -1);
  Jailed() = default;
  Jailed(Jailed&&) = default;
  Jailed& operator=(Jailed&&) = default;
  ~Jailed() = default;

  pid_t pid() const { return pid_; }
  const std::string& problem() const { return problem_; }  // of entering the jail
  // Stops noting. Behind the end of the process.
  Seen seen();

 private:
  pid_t pid_ = -1;
  std::string problem_;
  std::string root_;
  struct Watch;
  std::shared_ptr<Watch> watch_;
};

// Folders that a CUDA program reads: its own, the system's, the driver's.
std::vector<std::string> folders_of_cuda();
// A cgroup2 of that name; "" and why where there can't be one.
std::string make_cgroup(const std::string& name, std::string& why);
// The card's nodes that are here.
std::vector<std::string> nodes_of_cards();

}  // namespace assay::gpu
