// assay_worker._zygote: the fork server for images written in Python, and what else they need of C.
// No Python code runs between the fork and the point where the worker's limits hold.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "sandbox/fork_server.h"
#include "sandbox/futex.h"

namespace {

PyObject* serve(PyObject*, PyObject* arguments) {
  int control_fd = -1;
  const char* image = nullptr;
  if (!PyArg_ParseTuple(arguments, "is", &control_fd, &image)) return nullptr;
  assay::sandbox::ForkHooks hooks;
  hooks.before = PyOS_BeforeFork;
  hooks.after_in_zygote = PyOS_AfterFork_Parent;
  hooks.after_in_worker = PyOS_AfterFork_Child;
  assay::sandbox::serve_forks(control_fd, image, hooks);
  return PyLong_FromLong(control_fd);
}

// A 32-bit word that is shared with another process. By its address: the stable interface of Python
// 3.10 has no buffers.
std::atomic<uint32_t>* word_at(unsigned long long address) {
  return reinterpret_cast<std::atomic<uint32_t>*>(static_cast<uintptr_t>(address));  // NOLINT
}

PyObject* await_window(PyObject*, PyObject* arguments) {
  unsigned long long address = 0;
  unsigned long seen = 0;
  if (!PyArg_ParseTuple(arguments, "Kk", &address, &seen)) return nullptr;
  std::atomic<uint32_t>* word = word_at(address);
  uint32_t now = 0;
  while ((now = word->load(std::memory_order_acquire)) == seen) {
    int failed = 0;
    Py_BEGIN_ALLOW_THREADS;
    failed = assay::sandbox::sleep_while(*word, static_cast<uint32_t>(seen));
    Py_END_ALLOW_THREADS;
    if (failed == EINTR && PyErr_CheckSignals() != 0) return nullptr;
    if (failed != 0 && failed != EAGAIN && failed != EINTR) {
      errno = failed;
      return PyErr_SetFromErrno(PyExc_OSError);
    }
  }
  return PyLong_FromUnsignedLong(now);
}

PyObject* end_window(PyObject*, PyObject* arguments) {
  unsigned long long address = 0;
  unsigned long number = 0;
  if (!PyArg_ParseTuple(arguments, "Kk", &address, &number)) return nullptr;
  std::atomic<uint32_t>* word = word_at(address);
  word->store(static_cast<uint32_t>(number), std::memory_order_release);
  if (int failed = assay::sandbox::wake_all(*word); failed != 0) {
    errno = failed;
    return PyErr_SetFromErrno(PyExc_OSError);
  }
  Py_RETURN_NONE;
}

PyObject* perturb_memory(PyObject*, PyObject* arguments) {
  int byte = 0;
  if (!PyArg_ParseTuple(arguments, "i", &byte)) return nullptr;
  if (byte <= 0 || byte >= 255) {  // glibc fills fresh memory with the complement; 0 is off
    PyErr_Format(PyExc_ValueError, "a byte from 1 to 254, not %d", byte);
    return nullptr;
  }
  // glibc fills nothing that it takes from its cache of freed blocks, so the byte is not enough
  // where the caller wants every small block filled; torch asks by posix_memalign(), which takes
  // nothing from there but where it has just put there all blocks of that size that it came upon: 1
  // in some hundreds of the small ones is as it was.
  if (::mallopt(M_PERTURB, byte ^ 0xff) != 1) {
    PyErr_SetString(PyExc_OSError, "mallopt(M_PERTURB) failed");
    return nullptr;
  }
  // Workers of one zygote would find new memory at the same addresses. These stay to the end.
  const size_t page_bytes = 4096 * static_cast<size_t>(byte);
  if (::mmap(nullptr, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    return PyErr_SetFromErrno(PyExc_OSError);
  static void* kept;
  kept = std::malloc(448 * static_cast<size_t>(byte));
  if (kept == nullptr) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"serve", serve, METH_VARARGS,
     "serve(control_fd, image) -> int\n\nServes fork requests; returns only in a worker, with the "
     "descriptor of its socket."},
    {"await_window", await_window, METH_VARARGS,
     "await_window(address, seen) -> int\n\nWaits, without the GIL, until the 32-bit word at "
     "`address` is another than `seen`; returns it."},
    {"end_window", end_window, METH_VARARGS,
     "end_window(address, number)\n\nStores the number in the 32-bit word at `address`, and wakes "
     "who waits for it."},
    {"perturb_memory", perturb_memory, METH_VARARGS,
     "perturb_memory(byte)\n\nFrom now on, memory from posix_memalign() and malloc() is filled "
     "with this byte, from 1 to 254, freed memory with its complement, and new memory lies "
     "elsewhere."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_zygote", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__zygote(void) { return PyModule_Create(&module); }
