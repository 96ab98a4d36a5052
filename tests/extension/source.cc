// A source of nobody's: `scaled:N` is the problem of multiplying by N.
#include "workload/source.h"

#include <charconv>

#include "base/rows.h"

namespace assay {
namespace {

Result<std::vector<Workload>> expand_scaled(const Disk&, const std::string& given) {
  const std::string digits = given.substr(given.find(':') + 1);
  int number = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, number).ptr != end || digits.empty())
    return error(Code::invalid_input, "'" + given + "' names no number");
  return std::vector{
      Workload{.path = given, .suite = "scaled", .level = "", .name = "by_" + digits}};
}

Result<LoadedWorkload> load_scaled(const Disk&, const Workload& workload) {
  return LoadedWorkload{
      "import torch\n"
      "class Model(torch.nn.Module):\n"
      "    def forward(self, x):\n"
      "        return x * " +
      workload.path.substr(workload.path.find(':') + 1) +
      "\n"
      "def get_inputs():\n"
      "    return [torch.randn(64, 32)]\n"};
}

const AddedRow<Source> kScaled({.prefix = "scaled:",
                                .name = "scaled:N",
                                .title = "a multiplication by a number",
                                .expand = expand_scaled,
                                .load = load_scaled});

}  // namespace
}  // namespace assay
