#include "cli/find_compiler.h"

#include "base/disk.h"
#include "run/python.h"
#include "setup/tools.h"

namespace assay {

Result<IreeCompiler> find_compiler(const Machine& machine, const Places& places,
                                   const std::string& iree) {
  if (!iree.empty()) {
    ASSAY_ASSIGN(std::string own, find_own_compiler(machine.disk(), iree, CompilerKind::tool));
    return ask_compiler(machine, own);
  }
  ASSAY_ASSIGN(std::string python, find_python(places));
  std::string tool = tool_beside_python(machine.disk(), python);
  if (tool.empty()) {
    ASSAY_ASSIGN(PythonDescription description, describe_python(python, places));
    if (!description.compiler_library)
      return error(Code::unavailable, python + " lacks iree-base-compiler", "assay doctor");
    tool = path_beside(*description.compiler_library, "iree-compile");
  }
  return ask_compiler(machine, tool);
}

}  // namespace assay
