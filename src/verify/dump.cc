#include "verify/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/disk.h"
#include "base/json.h"
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

std::string_view safetensors_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "F64";
    case Dtype::f32:
      return "F32";
    case Dtype::bf16:
      return "BF16";
    case Dtype::f16:
      return "F16";
    case Dtype::i64:
      return "I64";
    case Dtype::i32:
      return "I32";
    case Dtype::i16:
      return "I16";
    case Dtype::i8:
      return "I8";
    case Dtype::u8:
      return "U8";
    case Dtype::boolean:
      return "BOOL";
  }
  return "";
}

std::string dense_bytes(const TensorSpec& spec, const std::byte* tensor) {
  const uint64_t elements = spec.elements();
  std::string bytes(elements * bytes_of(spec.dtype), '\0');
  if (elements > 0) gather(spec, tensor, 0, elements, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

std::string as_numpy_has_it(const TensorSpec& spec, std::string bytes) {
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
  return file + head + as_numpy_has_it(spec, dense_bytes(spec, tensor));
}

std::string safetensors_of(std::span<const StateTensor> named, const SharedTensors& tensors) {
  Json head = Json::object();
  std::string data;
  for (size_t i = 0; i < named.size(); ++i) {
    const TensorSpec& spec = named[i].tensor;
    const size_t begin = data.size();
    data += dense_bytes(spec, tensors.tensor(i).data());
    head[named[i].name] = {{"dtype", safetensors_name(spec.dtype)},
                           {"shape", spec.shape},
                           {"data_offsets", {begin, data.size()}}};
  }
  std::string text = dump_json(head);
  text.append((8 - text.size() % 8) % 8, ' ');  // what follows is aligned
  const uint64_t size = text.size();
  std::string file(reinterpret_cast<const char*>(&size), sizeof size);  // little-endian, as we are
  return file + text + data;
}

void Dump::take_state(const ProblemDescription& problem, const SharedTensors& state) {
  if (folder_.empty() || problem.state.empty()) return;
  named_ = &problem.state;
  state_ = &state;
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
  if (state_)
    ASSAY_TRY(system_disk().write(join_path(folder_, std::string(kDumpedWeights)),
                                  safetensors_of(*named_, *state_)));
  return {};
}

}  // namespace assay
