// The page of a run that goes on, over HTTP: it is looked at, and nothing is changed.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "base/status.h"
#include "watch/access.h"
#include "watch/live_run.h"

namespace assay {

class WatchServer {
 public:
  // Both must outlive it.
  WatchServer(const PageAccess& access, LiveRun& run);

  // `port` 0: any that is free. Returns the port.
  Result<int> bind(int port);
  // For ever.
  void serve() { server_.listen_after_bind(); }
  // Once the run has ended: until all who read events have them, or for that long.
  void wait_for_readers(std::chrono::milliseconds most) const;

 private:
  bool refuses(const httplib::Request& request, httplib::Response& response) const;
  void show_page(const httplib::Request& request, httplib::Response& response) const;
  void tell_events(const httplib::Request& request, httplib::Response& response);
  void tell_details(const httplib::Request& request, httplib::Response& response) const;

  const PageAccess& access_;
  LiveRun& run_;
  std::shared_ptr<const std::string> page_;
  std::atomic<int> readers_ = 0;  // of events
  httplib::Server server_;
};

}  // namespace assay
