// Tensors in one file in memory that the judge and a child both map: values never travel in frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "model/tensor.h"

namespace assay {

class SharedTensors {
 public:
  // What the child may do with it. The judge may always write, by the mapping it made first.
  enum class Access { read, write };

  // Lays the tensors out one behind the other, each aligned, with `zone_bytes` before and behind
  // each that belong to none of them: what lies there shows who reads or writes too far. All is
  // zero. The file's size is fixed, and with Access::read nobody can map it to write to any more.
  // All of it is there as often as there are slots: the n-th call of a window has the n-th.
  static Result<SharedTensors> create(const char* name, std::vector<TensorSpec> tensors,
                                      Access access, uint64_t zone_bytes = 0, size_t slots = 1);

  // Forbids new mappings to write to; those that are there stay.
  Status seal_against_writing();

  SharedTensors(SharedTensors&& other) = default;
  SharedTensors& operator=(SharedTensors&& other) = default;

  // One slot of it as a whole of its own: the same memory, which lasts as long as either.
  SharedTensors slot(size_t slot) const;

  int fd() const { return mapping_->file.get(); }
  size_t count() const { return tensors_.size(); }
  const std::vector<TensorSpec>& specs() const { return tensors_; }
  size_t slots() const { return slots_; }
  // From a tensor to the same one in the next slot.
  uint64_t slot_bytes() const { return slot_bytes_; }
  // From the tensor's first element to behind its last.
  std::span<std::byte> tensor(size_t index, size_t slot = 0) const;
  // All of a slot, with what lies between.
  std::span<std::byte> all(size_t slot = 0) const {
    return {mapping_->data + first_ + slot * slot_bytes_, slot_bytes_};
  }
  // What lies before and behind one tensor.
  std::span<std::byte> zone_before(size_t index) const;
  std::span<std::byte> zone_behind(size_t index) const;

  // The tensors of the first slot as a job's sheet has them: each with "memory": `memory`, and
  // "offset", in bytes.
  Json layout(std::string_view memory) const;

 private:
  // The whole file, in this process.
  struct Mapping {
    UniqueFd file;
    std::byte* data = nullptr;
    size_t bytes = 0;

    Mapping(UniqueFd its_file, std::byte* begin, size_t size)
        : file(std::move(its_file)), data(begin), bytes(size) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
  };
  SharedTensors() = default;

  std::shared_ptr<const Mapping> mapping_;
  uint64_t first_ = 0;  // where its first slot begins
  size_t slots_ = 1;
  uint64_t slot_bytes_ = 0;
  uint64_t zone_bytes_ = 0;
  std::vector<TensorSpec> tensors_;
  std::vector<uint64_t> offsets_;  // in a slot
};

}  // namespace assay
