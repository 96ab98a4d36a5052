#include "run/extension.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr size_t kMostFlags = 256;
constexpr size_t kMostNameBytes = 200;  // file systems take 255, with what is put behind it

bool is_word(std::string_view text, std::string_view beside) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return std::isalnum(c) != 0 || beside.contains(static_cast<char>(c));
         });
}

std::vector<std::string> flags(JsonReader& fields, const char* field) {
  std::vector<std::string> found = fields.texts(field);
  if (found.size() > kMostFlags) fields.fail(fmt::format("'{}' has too many", field));
  return found;
}

}  // namespace

bool is_name_in_folder(std::string_view name) {
  if (!is_word(name, "_.+-/") || name.ends_with('/')) return false;
  for (size_t begin = 0; begin != std::string_view::npos;) {
    const size_t end = name.find('/', begin);
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part.starts_with('.') || part.starts_with('-')) return false;
    begin = end == std::string_view::npos ? end : end + 1;
  }
  return true;
}

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
  if (!files.is_array() || files.size() > kMostExtensionFiles)
    fields.fail("'files' is no list of files");
  ASSAY_TRY(fields.status());
  for (const Json& each : files) {
    JsonReader file(each, "a file of an extension");
    request.files.push_back({file.text("name"), file.text("text")});
    ASSAY_TRY(file.status());
    if (!is_name_in_folder(request.files.back().name))
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
