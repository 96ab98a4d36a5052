#include "run/extension.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr size_t kMostFiles = 64;
constexpr size_t kMostFlags = 256;
constexpr size_t kMostNameBytes = 200;  // file systems take 255, with what is put behind it

bool is_word(const std::string& text, std::string_view beside) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return std::isalnum(c) != 0 || beside.contains(static_cast<char>(c));
         });
}

// One of a folder: no path leads out of it.
bool is_file_name(const std::string& name) {
  return is_word(name, "_.+-") && !name.starts_with('.') && !name.starts_with('-');
}

std::vector<std::string> flags(JsonReader& fields, const char* field) {
  std::vector<std::string> found = fields.texts(field);
  if (found.size() > kMostFlags) fields.fail(fmt::format("'{}' has too many", field));
  return found;
}

}  // namespace

Result<ExtensionRequest> extension_from_json(const Json& json) {
  JsonReader fields(json, "a request for an extension");
  ExtensionRequest request;
  request.digest = fields.text("digest");
  request.name = fields.text("name");
  if (!is_word(request.digest, "")) fields.fail("'digest' is none");
  if (!is_word(request.name, "_.")) fields.fail("'name' is no module's");
  if (auto device = fields.optional_text("device")) {
    request.device = *device;
    if (!is_word(request.device, "")) fields.fail("'device' is no word");
    ASSAY_TRY(fields.status());
    if (!fields.has("files")) return request;
    request.device_flags = flags(fields, "device_compile");
  }
  const Json& files = fields.value("files");
  if (!files.is_array() || files.size() > kMostFiles) fields.fail("'files' is no list of files");
  ASSAY_TRY(fields.status());
  for (const Json& each : files) {
    JsonReader file(each, "a file of an extension");
    request.files.push_back({file.text("name"), file.text("text")});
    ASSAY_TRY(file.status());
    if (!is_file_name(request.files.back().name))
      return error(Code::invalid_input, "an extension has a file whose name is none");
  }
  request.sources = fields.texts("sources");
  request.compile_flags = flags(fields, "compile");
  request.link_flags = flags(fields, "link");
  for (const std::string& source : request.sources)
    if (std::ranges::find(request.files, source, &NamedText::name) == request.files.end())
      fields.fail("'sources' names a file that is not there");
  if (request.sources.empty()) fields.fail("it has no sources");
  ASSAY_TRY(fields.status());
  return request;
}

}  // namespace assay
