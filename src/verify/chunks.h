// A problem that is computed a few rows at a time (python/assay_worker/chunks.py says when it may).
#pragma once

#include <cstdint>
#include <vector>

#include "verify/oracle.h"

namespace assay {

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
