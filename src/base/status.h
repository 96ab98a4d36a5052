// How assay says that *it* could not do something.
//
// There are three kinds of bad news and they never mix:
//   * a finding about a candidate is data (model/attempt.h), never an Error;
//   * an inability of assay or of the machine is an Error: what was being done, what went wrong,
//     and what to do next. Only cli/ prints it;
//   * a bug in assay is an assert.
#pragma once

#include <cassert>
#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// Chosen by what the caller may do about it.
enum class Code {
  invalid_input,  // the user's input is wrong; say where, do not retry
  not_found,      // a named thing does not exist
  refused,        // would be wrong to do now (a folder in use, a setting that differs)
  unavailable,    // something this needs is missing on this machine; `assay doctor` helps
  io,             // the operating system said no: disk full, permission, broken pipe
  corrupt,        // stored data does not read as what it should be
  interrupted,    // the user pressed Ctrl-C
};

struct Error {
  Code code = Code::io;
  std::string message;             // what is wrong, and where, in one sentence
  std::string next;                // what to do next; may be empty
  std::vector<std::string> doing;  // innermost first: "reading targets/a100.toml"

  // "while X: while Y: message\n  next" as cli/ shows it.
  std::string describe() const;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> error(Code code, std::string message, std::string next = "") {
  return std::unexpected(Error{code, std::move(message), std::move(next), {}});
}

// The last system call's errno as an Error: "cannot WHAT: No space left on device".
std::unexpected<Error> errno_error(const std::string& what, std::string next = "");

// Adds what was being done to an Error on its way up.
inline std::unexpected<Error> while_doing(Error inner, std::string doing) {
  inner.doing.push_back(std::move(doing));
  return std::unexpected(std::move(inner));
}

}  // namespace assay

#define ASSAY_CONCAT_(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_(a, b)

// Returns the error of a Status or Result to the caller; otherwise goes on.
#define ASSAY_TRY(expression)                                                     \
  do {                                                                            \
    auto assay_status_ = (expression);                                            \
    if (!assay_status_) return std::unexpected(std::move(assay_status_).error()); \
  } while (false)

// ASSAY_ASSIGN(auto text, read(path)): as above, and keeps the value.
#define ASSAY_ASSIGN(declaration, expression) \
  ASSAY_ASSIGN_(ASSAY_CONCAT(assay_result_, __LINE__), declaration, expression)
#define ASSAY_ASSIGN_(result, declaration, expression)            \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = std::move(*result)
