#include "compile/dispatch_programs.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// As iree-compile writes it after "flow", shortened.
constexpr std::string_view kProgram = R"(module attributes {stream.affinity.default = 1} {
  util.global private @__device_0 = #hal.device.target<"local">
  flow.executable private @main_dispatch_0 {
    flow.executable.export public @main_dispatch_0_matmul_64x32x128_f32 workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_0_matmul_64x32x128_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [64, 128], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<64x128xf32>> -> tensor<64x128xf32>
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [64, 128], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<64x128xf32>> -> tensor<64x128xf32>
        % = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [128, 32], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<128x32xbf16>> -> tensor<128x32xbf16>
        % = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0, 0], sizes = [64, 32], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<64x32xf32>> -> tensor<64x32xf32>
        iree_tensor_ext.dispatch.tensor.store %9, %arg2, offsets = [0, 0], sizes = [64, 32], strides = [1, 1] : tensor<64x32xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<64x32xf32>>
        return
      }
    }
  }
  flow.executable private @main_dispatch_1 {
    flow.executable.export public @main_dispatch_1_elementwise_Dx4 workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_1_elementwise_Dx4(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [?, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x4xf32>> -> tensor<?x4xf32>
        return
      }
    }
  }
  flow.executable private @main_dispatch_2 {
    flow.executable.export public @main_dispatch_2_gather workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_2_gather(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [1000, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<1000x4xf32>> -> tensor<1000x4xf32>
        %extracted = tensor.extract %0[%4, %5] : tensor<1000x4xf32>
        iree_tensor_ext.dispatch.tensor.store %9, %arg1, offsets = [0, 0], sizes = [3, 4], strides = [1, 1] : tensor<3x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<3x4xf32>>
        return
      }
    }
  }
  flow.executable private @main_dispatch_3 {
    flow.executable.export public @main_dispatch_3_elementwise_5_i1 workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_3_elementwise_5_i1(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xi1>> -> tensor<5xi1>
        iree_tensor_ext.dispatch.tensor.store %9, %arg1, offsets = [], sizes = [], strides = [] : tensor<f64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<f64>>
        return
      }
    }
  }
  flow.executable private @main_dispatch_4 {
    flow.executable.export public @main_dispatch_4_a_part workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_4_a_part(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 4], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x4xf32>> -> tensor<2x4xf32>
        iree_tensor_ext.dispatch.tensor.store %9, %arg1, offsets = [0, 0], sizes = [2, 4], strides = [1, 1] : tensor<2x4xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<9x9xf32>>
        return
      }
    }
  }
  flow.executable private @main_dispatch_5 {
    flow.executable.export public @main_dispatch_5_packed workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_5_packed(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [8], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8xi4>> -> tensor<8xi4>
        iree_tensor_ext.dispatch.tensor.store %9, %arg1, offsets = [0], sizes = [8], strides = [1] : tensor<8xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8xf32>>
        return
      }
    }
  }
  flow.executable private @main_dispatch_6 {
    flow.executable.export public @main_dispatch_6_complex workgroups() -> (index) {
      flow.return %x : index
    }
    builtin.module {
      func.func @main_dispatch_6_complex(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<f32>>) {
        % = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [4, comple], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xcomplex<f32>>> -> tensor<4xcomplex<f32>>
        return
      }
    }
  }
  util.func public @main(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %2 = flow.dispatch @main_dispatch_0::@main_dispatch_0_matmul_64x32x128_f32(%0, %1)
  }
}
)";

TEST(DispatchPrograms, EachMovesSoManyBytes) {
  const Json found = dispatch_bytes(kProgram);
  // 64*128 floats, 128*32 of two bytes, 64*32 floats twice.
  EXPECT_EQ(found, (Json{{"main_dispatch_0_matmul_64x32x128_f32", 32768 + 8192 + 2 * 8192},
                         {"main_dispatch_3_elementwise_5_i1", 5 + 8},
                         {"main_dispatch_4_a_part", 32 + 32}}));
  EXPECT_EQ(dispatch_names(kProgram).size(), 7u);
}

TEST(DispatchPrograms, OneIsFoundByItsName) {
  const std::string_view one = dispatch_program(kProgram, "main_dispatch_3_elementwise_5_i1");
  EXPECT_TRUE(one.starts_with("  flow.executable private @main_dispatch_3 {\n"));
  EXPECT_TRUE(one.ends_with("    }\n  }\n"));
  EXPECT_TRUE(dispatch_program(kProgram, "main_dispatch_1").contains("_elementwise_Dx4"));
  EXPECT_EQ(dispatch_program(kProgram, "main_dispatch_3_elementwise_5"), "");
  EXPECT_EQ(dispatch_program(kProgram, ""), "");
}

TEST(DispatchPrograms, WhatIsCutOffIsNoDispatch) {
  const Json whole = dispatch_bytes(kProgram);
  const std::string_view last = dispatch_program(kProgram, "main_dispatch_6");
  const auto end = static_cast<size_t>(last.data() + last.size() - kProgram.data());
  for (size_t size = 0; size < kProgram.size(); size += 7) {
    const std::string_view part = kProgram.substr(0, size);
    const Json found = dispatch_bytes(part);  // before C++23 a loop would outlive it
    for (const auto& [name, bytes] : found.items()) EXPECT_EQ(bytes, whole[name]);
    EXPECT_EQ(dispatch_program(part, "main_dispatch_6"), size < end ? "" : last) << size;
  }
}

}  // namespace
}  // namespace assay
