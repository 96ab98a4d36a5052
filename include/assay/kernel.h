/* What a native kernel is to assay: a shared library, or one C or C++ file, that exports

       int assay_kernel(const assay_call *call);

   It reads call->inputs, writes call->outputs, and returns 0. Anything else it returns means that
   it declines the call: a size, say, that it was not made for.

   - Every tensor's `data` is aligned to 64 bytes unless its strides begin elsewhere in a larger
     one. Outputs are dense, in row-major order, and hold garbage: write every element. Inputs and
     constants may not be written: the memory is read-only. An input that the problem itself changes
     in place is writable, and is to be left as the problem leaves it.
   - On a CPU all memory is the host's and `stream` is NULL: return when the work is done. What goes
     on after that is not counted, and the process is stopped.
   - On a device `stream` is a stream of its own kind. Queue the work there and return; inputs are
     valid, and outputs are read, in the order of that stream. Work on another is in order only
     where you make it so. `data` is the memory of the device where `memory` says so.
   - The same process calls again and again, with other values at the same or other addresses.
   - `constants` are the model's parameters and buffers, in the order of its state_dict, with their
     names. They keep their values and addresses as long as the process lives, so what is made of
   them once may be kept: `*call->kept` is NULL at the first call, and what you store there comes
   back.
   - `scalars` are the numbers among the arguments of forward, in their order, and after these those
     among the arguments of the model's constructor.
   - Use up to call->threads threads. There is no network, no file but the system's libraries, and
   no other process.

   Compiled as gnu17 or gnu++20 with: -O3 -march=native -fPIC -shared -fopenmp -Iinclude */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stdint.h>

#define ASSAY_KERNEL_ABI 1

typedef enum assay_dtype {
  ASSAY_F64 = 1,
  ASSAY_F32 = 2,
  ASSAY_F16 = 3,
  ASSAY_BF16 = 4,
  ASSAY_I64 = 5,
  ASSAY_I32 = 6,
  ASSAY_I16 = 7,
  ASSAY_I8 = 8,
  ASSAY_U8 = 9,
  ASSAY_BOOL = 10 /* one byte, 0 or 1 */
} assay_dtype;

typedef enum assay_memory { ASSAY_HOST = 0, ASSAY_DEVICE = 1 } assay_memory;

typedef struct assay_tensor {
  void* data;             /* of the first element */
  const int64_t* shape;   /* elements per dimension */
  const int64_t* strides; /* elements from one to the next, per dimension */
  int32_t rank;
  int32_t dtype;    /* an assay_dtype */
  const char* name; /* of a constant; "" otherwise */
  int32_t memory;   /* an assay_memory: who can read at `data` */
} assay_tensor;

typedef struct assay_scalar {
  double number;   /* the value; a bool is 0 or 1 */
  int64_t integer; /* the value, where is_integer */
  int32_t is_integer;
} assay_scalar;

typedef struct assay_call {
  uint32_t abi;    /* ASSAY_KERNEL_ABI of the caller */
  int32_t threads; /* that the kernel may use, itself included */
  int32_t input_count;
  int32_t constant_count;
  int32_t output_count;
  int32_t scalar_count;
  const assay_tensor* inputs;
  const assay_tensor* constants;
  const assay_tensor* outputs;
  const assay_scalar* scalars;
  void** kept;
  const char* device;   /* "cpu" */
  int32_t device_index; /* which of those */
  void* stream;         /* that the call's work is to be queued on; NULL on a CPU */
} assay_call;

#ifdef __cplusplus
extern "C"
#endif
#if defined(__GNUC__)
    __attribute__((visibility("default")))
#endif
    int
    assay_kernel(const assay_call* call);

#endif
