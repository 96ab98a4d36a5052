// assay_worker._zygote: the fork server for images written in Python. No Python code runs between
// the fork and the point where the worker's limits hold.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "sandbox/fork_server.h"

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

PyMethodDef methods[] = {
    {"serve", serve, METH_VARARGS,
     "serve(control_fd, image) -> int\n\nServes fork requests; returns only in a worker, with the "
     "descriptor of its socket."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_zygote", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__zygote(void) { return PyModule_Create(&module); }
