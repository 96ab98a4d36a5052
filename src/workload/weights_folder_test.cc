// Which files of a folder are weights, and what makes others of them.
#include "workload/weights_folder.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"
#include "workload/source.h"

namespace assay {
namespace {

class WeightsFolder : public testing::Test {
 protected:
  std::string found() {
    auto weights = find_weights(disk_, "/w");
    if (!weights) return weights.error().message;
    std::string names;
    for (const std::string& file : weights->files) names += file + " ";
    return names;
  }
  std::string hash() { return find_weights(disk_, "/w")->sha256; }

  MemoryDisk disk_;
};

TEST_F(WeightsFolder, OneFileOrShards) {
  EXPECT_EQ(found(), "there is no folder '/w' with weights");
  disk_.files["/w/model.safetensors.index.json"] =
      R"({"weight_map": {"a": "m-2.safetensors", "b": "m-1.safetensors", "c": "m-2.safetensors"}})";
  EXPECT_EQ(found(), "'/w' lacks m-2.safetensors, which model.safetensors.index.json names");
  disk_.files["/w/m-1.safetensors"] = "1";
  disk_.files["/w/m-2.safetensors"] = "2";
  EXPECT_EQ(found(), "m-1.safetensors m-2.safetensors ");
  disk_.files["/w/model.safetensors"] = "3";
  EXPECT_EQ(found(), "model.safetensors ");
  const auto weights = find_weights(disk_, "/w");
  EXPECT_EQ(weights->folder, "/w");
  EXPECT_EQ(weights->reads, std::vector<std::string>{"/w"});
}

TEST_F(WeightsFolder, APickleIsNeverTaken) {
  disk_.files["/w/config.json"] = "{}";
  EXPECT_EQ(found(), "'/w' has neither model.safetensors nor model.safetensors.index.json");
  disk_.files["/w/pytorch_model.bin"] = "pickle";
  EXPECT_EQ(found(),
            "'/w' has weights in pickles alone, pytorch_model.bin: whoever reads a pickle runs "
            "what is in it, so assay reads none");
}

TEST_F(WeightsFolder, AnIndexNamesFilesBesideIt) {
  for (const char* map : {R"({"a": "../x.safetensors"})", R"({"a": "x.bin"})", R"({"a": 1})",
                          R"(["/x.safetensors"])"}) {
    disk_.files["/w/model.safetensors.index.json"] = std::string(R"({"weight_map": )") + map + "}";
    EXPECT_NE(found().find("which is no safetensors file beside it"), std::string::npos) << found();
  }
  disk_.files["/w/model.safetensors.index.json"] =
      R"({"weight_map": {"a": "x\u0000.safetensors"}})";
  EXPECT_NE(found().find("which is no safetensors file beside it"), std::string::npos) << found();
  disk_.files["/w/model.safetensors.index.json"] = "[]";
  EXPECT_EQ(found(), "'/w/model.safetensors.index.json': it is not an object");
  disk_.files["/w/model.safetensors.index.json"] = std::string((size_t{16} << 20) + 1, ' ');
  EXPECT_NE(found().find("an index of weights is taken up to 16.0 MiB"), std::string::npos)
      << found();
  for (const char* index : {"{}", "[]", R"({"weight_map": {}})", "{", ""}) {
    disk_.files["/w/model.safetensors.index.json"] = index;
    EXPECT_FALSE(find_weights(disk_, "/w")) << index;
  }
}

TEST_F(WeightsFolder, OtherContentsAreOtherAttempts) {
  disk_.files["/p.py"] = "problem";
  disk_.files["/w/model.safetensors"] = "1";
  auto plain = *find_workloads(disk_, {"/p.py"});
  auto hash_with = [&] {
    auto workloads = plain;
    auto weights = std::make_shared<const LoadedWeights>(*find_weights(disk_, "/w"));
    EXPECT_TRUE(load_with(workloads, weights));
    return hash_of(*load_workload(disk_, workloads.front()));
  };
  const std::string one = hash_with();
  EXPECT_EQ(one, hash_with());
  EXPECT_NE(one, hash_of(*load_workload(disk_, plain.front())));
  disk_.files["/w/model.safetensors"] = "2";
  EXPECT_NE(one, hash_with());
}

// What it holds has the names that it had in the model.
TEST_F(WeightsFolder, AProgramOfTorchsHasAModelsNames) {
  disk_.files["/net.pt2"] = "program";
  disk_.files["/net.onnx"] = "graph";
  const auto weights = std::make_shared<const LoadedWeights>();
  auto programs = *find_workloads(disk_, {"/net.pt2[batch=2]"});
  EXPECT_TRUE(load_with(programs, weights));
  EXPECT_EQ(programs.front().weights, weights);
  auto graphs = *find_workloads(disk_, {"/net.onnx"});
  EXPECT_FALSE(load_with(graphs, weights));
}

TEST_F(WeightsFolder, WhatIsNoModelHasNone) {
  auto operations = *find_workloads(disk_, {"op:matmul[m=64,n=64,k=64]"});
  EXPECT_EQ(
      load_with(operations, std::make_shared<const LoadedWeights>()).error().message,
      "--load-weights does not apply to " + operations.front().path + ": it is no model in Python");
}

}  // namespace
}  // namespace assay
