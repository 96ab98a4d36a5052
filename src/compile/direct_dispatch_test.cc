#include "compile/direct_dispatch.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// As the compiler prints a product of 48 x 32 by 32 x 24, shortened.
constexpr std::string_view kProduct = R"mlir(module {
  hal.executable private @main_dispatch_0 {
    hal.executable.binary public @embedded_elf_x86_64 <format = "embedded-elf-x86_64">
  }
  util.func private @__main_memoize_apply() -> !hal.command_buffer attributes {} {
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c6144 = arith.constant 6144 : index
    %c3072 = arith.constant 3072 : index
    %c4608 = arith.constant 4608 : index
    %cmd = hal.command_buffer.create device(%d : !hal.device) bindings(%c3) : !hal.command_buffer
    %function_id = hal.executable.lookup.function target(%e : !hal.executable) function(@main_dispatch_0::@embedded_elf_x86_64::@main_dispatch_0_matmul_like_48x24x32_f32) : i64
    hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%e : !hal.executable)[%function_id] workgroups([%c6, %c1, %c1]) bindings([
      (%c0 : index)[%c0, %c6144], 
      (%c1 : index)[%c0, %c3072], 
      (%c2 : index)[%c0, %c4608]
    ]) flags("None")
    util.return %cmd : !hal.command_buffer
  }
  util.func public @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub} {
    %c0 = arith.constant 0 : index
    %c4608 = arith.constant 4608 : index
    %c3072 = arith.constant 3072 : index
    %c6144 = arith.constant 6144 : index
    %buffer = hal.buffer_view.buffer<%arg0 : !hal.buffer_view> : !hal.buffer
    %buffer_0 = hal.buffer_view.buffer<%arg1 : !hal.buffer_view> : !hal.buffer
    %transient_buffer = hal.device.queue.alloca<%d : !hal.device> flags("None") : !hal.buffer{%c4608}
    hal.device.queue.execute.indirect<%d : !hal.device> wait(%f) commands(%m) bindings([
      (%buffer : !hal.buffer)[%c0, %c6144], 
      (%buffer_0 : !hal.buffer)[%c0, %c3072], 
      (%transient_buffer : !hal.buffer)[%c0, %c4608]
    ]) flags("None")
    %view = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c0, %c4608] shape([%c48, %c24]) type(%t) encoding(%r) : !hal.buffer_view
    util.return %view : !hal.buffer_view
  }
}
)mlir";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kProduct);
  text.replace(text.find(from), from.size(), to);
  return text;
}

// As the same is printed that was exported from torch: what has the buffers is called by main,
// which waits for it.
std::string exported(const std::string& arguments) {
  std::string text = with("public @main(", "public @main$async(");
  const std::string executable = "@main_dispatch_0";
  for (size_t at = text.find(executable); at != std::string::npos;
       at = text.find(executable, at + 1))
    text.replace(at, executable.size(), "@main$async_dispatch_0");
  text.insert(text.rfind('}'),
              "  util.func public @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> "
              "!hal.buffer_view attributes {} {\n    %1 = util.call @main$async(" +
                  arguments +
                  ", %0, %fence) : () -> !hal.buffer_view\n    util.return %1 : "
                  "!hal.buffer_view\n  }\n");
  return text;
}

std::string why_not(const std::string& hal) {
  const auto found = direct_dispatch(hal);
  return found ? "it is" : found.error();
}

TEST(DirectDispatch, IsTheOneCallOfAProgram) {
  const auto found = direct_dispatch(kProduct);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(*found, (Json{{"executable", "main_dispatch_0_embedded_elf_x86_64.so"},
                          {"function", "main_dispatch_0_matmul_like_48x24x32_f32"},
                          {"workgroups", {6, 1, 1}},
                          {"constants", Json::array()},
                          {"bindings",
                           {{{"input", 0}, {"offset", 0}, {"bytes", 6144}},
                            {{"input", 1}, {"offset", 0}, {"bytes", 3072}},
                            {{"output", 0}, {"offset", 0}, {"bytes", 4608}}}}}));
}

TEST(DirectDispatch, IsCalledByWhoeverWaitsForIt) {
  const auto found = direct_dispatch(exported("%arg0, %arg1"));
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ((*found)["executable"], "main_async_dispatch_0_embedded_elf_x86_64.so");
  EXPECT_EQ((*found)["function"], "main$async_dispatch_0_matmul_like_48x24x32_f32");
  EXPECT_EQ((*found)["bindings"], (*direct_dispatch(kProduct))["bindings"]);
  EXPECT_EQ(why_not(exported("%arg1, %arg0")), "it has no function main");
}

TEST(DirectDispatch, SaysWhyItIsNone) {
  EXPECT_EQ(why_not(""), "it has 0 dispatches");
  EXPECT_EQ(why_not(std::string(kProduct) + std::string(kProduct)), "it has 2 dispatches");
  EXPECT_EQ(why_not(with("workgroups([%c6,", "workgroups([%n,")),
            "its workgroups are known only when it runs");
  EXPECT_EQ(why_not(with("(%c2 : index)[%c0, %c4608]", "(%c2 : index)[%c0, %size]")),
            "a binding's size is known only when it runs");
  EXPECT_EQ(why_not(with("@embedded_elf_x86_64::@main", "@vmvx_bytecode_fb::@main")),
            "its code is no embedded library for a CPU");
  EXPECT_EQ(why_not(with("create buffer(%transient_buffer", "create buffer(%other")),
            "it works in memory that is no input and no result");
  EXPECT_EQ(why_not(with("    util.return %cmd",
                         "    hal.command_buffer.fill_buffer<%cmd>\n    "
                         "util.return %cmd")),
            "it does more than call: hal.command_buffer.fill_buffer<");
  EXPECT_EQ(why_not(with("(%c2 : index)", "(%c6 : index)")), "a binding of its call is not given");
  for (const char* returned : {"util.return %view, %view : ", "util.return %view, %arg0 : "})
    EXPECT_EQ(why_not(with("util.return %view : ", returned)),
              "it returns what its call does not write");
}

}  // namespace
}  // namespace assay
