// A problem that is computed a few rows at a time (python/assay_worker/chunks.py says when it may).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "verify/oracle.h"

namespace assay {

// Inputs and outputs of up to so much are computed at once, whatever the problem.
inline constexpr uint64_t kAtOnceBytes = uint64_t{32} << 20;

// How the problem that the oracle holds is computed in chunks, or the reason why it is not.
// `memory_bytes`: what a child may take.
Step<std::variant<ChunkPlan, std::string>> plan_chunks(Oracle& oracle, uint64_t memory_bytes);

struct Chunk {
  int64_t first = 0, rows = 0;
};

// All rows, in order: each chunk has as many as the plan says, the last what is left.
std::vector<Chunk> chunks_of(const ChunkPlan& plan);

// The problem with so many rows.
ProblemDescription part_of(const ProblemDescription& problem, const ChunkPlan& plan, int64_t rows);

// Inputs as a sheet has them, of one chunk: the same memory, other places and shapes.
Json inputs_of(Json layout, const ProblemDescription& problem, const ChunkPlan& plan,
               const Chunk& chunk);

// Where a chunk's elements of one output begin, and how many there are.
struct ElementRange {
  uint64_t first = 0, count = 0;
};
ElementRange elements_of(const TensorSpec& output, int64_t group, const Chunk& chunk);

}  // namespace assay
