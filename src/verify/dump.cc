#include "verify/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/disk.h"
#include "verify/elements.h"

namespace assay {
namespace {

// As numpy calls it, of little-endian machines.
std::string_view numpy_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "<f8";
    case Dtype::f32:
    case Dtype::bf16:
      return "<f4";
    case Dtype::f16:
      return "<f2";
    case Dtype::i64:
      return "<i8";
    case Dtype::i32:
      return "<i4";
    case Dtype::i16:
      return "<i2";
    case Dtype::i8:
      return "|i1";
    case Dtype::u8:
      return "|u1";
    case Dtype::boolean:
      return "|b1";
  }
  return "";
}

std::string dense_bytes(const TensorSpec& spec, const std::byte* tensor) {
  const uint64_t elements = spec.elements();
  std::string bytes(elements * bytes_of(spec.dtype), '\0');
  if (elements > 0) gather(spec, tensor, 0, elements, reinterpret_cast<std::byte*>(bytes.data()));
  if (spec.dtype != Dtype::bf16) return bytes;
  // The upper half of an f32.
  std::string wide;
  wide.reserve(2 * bytes.size());
  for (size_t i = 0; i < bytes.size(); i += 2) {
    wide.append(2, '\0');
    wide.append(bytes, i, 2);
  }
  return wide;
}

std::string file_name(std::string_view kind, std::string name) {
  std::ranges::replace(name, ' ', '_');
  return fmt::format("{}_{}.npy", kind, name);
}

}  // namespace

std::string npy_of(const TensorSpec& spec, const std::byte* tensor) {
  constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
  constexpr size_t kAlign = 64;
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 numpy_name(spec.dtype), fmt::join(spec.shape, ", "),
                                 spec.shape.size() == 1 ? "," : "");
  const size_t before = kMagic.size() + 2;
  head.append(kAlign - (before + head.size() + 1) % kAlign, ' ');
  head += '\n';
  std::string file(kMagic);
  file += static_cast<char>(head.size() & 0xff);
  file += static_cast<char>(head.size() >> 8);
  return file + head + dense_bytes(spec, tensor);
}

void Dump::take_inputs(const ProblemDescription& problem, const RoundMemory& memory) {
  if (folder_.empty()) return;
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].tensor)
      files_.emplace_back(fmt::format("input_{}.npy", i),
                          npy_of(*problem.inputs[i].tensor, memory.input(i).data()));
}

void Dump::take_results(const ProblemDescription& problem, const RoundMemory& memory,
                        bool is_whole) {
  if (folder_.empty()) return;
  const std::vector<JudgedResult> judged = judged_results(problem, memory);
  for (size_t i = 0; i < judged.size(); ++i) {
    const JudgedResult& result = judged[i];
    files_.emplace_back(file_name("got", result.name),
                        npy_of(result.spec, result.candidate.data()));
    if (!is_whole) continue;
    files_.emplace_back(file_name("expected", result.name),
                        npy_of(memory.reference.specs()[i], memory.reference.tensor(i).data()));
    files_.emplace_back(file_name("torch", result.name),
                        npy_of(memory.baseline.specs()[i], memory.baseline.tensor(i).data()));
  }
}

Status Dump::write() const {
  if (folder_.empty()) return {};
  ASSAY_TRY(system_disk().make_directories(folder_));
  for (const auto& [name, bytes] : files_)
    ASSAY_TRY(system_disk().write(join_path(folder_, name), bytes));
  return {};
}

}  // namespace assay
