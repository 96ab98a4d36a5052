#include "provider/dialect.h"

namespace assay {

const Json& field_of(const Json& object, const char* name) {
  static const Json null;
  if (!object.is_object()) return null;
  auto found = object.find(name);
  return found == object.end() ? null : *found;
}

bool is_error(const Json& error) {
  if (error.is_number()) return error != 0;
  if (error.is_boolean()) return error.get<bool>();
  if (error.is_string()) return !error.get_ref<const std::string&>().empty();
  return !error.empty();
}

std::string text_field(const Json& object, const char* name) {
  const Json& value = field_of(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string text_of_blocks(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& block : content) {
    const std::string type = text_field(block, "type");
    if (type == "text" || type.empty()) text += text_field(block, "text");
  }
  return text;
}

}  // namespace assay
