#include "measure/rocprof_output.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/disk.h"
#include "fakes/temporary_folder.h"

namespace assay {
namespace {

// The columns of rocpd's tables that are read, and some that are not.
constexpr const char* kTables = R"(
CREATE TABLE "rocpd_info_kernel_symbol_0a1b" ("id" INTEGER PRIMARY KEY, "guid" TEXT,
  "kernel_name" TEXT, "display_name" TEXT, "arch_vgpr_count" INTEGER, "sgpr_count" INTEGER);
CREATE TABLE "rocpd_kernel_dispatch_0a1b" ("id" INTEGER PRIMARY KEY, "guid" TEXT,
  "kernel_id" INTEGER NOT NULL, "start" BIGINT NOT NULL, "end" BIGINT NOT NULL,
  "private_segment_size" INTEGER, "group_segment_size" INTEGER, "event_id" INTEGER);
CREATE VIEW "rocpd_kernel_dispatch" AS SELECT * FROM "rocpd_kernel_dispatch_0a1b";
INSERT INTO "rocpd_info_kernel_symbol_0a1b" VALUES (1, '', 'gemm.kd', 'gemm(float*)', 128, 32);
INSERT INTO "rocpd_info_kernel_symbol_0a1b" VALUES (2, '', 'fill.kd', NULL, 8, 16);
INSERT INTO "rocpd_kernel_dispatch_0a1b" VALUES (1, '', 1, 1000, 4000, 0, 49152, 11);
INSERT INTO "rocpd_kernel_dispatch_0a1b" VALUES (2, '', 1, 5000, 10000, 0, 49152, 12);
INSERT INTO "rocpd_kernel_dispatch_0a1b" VALUES (3, '', 2, 20000, 22000, 64, 0, 13);
)";
constexpr const char* kCounts = R"(
CREATE TABLE "rocpd_info_pmc_0a1b" ("id" INTEGER PRIMARY KEY, "guid" TEXT, "name" TEXT);
CREATE TABLE "rocpd_pmc_event_0a1b" ("id" INTEGER PRIMARY KEY, "guid" TEXT, "event_id" INTEGER,
  "pmc_id" INTEGER, "value" REAL);
INSERT INTO "rocpd_info_pmc_0a1b" VALUES (1, '', 'TCC_HIT_sum'), (2, '', 'TCC_MISS_sum'),
  (3, '', 'MfmaUtil'), (4, '', 'SQ_INSTS_VALU'), (5, '', 'SQ_LDS_BANK_CONFLICT');
INSERT INTO "rocpd_pmc_event_0a1b" (event_id, pmc_id, value) VALUES (11, 1, 75), (11, 2, 25),
  (12, 1, 85), (12, 2, 15), (11, 3, 40), (11, 3, 20), (12, 3, 30), (11, 4, 500), (11, 4, 500),
  (11, 5, 300), (99, 5, 1e9);
)";

class RocprofOutput : public testing::Test {
 protected:
  // The bytes of a real SQLite file.
  std::string file_of(const std::string& sql) {
    const std::string path = temporary_.path() + "/counted_results.db";
    std::filesystem::remove(path);
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* problem = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem), SQLITE_OK)
        << problem;
    sqlite3_close(database);
    return *system_disk().read(path);
  }
  std::string complaint_about(std::string file) {
    const auto counted = read_rocprof_output(std::move(file));
    return counted ? "" : counted.error().message;
  }

  TemporaryFolder temporary_;
};

TEST_F(RocprofOutput, LaunchesAndCountersAreReadByKernels) {
  const auto counted = read_rocprof_output(file_of(std::string(kTables) + kCounts));
  ASSERT_TRUE(counted) << counted.error().message;
  const Json& kernels = (*counted)["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  const Json& gemm = kernels[0];
  EXPECT_EQ(gemm["name"], "gemm(float*)");
  EXPECT_EQ(gemm["launches"], 2);
  EXPECT_EQ(gemm["total_ns"], 8000);
  EXPECT_EQ(gemm["share"], 0.8);
  EXPECT_EQ(gemm["cache_hit_percent"], 80);
  EXPECT_EQ(gemm["matrix_percent"], 30);  // no sum: each is of all of the card
  EXPECT_EQ(gemm["vector_instructions"], 1000);
  EXPECT_EQ(gemm["registers"], 128);
  EXPECT_EQ(kernels[1]["name"], "fill.kd");
  EXPECT_EQ(rocprof_in_words(*counted),
            "gemm(float*) takes 80 % of the time on the card, in 2 launches of 4 us. It keeps "
            "the matrix cores 30 % busy. 80 % of its accesses to the L2 cache find what they ask "
            "for. It takes 128 registers a thread and 48.0 KiB of LDS a block. Its accesses to LDS "
            "meet in the same banks. fill.kd takes 20 % of the time on the card, in 1 launch of "
            "2 us. It takes 8 registers a thread and 0 B of LDS a block. Each thread has 64 B "
            "of scratch memory: it spills registers, or has arrays there that are indexed by "
            "variables.");
}

TEST_F(RocprofOutput, WhatHipKittensHasKeysForIsOfTheForemostKernel) {
  const auto counted = read_rocprof_output(file_of(std::string(kTables) + kCounts));
  ASSERT_TRUE(counted) << counted.error().message;
  const Json metrics = rocprof_metrics(*counted);
  EXPECT_EQ(metrics["kernel_name"], "gemm(float*)");
  EXPECT_EQ(metrics["duration_ms"], 0.004);
  EXPECT_EQ(metrics["l2_cache_hit_rate"], 80);
  EXPECT_EQ(metrics["mfma_utilization_pct"], 30);
  EXPECT_EQ(metrics["optimization_hints"].size(), 1u);
  EXPECT_EQ(metrics["raw_metrics"], (Json{{"min_us", 3},
                                          {"max_us", 5},
                                          {"stddev_us", 1},
                                          {"lds_kb", 48},
                                          {"query_error", nullptr},
                                          {"dispatch_error", nullptr}}));
  EXPECT_EQ(rocprof_metrics(nullptr), nullptr);
  EXPECT_EQ(rocprof_metrics(Json{{"kernels", "none"}}), nullptr);
}

TEST_F(RocprofOutput, TimesAreReadWhereNothingElseWasCounted) {
  const auto counted = read_rocprof_output(file_of(kTables));
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ((*counted)["kernels"][0]["total_ns"], 8000);
  EXPECT_EQ(rocprof_metrics(*counted)["mfma_utilization_pct"], nullptr);
}

TEST_F(RocprofOutput, AFileOfWhoKeepsALogIsRead) {
  const std::string file = file_of(std::string("PRAGMA journal_mode = WAL;") + kTables);
  EXPECT_EQ(file[18], 2);
  EXPECT_EQ(complaint_about(file), "");
}

TEST_F(RocprofOutput, WhatIsNoneOfItsFilesIsOneError) {
  EXPECT_EQ(complaint_about(""), "what rocprofv3 has written is no SQLite file");
  EXPECT_EQ(complaint_about("Kernel,Calls\n"), "what rocprofv3 has written is no SQLite file");
  EXPECT_EQ(complaint_about(file_of("CREATE TABLE other (x)")),
            "rocprofv3's file has no table of launches (rocpd_kernel_dispatch): assay reads what "
            "ROCm 7 writes");
  EXPECT_EQ(complaint_about(file_of("CREATE VIEW rocpd_kernel_dispatch_1 AS SELECT 1")),
            "rocprofv3's file has no table of launches (rocpd_kernel_dispatch): assay reads what "
            "ROCm 7 writes");
  EXPECT_EQ(complaint_about(file_of("CREATE TABLE rocpd_kernel_dispatch_1 (id)")),
            "rocprofv3's file does not name its kernels");
  EXPECT_EQ(complaint_about(file_of("CREATE TABLE rocpd_kernel_dispatch_1 (id);"
                                    "CREATE TABLE rocpd_info_kernel_symbol_1 (id)")),
            "rocprofv3's file does not read: no such column: D.event_id");
  const std::string whole = file_of(kTables);
  EXPECT_TRUE(complaint_about(whole.substr(0, whole.size() / 2))
                  .starts_with("rocprofv3's file does not read: "));
  const std::string nobody = std::string(kTables) + "DELETE FROM rocpd_kernel_dispatch_0a1b;";
  EXPECT_EQ(complaint_about(file_of(nobody)), "rocprofv3 has seen no kernel");
}

// Who writes it may be hostile: two tables that have no key make rows without end.
TEST_F(RocprofOutput, AFileThatIsTooMuchWorkIsGivenUp) {
  const std::string numbers =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000) ";
  const std::string file = file_of(
      "CREATE TABLE rocpd_info_kernel_symbol_1 (id, kernel_name, display_name, arch_vgpr_count);"
      "CREATE TABLE rocpd_kernel_dispatch_1 (id, kernel_id, start, \"end\", private_segment_size, "
      "group_segment_size, event_id);" +
      numbers + "INSERT INTO rocpd_info_kernel_symbol_1 SELECT 1, 'k', 'k', 0 FROM n;" + numbers +
      "INSERT INTO rocpd_kernel_dispatch_1 SELECT x, 1, 0, 1, 0, 0, 7 FROM n;");
  EXPECT_EQ(complaint_about(file), "rocprofv3's file has more than 200000 launches");
}

}  // namespace
}  // namespace assay
