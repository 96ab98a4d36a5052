#include "verify/chunks.h"

#include <algorithm>

namespace assay {
namespace {

// What the oracle holds while it computes one chunk, about.
constexpr uint64_t kChunkBytes = uint64_t{16} << 20;

}  // namespace

Step<std::variant<ChunkPlan, std::string>> plan_chunks(Oracle& oracle, uint64_t memory_bytes) {
  return oracle.chunks(std::min(kChunkBytes, memory_bytes / 4));
}

std::vector<Chunk> chunks_of(const ChunkPlan& plan) {
  std::vector<Chunk> chunks;
  for (int64_t first = 0; first < plan.of; first += plan.rows)
    chunks.push_back({first, std::min(plan.rows, plan.of - first)});
  return chunks;
}

ProblemDescription part_of(const ProblemDescription& problem, const ChunkPlan& plan, int64_t rows) {
  ProblemDescription part = problem;
  for (size_t input : plan.inputs) part.inputs[input].tensor->shape[0] = rows;
  for (size_t i = 0; i < part.outputs.size(); ++i) {
    part.outputs[i].tensor->shape[0] = rows * plan.groups[i];
    // What they point into is not kept of a part. Where their order were open there were no parts.
    part.outputs[i].picks.reset();
  }
  return part;
}

Json inputs_of(Json layout, const ProblemDescription& problem, const ChunkPlan& plan,
               const Chunk& chunk) {
  for (size_t input : plan.inputs) {
    const TensorSpec& spec = *problem.inputs[input].tensor;
    int64_t stride = 1;  // in elements, from row to row
    if (spec.strides.empty())
      for (size_t i = 1; i < spec.shape.size(); ++i) stride *= spec.shape[i];
    else
      stride = spec.strides[0];
    Json& place = layout[input];
    place["shape"][0] = chunk.rows;
    place["offset"] = place["offset"].get<uint64_t>() +
                      static_cast<uint64_t>(chunk.first * stride) * bytes_of(spec.dtype);
  }
  return layout;
}

ElementRange elements_of(const TensorSpec& output, int64_t group, const Chunk& chunk) {
  uint64_t row = output.elements() / static_cast<uint64_t>(output.shape[0]);
  return {static_cast<uint64_t>(chunk.first * group) * row,
          static_cast<uint64_t>(chunk.rows * group) * row};
}

}  // namespace assay
