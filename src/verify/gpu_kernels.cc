#include "verify/gpu_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "run/outcome.h"

namespace assay {
namespace {

constexpr size_t kMostKernels = 1000;
constexpr size_t kMostFiles = 8;  // of one kernel
constexpr size_t kMostNameBytes = 1000;
// Of a file's name: with numbers, and what it is called while it is written, file systems take 255.
constexpr size_t kMostStemBytes = 160;
constexpr size_t kMostEndingBytes = 32;
constexpr size_t kMostTextBytes = 1000;
constexpr size_t kMostLineBytes = size_t{1} << 20;

// Becomes part of a path.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

uint64_t size_field(JsonReader& fields, const char* name) {
  const int64_t value = fields.integer(name);
  if (value < 0) fields.fail(fmt::format("'{}' is negative", name));
  return static_cast<uint64_t>(std::max<int64_t>(value, 0));
}

// "softmax", and for another of that name "softmax_2". Torch's compiler, for one, gives names of
// any length.
std::string distinct(const std::string& written, std::set<std::string>& taken) {
  const std::string name = written.substr(0, kMostStemBytes);
  std::string free = name;
  for (int number = 2; !taken.insert(free).second; ++number)
    free = fmt::format("{}_{}", name, number);
  return free;
}

Status read_files(const Json& list, const std::string& kernel, std::string_view& bytes,
                  GpuKernels& found) {
  if (!list.is_array() || list.size() > kMostFiles)
    return error(Code::invalid_input, "a kernel's files are no list");
  std::set<std::string> endings;
  for (const Json& each : list) {
    JsonReader fields(each, "a kernel's file");
    const std::string ending = fields.text("name");
    const uint64_t size = size_field(fields, "bytes");
    if (!is_name(ending) || ending.size() > kMostEndingBytes) fields.fail("'name' is none");
    if (size > bytes.size()) fields.fail("'bytes' are more than there are");
    ASSAY_TRY(fields.status());
    if (!endings.insert(ending).second)
      return error(Code::invalid_input, "a kernel has two files of one name");
    found.files.push_back({fmt::format("{}/{}.{}", kKernelsFolder, kernel, ending),
                           std::string(bytes.substr(0, size))});
    bytes.remove_prefix(size);
  }
  return {};
}

Status read_kernels(const Json& list, std::string_view bytes, GpuKernels& found) {
  if (!list.is_array() || list.size() > kMostKernels)
    return error(Code::invalid_input, "'kernels' is no list of kernels");
  std::set<std::string> taken;
  for (const Json& each : list) {
    JsonReader fields(each, "a kernel");
    const std::string name = fields.text("name");
    if (!is_name(name)) fields.fail("'name' is none");
    Json kernel;
    for (const char* number : {"launches", "warps", "shared_bytes"})
      kernel[number] = size_field(fields, number);
    for (const char* number : {"registers", "scalar_registers", "spilled_bytes"})
      if (fields.has(number)) kernel[number] = size_field(fields, number);
    found.narrow = fields.boolean("narrow") || found.narrow;
    const Json& files = fields.value("files");
    ASSAY_TRY(fields.status());
    kernel["name"] = distinct(name, taken);
    ASSAY_TRY(read_files(files, kernel["name"], bytes, found));
    found.list.push_back(std::move(kernel));
  }
  return {};
}

}  // namespace

Result<GpuKernels> read_gpu_kernels(std::string_view written) {
  const size_t end = written.substr(0, kMostLineBytes).find('\n');
  if (end == std::string_view::npos)
    return error(Code::invalid_input, "it does not say what it has compiled");
  ASSAY_ASSIGN(Json json, parse_json(written.substr(0, end), "what it has compiled"));
  if (!json.is_object()) return error(Code::invalid_input, "what it has compiled is no object");
  GpuKernels found;
  found.record.stage = Stage::compile;
  JsonReader fields(json, "what it has compiled");
  ASSAY_TRY(read_kernels(fields.value("kernels"), written.substr(end + 1), found));
  found.stopped =
      printable(fields.optional_text("stopped").value_or("").substr(0, kMostTextBytes), false);
  if (fields.has("failed") || fields.has("unsupported"))
    found.record = stage_from_answer(Stage::compile, json);
  ASSAY_TRY(fields.status());
  return found;
}

}  // namespace assay
