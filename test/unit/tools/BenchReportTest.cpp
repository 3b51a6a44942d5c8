#include "tools/heddle/Support/BenchReport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace heddle::driver;

namespace {

BenchRow row(const char *impl, double ms) {
  BenchRow row{"study", "small", "cpu", impl, "forward", "fp32", 4, 128};
  row.meanMs = ms;
  row.stdMs = 0.125;
  row.medianMs = ms;
  row.busyMs = ms / 2;
  row.kernels = static_cast<int64_t>(ms);
  row.peakBytes = 1 << 20;
  row.compileMs = 10;
  row.tokensPerSecond = 512e3 / ms;
  row.weightsDtype = "fp32";
  return row;
}

} // namespace

TEST(BenchReport, CsvColumnsAreTheStableOnes) {
  std::string csv = benchCsv({row("eager", 200)});
  EXPECT_EQ(
      csv,
      "model,size,device,impl,mode,precision,batch,context,mean_ms,std_ms,median_ms,busy_ms,kernels,"
      "peak_bytes,"
      "compile_ms,tokens_per_s,flops_share,weights_dtype\n"
      "study,small,cpu,eager,forward,fp32,4,128,200.0,0.125,200.0,100.0,200,1048576,10.0,2560.0,,fp32\n");
}

TEST(BenchReport, JsonHasTheSameFieldsAndNullForWhatIsAbsent) {
  BenchRow graph = row("compiled", 100);
  graph.batch.reset();
  auto json = nlohmann::json::parse(benchJson({graph}));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].size(), 18u);
  EXPECT_EQ(json[0]["weights_dtype"], "fp32");
  EXPECT_TRUE(json[0]["batch"].is_null());
  EXPECT_TRUE(json[0]["flops_share"].is_null());
  EXPECT_EQ(json[0]["context"], 128);
  EXPECT_EQ(json[0]["median_ms"], 100.0);
}

TEST(BenchReport, TableSaysWhatWasGained) {
  std::string table = benchTable({row("eager", 200), row("compiled", 100)});
  EXPECT_NE(table.find("eager / compiled: time 2.00x, device busy 2.00x, memory 1.00x, kernels 2.00x\n"),
            std::string::npos)
      << table;
}

TEST(BenchReport, OneImplementationAloneHasNoGain) {
  EXPECT_EQ(benchTable({row("eager", 200)}).find("eager / compiled"), std::string::npos);
}

TEST(BenchReport, EveryTimeHasItsUnit) {
  std::string table = benchTable({row("eager", 200)});
  EXPECT_NE(table.find("mean ms  ± std ms  median ms  device busy ms  "), std::string::npos) << table;
}

TEST(BenchReport, TimesBelowAMillisecondAreInMicrosecondsAndTheGainIsOfWhatWasMeasured) {
  BenchRow eager = row("eager", 0.00044), compiled = row("compiled", 0.00041);
  std::string table = benchTable({eager, compiled});
  EXPECT_NE(table.find("mean µs  ± std µs  median µs  device busy µs"), std::string::npos) << table;
  EXPECT_NE(table.find("\neager         0.4     125.0        0.4             0.2"), std::string::npos)
      << table;
  EXPECT_NE(table.find("time 1.07x, device busy 1.07x"), std::string::npos) << table;
}
