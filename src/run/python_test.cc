#include "run/python.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Python, AnImageHasThePackagesThatAProblemImports) {
  const Image plain{"oracle", {"python3", "-s", "worker", "oracle"}, {}};
  auto argv = [&](std::string_view problem) {
    return with_packages(plain, packages_of(problem)).argv;
  };
  EXPECT_EQ(argv("import torch\nfrom torch import nn\n"), plain.argv);
  EXPECT_EQ(argv("# of transformers\n"), plain.argv);
  const std::vector<std::string> with_transformers{"python3", "-s", "worker", "oracle",
                                                   "transformers"};
  EXPECT_EQ(argv("from transformers import BertModel\nimport transformers.utils\n"),
            with_transformers);
  EXPECT_EQ(argv("def make():\n    import transformers\n"), with_transformers);
  EXPECT_EQ(argv("from transformers import BertModel\nfrom torch_geometric.nn import GCNConv\n"),
            (std::vector<std::string>{"python3", "-s", "worker", "oracle", "torch_geometric",
                                      "transformers"}));
  // And comes up without them where it does not come up with them.
  EXPECT_EQ(with_packages(plain, {"transformers"}).argv_otherwise, plain.argv);
  EXPECT_TRUE(with_packages(plain, {}).argv_otherwise.empty());
}

}  // namespace
}  // namespace assay
