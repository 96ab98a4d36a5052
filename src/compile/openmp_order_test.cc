#include "compile/openmp_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

TEST(OpenmpOrder, WhatOrdersNothingNeedNotBeKnown) {
  const std::vector<std::string> known{"GOMP_loop_dynamic_next@GOMP_1.0",
                                       "GOMP_loop_end_nowait",
                                       "GOMP_loop_nonmonotonic_dynamic_start",
                                       "GOMP_sections_start",
                                       "GOMP_single_start",
                                       "malloc",
                                       "omp_get_thread_num"};
  EXPECT_EQ(unknown_openmp(known), "");
  EXPECT_EQ(unknown_openmp({}), "");
}

TEST(OpenmpOrder, OtherFunctionsAreNamed) {
  const std::vector<std::string> tasks{"GOMP_loop_end_nowait", "GOMP_task@GOMP_2.0", "free"};
  EXPECT_EQ(unknown_openmp(tasks), "GOMP_task");
  const std::vector<std::string> single{"GOMP_single_copy_start"};
  EXPECT_EQ(unknown_openmp(single), "GOMP_single_copy_start");
}

}  // namespace
}  // namespace assay
