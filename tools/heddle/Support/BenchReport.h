//===- BenchReport.h - What bench measured, printed -------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_BENCHREPORT_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_BENCHREPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::driver {

/// One cell: a model in one implementation. The fields are the columns of CSV and JSON, in this order;
/// scripts read them by name.
struct BenchRow {
  std::string model; ///< "study", or a path's last part.
  std::string size;  ///< "small"; empty for a path.
  std::string device;
  std::string impl; ///< eager, compiled.
  std::string mode;
  std::string precision;
  std::optional<int64_t> batch, context; ///< Absent where the model has no such dimension.
  double meanMs = 0, stdMs = 0, medianMs = 0;
  double busyMs = 0; ///< Sum of the steps' times on the device in one run; ProfileReport.h, middleRun.
  int64_t kernels = 0;
  int64_t peakBytes = 0;
  double compileMs = 0;
  std::optional<double> tokensPerSecond = std::nullopt; ///< batch * context by the median time.
  std::optional<double> flopsShare = std::nullopt; ///< Of what one large product reaches here (Ceiling.h).
  std::string
      weightsDtype{}; ///< What is kept between runs: "fp32", "bf16"; empty for a model without weights.
};

/// Header and one line a row; absent values are empty.
std::string benchCsv(const std::vector<BenchRow> &rows);
/// An array of objects; absent values are null.
std::string benchJson(const std::vector<BenchRow> &rows);
/// A table, in microseconds where a median is below a millisecond, and, where both implementations are there,
/// what was gained.
std::string benchTable(const std::vector<BenchRow> &rows);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_BENCHREPORT_H
