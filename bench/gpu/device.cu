// Device code of gpu-probe that launches kernels and graphs itself. It is linked with CUDA's device
// runtime, so it stands apart from the other.
#include <cstdint>

#include "answer.h"

extern "C" {

__global__ void __launch_bounds__(256)
    child_work(uint32_t* outputs, const uint32_t* inputs, uint32_t count, uint32_t rounds) {
  for (uint32_t i = first(); i < count; i += stride()) outputs[i] = answer(inputs[i], rounds);
}

__global__ void child_spin(uint64_t for_ns) {
  uint64_t begin = nanoseconds();
  while (nanoseconds() - begin < for_ns) {
  }
}

// 0: fire and forget, 1: at its own end, 2: on a stream of its own.
__global__ void launch_work(uint32_t* outputs, const uint32_t* inputs, uint32_t count,
                            uint32_t rounds, uint32_t blocks, int how, uint32_t* result) {
  cudaStream_t stream = how == 0 ? cudaStreamFireAndForget : cudaStreamTailLaunch;
  cudaError_t error = cudaSuccess;
  if (how == 2) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) {
    child_work<<<blocks, 256, 0, stream>>>(outputs, inputs, count, rounds);
    error = cudaGetLastError();
  }
  if (how == 2) cudaStreamDestroy(stream);
  *result = static_cast<uint32_t>(error);
}

// 0: fire and forget, 1: at its own end, 2: as a sibling.
__global__ void launch_graph(cudaGraphExec_t graph, int how, uint32_t* result) {
  cudaStream_t stream = how == 0   ? cudaStreamGraphFireAndForget
                        : how == 1 ? cudaStreamGraphTailLaunch
                                   : cudaStreamGraphFireAndForgetAsSibling;
  *result = static_cast<uint32_t>(cudaGraphLaunch(graph, stream));
}

// Launches itself until so much time has gone by, then a hog.
__global__ void kernel_tail(uint64_t begin, uint64_t wait_ns, uint64_t spin_ns, uint32_t* result) {
  uint64_t now = nanoseconds();
  if (begin == 0) begin = now;
  if (now - begin < wait_ns) {
    kernel_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(begin, wait_ns, spin_ns, result);
  } else {
    child_spin<<<132, 1024, 0, cudaStreamTailLaunch>>>(spin_ns);
  }
  *result = static_cast<uint32_t>(cudaGetLastError());
}

__global__ void graph_tail(uint64_t* begin, uint64_t wait_ns, cudaGraphExec_t then,
                           uint32_t* result) {
  uint64_t now = nanoseconds();
  if (*begin == 0) *begin = now;
  cudaGraphExec_t next = now - *begin < wait_ns ? cudaGetCurrentGraphExec() : then;
  *result = static_cast<uint32_t>(cudaGraphLaunch(next, cudaStreamGraphTailLaunch));
}

}  // extern "C"
