#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "base/unique_fd.h"
#include "sandbox/capture.h"
#include "sandbox/fork_server.h"
#include "sandbox/spawner.h"
#include "sandbox/wire.h"

namespace assay {

// One exec'd image: a zygote, or a program that answers once and ends. Dies with assay.
// Started and owned by the spawner; must be started from the thread that lives as long as assay,
// because the kernel ties "dies with its parent" to that thread.
class ImageProcess {
 public:
  // Execs the image. It is not ready until ready() says so.
  static Result<ImageProcess> start(const Image& image);

  ImageProcess(ImageProcess&&) = default;
  ImageProcess& operator=(ImageProcess&&) = delete;
  ~ImageProcess();

  int control_fd() const { return control_.get(); }
  int output_fd() const { return output_.get(); }
  int64_t start_deadline_ns() const { return start_deadline_ns_; }
  bool ready() const { return ready_; }

  // Call when control_fd() can be read and the image is not ready. Reads its hello; fails when
  // the image has ended, speaks another version, is another image, or has more than one thread.
  Status read_hello();
  // The next frame from a program that answers once; blocks until `deadline_ns`.
  Result<Json> read_frame(int64_t deadline_ns);
  // Call when output_fd() can be read. Keeps what the image prints, for its error message.
  void read_output();

  // Has a ready zygote fork. `descriptors` are those of ForkRequest. Blocks for the fork itself, a
  // few milliseconds; a zygote that does not answer within ten seconds is an error.
  Result<pid_t> fork_keeper(const sandbox::ForkRequest& request, std::span<const int> descriptors);

  // The error for an image that ended, or did not come up: with the end of what it printed.
  Error failure(const std::string& problem);

 private:
  explicit ImageProcess(std::string name) : name_(std::move(name)) {}
  Status check_hello(const Json& hello);

  std::string name_;
  pid_t pid_ = -1;
  UniqueFd control_;
  UniqueFd output_;
  wire::Decoder decoder_;
  Capture printed_{4096};
  int64_t start_deadline_ns_ = 0;
  bool ready_ = false;
};

// Runs a program that speaks the protocol once: hello, one final answer, end. Returns the answer.
Result<Json> ask_once(const Image& image);

}  // namespace assay
