// The page of a run that goes on: assay-watcher, as a child that ends with this process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

class Output;

// A folder, where to listen, and where that came to.
class PageWatcher {
 public:
  // `port` 0: any that is free.
  static Result<PageWatcher> start(const std::string& folder, const std::string& host, int port);
  PageWatcher(PageWatcher&& other) noexcept;
  PageWatcher& operator=(PageWatcher&&) = delete;
  // Its last readers are told how the run ended.
  ~PageWatcher();

  const std::string& address() const { return address_; }  // "http://127.0.0.1:8000/"
  // Until it ends, or is asked to by a signal; wakes it where a judge that had stopped it was
  // killed.
  Result<int> wait();

 private:
  PageWatcher(std::string folder, pid_t process) : folder_(std::move(folder)), process_(process) {}
  Status read_address(const std::string& host, UniqueFd output);

  std::string folder_, address_;
  pid_t process_ = 0;
};

// `assay watch RUN --port`, until it is interrupted.
Result<int> serve_page(const std::string& folder, const std::string& host, const std::string& port,
                       Output& output);

// --watch of a command that fills this folder: tells where to look. Null where it is not asked for.
// The command's own process stops it while it times, and whoever kills that ends it, too.
class Arguments;
Result<std::unique_ptr<PageWatcher>> watch_if_asked(const Arguments& arguments,
                                                    const std::string& folder, Output& output);

}  // namespace assay
