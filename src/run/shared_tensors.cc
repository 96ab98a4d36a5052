#include "run/shared_tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr uint64_t kAlignment = 64;  // of include/assay/kernel.h
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostBytes = uint64_t{1} << 60;  // what a sum may reach before it overflows

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Result<SharedTensors> SharedTensors::create(const char* name, std::vector<TensorSpec> tensors,
                                            Access access, uint64_t zone_bytes, size_t slots) {
  zone_bytes = round_up(zone_bytes, kAlignment);
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const TensorSpec& tensor : tensors) {
    end = round_up(end, kAlignment) + zone_bytes;
    offsets.push_back(end);
    end += tensor.span_bytes() + zone_bytes;
    if (end > kMostBytes) return error(Code::unavailable, "its tensors are larger than any memory");
  }
  const uint64_t slot_bytes = round_up(end + kAlignment, kPage);  // never empty: it is mapped
  if (slots > kMostBytes / slot_bytes)
    return error(Code::unavailable, "its tensors are larger than any memory");
  const uint64_t size = slot_bytes * slots;
  ASSAY_ASSIGN(UniqueFd file, empty_memory_file(name));
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
    return errno_error("make room for tensors in memory");
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return errno_error("map memory for tensors");
  SharedTensors made;
  made.mapping_ =
      std::make_shared<const Mapping>(std::move(file), static_cast<std::byte*>(data), size);
  made.slots_ = slots;
  made.slot_bytes_ = slot_bytes;
  made.zone_bytes_ = zone_bytes;
  made.tensors_ = std::move(tensors);
  made.offsets_ = std::move(offsets);
  if (::fcntl(made.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return errno_error("seal memory for tensors");
  if (access == Access::read) ASSAY_TRY(made.seal_against_writing());
  return made;
}

Status SharedTensors::seal_against_writing() {
  if (::fcntl(fd(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0)
    return errno_error("seal memory for tensors");
  return {};
}

SharedTensors::Mapping::~Mapping() { ::munmap(data, bytes); }

SharedTensors SharedTensors::slot(size_t slot) const {
  SharedTensors one;
  one.mapping_ = mapping_;
  one.first_ = first_ + slot * slot_bytes_;
  one.slot_bytes_ = slot_bytes_;
  one.zone_bytes_ = zone_bytes_;
  one.tensors_ = tensors_;
  one.offsets_ = offsets_;
  return one;
}

std::span<std::byte> SharedTensors::tensor(size_t index, size_t slot) const {
  return all(slot).subspan(offsets_[index], tensors_[index].span_bytes());
}

std::span<std::byte> SharedTensors::zone_before(size_t index) const {
  return all().subspan(offsets_[index] - zone_bytes_, zone_bytes_);
}

std::span<std::byte> SharedTensors::zone_behind(size_t index) const {
  return all().subspan(offsets_[index] + tensors_[index].span_bytes(), zone_bytes_);
}

Json SharedTensors::layout(std::string_view memory) const {
  Json list = Json::array();
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Json tensor = to_json(tensors_[i]);
    tensor["memory"] = memory;
    tensor["offset"] = first_ + offsets_[i];
    list.push_back(std::move(tensor));
  }
  return list;
}

}  // namespace assay
