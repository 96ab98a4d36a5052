// What the simulated driver knows in one process: its memory, its faults, and who does its work.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "board.h"
#include "simulated_cuda.h"

namespace simulated {

inline constexpr Answer kInvalidValue = 1, kOutOfMemory = 2, kNotInitialised = 3, kLost = 46,
                        kNoDevice = 100, kInvalidHandle = 400, kIllegalAddress = 700,
                        kStillThere = 709;
inline constexpr uint64_t kGranularity = 2 << 20;
inline constexpr const char* kBus = "0000:02:00.0";  // where the card is

// Memory that processes share: a file. Mapped whole by who made it and by who has imported it.
struct SharedFile {
  int fd = -1;
  uint64_t bytes = 0, file_bytes = 0;
  std::byte* whole = nullptr;
  Board* board = nullptr;
  bool is_mine = false;
  std::thread doing;  // has a thread for each queue of the importer
  ~SharedFile();
};

struct StreamState {
  std::mutex mutex;
  std::shared_ptr<Queue> own;  // null: it is in a board
  Queue* queue = nullptr;
};

class Process {
 public:
  static Process& get();

  bool set(std::string_view name, uint64_t value);
  // Of a call that needs a context: why it fails. `is_of_context` is false for those that do not.
  Answer enter(bool is_of_context = true);
  bool is_initialised = false;

  // Memory of the card, in this process.
  Answer allocate(uint64_t* address, uint64_t bytes);
  Answer free(uint64_t address);
  Answer create(uint64_t* handle, uint64_t bytes);
  Answer import(uint64_t* handle, int fd);
  Answer release(uint64_t handle);
  Answer map(uint64_t address, uint64_t bytes, uint64_t handle);
  Answer unmap(uint64_t address, uint64_t bytes);
  Answer open(uint64_t address, uint64_t bytes);
  std::shared_ptr<SharedFile> file(uint64_t handle);
  uint64_t used_bytes() const { return used_bytes_; }

  // The handle of a stream may be null, for the default one.
  StreamState* stream(Stream handle);
  StreamState* make_stream();
  void close_stream(StreamState* stream);
  // Fails where it names memory that is not the card's.
  Answer queue(Stream handle, Operation operation);
  Answer wait(Stream handle);
  Answer wait_for_all();
  // What the process queues is done in another one, which has none of its memory.
  bool is_importer();
  // Of an importer: by memory of its own on the card, and waits.
  Answer move_host(const Operation& operation, Stream stream);
  Moment* make_moment();  // it stays: what is still to be recorded is
  void* allocate_host(uint64_t bytes);
  Answer free_host(void* memory);
  // Where who does the work finds what lies at this address; 0: it is not the card's memory.
  uint64_t where(uint64_t address, uint64_t bytes);

  std::atomic<uint64_t> cards{1}, memory_bytes{1 << 30}, start_fails{0}, lost{0}, lost_after{0},
      fault{0}, held_back_by{0};
  std::atomic<uint64_t> mapped_last{0};

 private:
  Process();
  struct Range {
    uint64_t bytes = 0;
    std::byte* elsewhere = nullptr;  // the same memory in the file's whole mapping
    bool is_open = true;
    bool is_allocated = false;
  };
  std::byte* place(uint64_t address, uint64_t bytes);  // with mutex_ held
  Answer failure();

  std::shared_mutex mutex_;
  std::map<uint64_t, Range> ranges_;
  std::map<uint64_t, std::shared_ptr<SharedFile>> files_;
  uint64_t last_handle_ = 0;
  std::atomic<uint64_t> used_bytes_{0};
  std::shared_ptr<SharedFile> imported_;
  std::mutex streams_mutex_;
  std::map<void*, std::unique_ptr<StreamState>> streams_;
  StreamState* default_stream_ = nullptr;
  std::mutex host_mutex_;
  std::set<void*> host_memory_;
  std::deque<Moment> moments_;
};

// For whom work is done.
struct Side {
  std::shared_mutex* guard = nullptr;  // memory stays while it is held
  // Where so much memory of the card lies; null: it is not there.
  std::function<std::byte*(uint64_t address, uint64_t bytes)> place;
  std::function<bool()> is_over;      // nothing more is done, and what waits does not
  std::function<void(Answer)> fault;  // a kernel's
  std::function<bool()> is_faulty;    // what is queued is dropped
};

// Does what is queued, until that is closed and empty, or all is over.
void serve(Queue& queue, const Side& side);
int64_t monotonic_ns();

}  // namespace simulated
