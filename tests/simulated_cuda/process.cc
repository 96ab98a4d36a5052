#include "process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "base/signals_held.h"
#include "sandbox/futex.h"

namespace simulated {
namespace {

void* map_file(int fd, uint64_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

// Of who has imported it: its queues, each with a thread, until the file is given up.
void do_work_of(SharedFile& file) {
  Side side;
  side.place = [&](uint64_t address, uint64_t bytes) -> std::byte* {
    const uint64_t begin = reinterpret_cast<uint64_t>(file.whole);
    const uint64_t end = reinterpret_cast<uint64_t>(file.board);
    const bool is_inside = address >= begin && address <= end && bytes <= end - address;
    return is_inside ? reinterpret_cast<std::byte*>(address) : nullptr;
  };
  Board& board = *file.board;
  side.is_over = [&] { return board.stop.load() != 0; };
  side.fault = [&](Answer code) { board.fault.store(static_cast<uint32_t>(code)); };
  side.is_faulty = [&] { return board.fault.load() != 0; };
  std::vector<std::thread> threads;
  while (!side.is_over()) {
    const uint32_t count = std::min(board.queue_count.load(), Board::kQueues);
    while (threads.size() < count)
      threads.emplace_back([&side, &queue = board.queues[threads.size()]] { serve(queue, side); });
    assay::sandbox::sleep_while(board.queue_count, count, 10'000'000);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

SharedFile::~SharedFile() {
  if (doing.joinable()) {
    board->stop.store(1);
    doing.join();
  }
  if (whole != nullptr) ::munmap(whole, file_bytes);
  if (fd >= 0) ::close(fd);
}

// Never ends: threads use it.
Process& Process::get() {
  static auto* process = new Process;
  return *process;
}

Process::Process() {
  const char* given = std::getenv("ASSAY_SIMULATED_CUDA");
  std::string_view left = given != nullptr ? given : "";
  while (!left.empty()) {
    const std::string_view one = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), one.size() + 1));
    const size_t is = one.find('=');
    const bool is_known =
        is != one.npos && set(one.substr(0, is), std::strtoull(one.data() + is + 1, nullptr, 10));
    if (!is_known) std::abort();  // a test with a typing error would pass
  }
}

bool Process::set(std::string_view name, uint64_t value) {
  const std::pair<std::string_view, std::atomic<uint64_t>*> names[] = {
      {"cards", &cards},
      {"memory_bytes", &memory_bytes},
      {"start_fails", &start_fails},
      {"lost", &lost},
      {"lost_after", &lost_after},
      {"fault", &fault},
      {"held_back_by", &held_back_by}};
  for (const auto& [known, setting] : names)
    if (known == name) {
      setting->store(value);
      return true;
    }
  return false;
}

Answer Process::enter(bool is_of_context) {
  if (uint64_t left = lost_after.load(); left > 0) {
    lost_after = left - 1;
    if (left == 1) lost = 1;
  }
  if (lost != 0) return kLost;
  if (!is_initialised) return kNotInitialised;
  return is_of_context ? failure() : 0;
}

Answer Process::failure() {
  if (fault != 0) return static_cast<Answer>(fault.load());
  std::shared_lock held(mutex_);
  return imported_ ? static_cast<Answer>(imported_->board->fault.load()) : 0;
}

// --- memory ---

Answer Process::allocate(uint64_t* address, uint64_t bytes) {
  if (bytes == 0) return kInvalidValue;
  std::unique_lock held(mutex_);
  if (used_bytes_ + bytes > memory_bytes) return kOutOfMemory;
  Range range{.bytes = bytes, .is_allocated = true};
  std::byte* made = nullptr;
  if (imported_) {  // where who does the work finds it
    const uint64_t at = imported_->board->own_used.fetch_add((bytes + 255) / 256 * 256);
    if (at + bytes > Board::kOwnBytes) return kOutOfMemory;
    made = range.elsewhere = imported_->whole + imported_->board->memory_bytes + at;
  } else {
    void* mapped =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return kOutOfMemory;
    made = range.elsewhere = static_cast<std::byte*>(mapped);
  }
  *address = reinterpret_cast<uint64_t>(made);
  ranges_[*address] = range;
  used_bytes_ += bytes;
  return 0;
}

Answer Process::free(uint64_t address) {
  std::unique_lock held(mutex_);
  auto found = ranges_.find(address);
  if (found == ranges_.end() || !found->second.is_allocated) return kInvalidValue;
  used_bytes_ -= found->second.bytes;
  if (!imported_) ::munmap(found->second.elsewhere, found->second.bytes);
  ranges_.erase(found);
  return 0;
}

Answer Process::create(uint64_t* handle, uint64_t bytes) {
  if (bytes == 0 || bytes % kGranularity != 0) return kInvalidValue;
  std::unique_lock held(mutex_);
  if (used_bytes_ + bytes > memory_bytes) return kOutOfMemory;
  auto file = std::make_shared<SharedFile>();
  file->bytes = bytes;
  file->file_bytes = bytes + Board::kOwnBytes + kBoardBytes;
  file->fd = ::memfd_create("simulated-cuda", MFD_CLOEXEC);
  if (file->fd < 0 || ::ftruncate(file->fd, static_cast<off_t>(file->file_bytes)) != 0)
    return kOutOfMemory;
  file->whole = static_cast<std::byte*>(map_file(file->fd, file->file_bytes));
  if (file->whole == nullptr) return kOutOfMemory;
  file->board = reinterpret_cast<Board*>(file->whole + bytes + Board::kOwnBytes);
  file->board->magic = Board::kMagic;
  file->board->memory_bytes = bytes;
  file->is_mine = true;
  file->board->owner = reinterpret_cast<uint64_t>(file->whole);
  const assay::SignalsHeld quiet;  // as a driver's threads do
  file->doing = std::thread([&one = *file] { do_work_of(one); });
  used_bytes_ += bytes;
  files_[*handle = ++last_handle_] = std::move(file);
  return 0;
}

Answer Process::import(uint64_t* handle, int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0 || info.st_size <= static_cast<off_t>(kBoardBytes))
    return kInvalidValue;
  std::unique_lock held(mutex_);
  for (const auto& [known, its_file] : files_) {
    struct stat own{};
    if (::fstat(its_file->fd, &own) != 0 || own.st_ino != info.st_ino) continue;
    files_[*handle = ++last_handle_] = std::shared_ptr(its_file);
    return 0;
  }
  if (imported_) return kInvalidValue;  // one is all that is simulated
  auto file = std::make_shared<SharedFile>();
  file->file_bytes = static_cast<uint64_t>(info.st_size);
  file->fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  file->whole = static_cast<std::byte*>(map_file(file->fd, file->file_bytes));
  if (file->whole == nullptr) return kInvalidValue;
  file->board = reinterpret_cast<Board*>(file->whole + file->file_bytes - kBoardBytes);
  if (file->board->magic != Board::kMagic) return kInvalidValue;
  file->bytes = file->board->memory_bytes;
  imported_ = file;
  files_[*handle = ++last_handle_] = std::move(file);
  return 0;
}

Answer Process::release(uint64_t handle) {
  std::shared_ptr<SharedFile> last;  // its thread may still want the lock
  std::unique_lock held(mutex_);
  auto found = files_.find(handle);
  if (found == files_.end()) return kInvalidValue;
  last = std::move(found->second);
  files_.erase(found);
  if (last->is_mine && last.use_count() == 1) used_bytes_ -= last->bytes;
  held.unlock();
  return 0;
}

std::shared_ptr<SharedFile> Process::file(uint64_t handle) {
  std::shared_lock held(mutex_);
  auto found = files_.find(handle);
  return found == files_.end() ? nullptr : found->second;
}

Answer Process::map(uint64_t address, uint64_t bytes, uint64_t handle) {
  const std::shared_ptr<SharedFile> shared = file(handle);
  if (!shared || bytes > shared->bytes) return kInvalidValue;
  std::unique_lock held(mutex_);
  void* mapped = ::mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                        shared->fd, 0);
  if (mapped == MAP_FAILED) return kInvalidValue;
  ranges_[address] = {.bytes = bytes, .elsewhere = shared->whole, .is_open = false};
  mapped_last = address;
  return 0;
}

Answer Process::unmap(uint64_t address, uint64_t bytes) {
  std::unique_lock held(mutex_);
  auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.is_allocated || found->second.bytes != bytes)
    return kInvalidValue;
  ranges_.erase(found);
  // The addresses stay reserved.
  const void* mapped = ::mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return mapped == MAP_FAILED ? kInvalidValue : 0;
}

Answer Process::open(uint64_t address, uint64_t bytes) {
  std::unique_lock held(mutex_);
  auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.bytes != bytes) return kInvalidValue;
  if (::mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE) != 0)
    return kInvalidValue;
  found->second.is_open = true;
  return 0;
}

std::byte* Process::place(uint64_t address, uint64_t bytes) {
  auto behind = ranges_.upper_bound(address);
  if (behind == ranges_.begin()) return nullptr;
  const auto& [begin, range] = *std::prev(behind);
  const uint64_t at = address - begin;
  if (!range.is_open || at > range.bytes || bytes > range.bytes - at) return nullptr;
  return range.elsewhere + at;
}

uint64_t Process::where(uint64_t address, uint64_t bytes) {
  std::shared_lock held(mutex_);
  std::byte* here = place(address, bytes);
  if (here == nullptr) return 0;
  if (!imported_) return address;
  return imported_->board->owner + static_cast<uint64_t>(here - imported_->whole);
}

// --- streams ---

StreamState* Process::make_stream() {
  std::shared_ptr<SharedFile> imported;
  {
    std::shared_lock held(mutex_);
    imported = imported_;
  }
  auto made = std::make_unique<StreamState>();
  if (imported) {
    Board& board = *imported->board;
    const uint32_t number = board.queue_count.fetch_add(1);
    if (number >= Board::kQueues) return nullptr;
    made->queue = &board.queues[number];
    assay::sandbox::wake_all(board.queue_count);
  } else {
    made->own = std::make_shared<Queue>();
    made->queue = made->own.get();
    const assay::SignalsHeld quiet;
    std::thread([this, own = made->own] {
      Side side;
      side.guard = &mutex_;
      side.place = [this](uint64_t address, uint64_t bytes) {
        return place(address, bytes) == nullptr ? nullptr : reinterpret_cast<std::byte*>(address);
      };
      side.is_over = [] { return false; };
      side.fault = [this](Answer code) { fault = static_cast<uint64_t>(code); };
      side.is_faulty = [this] { return fault != 0 || lost != 0; };
      serve(*own, side);
    }).detach();
  }
  StreamState* stream = made.get();
  std::lock_guard held(streams_mutex_);
  streams_[stream] = std::move(made);
  return stream;
}

StreamState* Process::stream(Stream handle) {
  const bool is_default = reinterpret_cast<uintptr_t>(handle) <= 2;
  if (is_default) {
    static std::mutex making;
    std::lock_guard held(making);
    if (default_stream_ == nullptr) default_stream_ = make_stream();
    return default_stream_;
  }
  std::lock_guard held(streams_mutex_);
  auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Process::close_stream(StreamState* stream) {
  std::lock_guard held(streams_mutex_);
  stream->queue->closed.store(1);
  streams_.erase(stream);
}

Answer Process::queue(Stream handle, Operation operation) {
  StreamState* to = stream(handle);
  if (to == nullptr) return kInvalidHandle;
  const bool writes = operation.to != 0 || operation.kind != Operation::Kind::launch;
  if (writes && !operation.to_host &&
      (operation.to = where(operation.to, operation.to_bytes())) == 0)
    return kInvalidValue;
  if (operation.from != 0 && !operation.from_host &&
      (operation.from = where(operation.from, operation.from_bytes())) == 0)
    return kInvalidValue;
  std::lock_guard held(to->mutex);
  Queue& queue = *to->queue;
  const uint32_t number = queue.submitted.load();
  while (true) {
    const uint32_t done = queue.done.load();
    if (number - done < Queue::kCapacity) break;
    if (lost != 0) return kLost;
    assay::sandbox::sleep_while(queue.done, done, 10'000'000);
  }
  queue.operations[number % Queue::kCapacity] = operation;
  queue.submitted.store(number + 1, std::memory_order_release);
  assay::sandbox::wake_all(queue.submitted);
  return 0;
}

Answer Process::wait(Stream handle) {
  StreamState* of = stream(handle);
  if (of == nullptr) return kInvalidHandle;
  const uint32_t all = of->queue->submitted.load();
  while (true) {
    const uint32_t done = of->queue->done.load();
    if (static_cast<int32_t>(done - all) >= 0) return failure();
    if (lost != 0) return kLost;
    assay::sandbox::sleep_while(of->queue->done, done, 10'000'000);
  }
}

Answer Process::wait_for_all() {
  std::vector<Stream> all{nullptr};
  {
    std::lock_guard held(streams_mutex_);
    for (const auto& [handle, stream] : streams_) all.push_back(handle);
  }
  for (Stream each : all)
    if (const Answer failed = wait(each); failed != 0) return failed;
  return 0;
}

bool Process::is_importer() {
  std::shared_lock held(mutex_);
  return imported_ != nullptr;
}

Answer Process::move_host(const Operation& operation, Stream stream) {
  uint64_t between = 0;
  if (const Answer failed = allocate(&between, operation.width_bytes); failed != 0) return failed;
  Operation moved = operation;
  moved.to_host = moved.from_host = false;
  (operation.to_host ? moved.to : moved.from) = between;
  auto* here = reinterpret_cast<std::byte*>(between);
  if (operation.from_host)
    std::memcpy(here, reinterpret_cast<const void*>(operation.from), operation.width_bytes);
  Answer answer = queue(stream, moved);
  if (answer == 0) answer = wait(stream);
  if (answer == 0 && operation.to_host)
    std::memcpy(reinterpret_cast<void*>(operation.to), here, operation.width_bytes);
  free(between);
  return answer;
}

void* Process::allocate_host(uint64_t bytes) {
  void* made = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  std::lock_guard held(host_mutex_);
  if (made != nullptr) host_memory_.insert(made);
  return made;
}

Answer Process::free_host(void* memory) {
  std::lock_guard held(host_mutex_);
  if (host_memory_.erase(memory) == 0) return kInvalidValue;
  std::free(memory);
  return 0;
}

// Of an importer in its own memory on the card, where who does the work finds it.
Moment* Process::make_moment() {
  if (!is_importer()) {
    std::lock_guard held(host_mutex_);
    return &moments_.emplace_back();
  }
  uint64_t address = 0;
  return allocate(&address, sizeof(Moment)) == 0 ? new (reinterpret_cast<void*>(address)) Moment{}
                                                 : nullptr;
}

}  // namespace simulated
