//===- BenchReport.cpp - What bench measured, printed ---------------------===//
#include "tools/heddle/Support/BenchReport.h"

#include "tools/heddle/Support/Table.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace heddle::driver {
namespace {

using Json = nlohmann::ordered_json;

/// A time or share as both formats carry it: four digits behind the point, which is a tenth of a microsecond.
Json number(double value) { return Json::parse(fixed(value, 4)); }

template <typename T>
Json orNull(const std::optional<T> &value) {
  if (!value)
    return nullptr;
  if constexpr (std::is_same_v<T, double>)
    return number(*value);
  else
    return *value;
}

/// The one list of columns, for CSV and JSON alike.
Json record(const BenchRow &row) {
  return {{"model", row.model},
          {"size", row.size},
          {"device", row.device},
          {"impl", row.impl},
          {"mode", row.mode},
          {"precision", row.precision},
          {"batch", orNull(row.batch)},
          {"context", orNull(row.context)},
          {"mean_ms", number(row.meanMs)},
          {"std_ms", number(row.stdMs)},
          {"median_ms", number(row.medianMs)},
          {"busy_ms", number(row.busyMs)},
          {"kernels", row.kernels},
          {"peak_bytes", row.peakBytes},
          {"compile_ms", number(row.compileMs)},
          {"tokens_per_s", orNull(row.tokensPerSecond)},
          {"flops_share", orNull(row.flopsShare)},
          {"weights_dtype", row.weightsDtype}};
}

std::string csvCell(const Json &value) {
  if (value.is_null())
    return "";
  return value.is_string() ? csvField(value.get<std::string>()) : value.dump();
}

const BenchRow *find(const std::vector<BenchRow> &rows, const std::string &impl) {
  for (const BenchRow &row : rows)
    if (row.impl == impl)
      return &row;
  return nullptr;
}

} // namespace

std::string benchCsv(const std::vector<BenchRow> &rows) {
  std::string out;
  auto line = [&](const Json &object, auto cell) {
    std::string text;
    for (const auto &[key, value] : object.items())
      text += (text.empty() ? "" : ",") + cell(key, value);
    out += text + '\n';
  };
  line(record({}), [](const std::string &key, const Json &) { return key; });
  for (const BenchRow &row : rows)
    line(record(row), [](const std::string &, const Json &value) { return csvCell(value); });
  return out;
}

std::string benchJson(const std::vector<BenchRow> &rows) {
  Json all = Json::array();
  for (const BenchRow &row : rows)
    all.push_back(record(row));
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string benchTable(const std::vector<BenchRow> &rows) {
  constexpr Table::Align right = Table::Align::Right;
  // One unit a table: microseconds where three digits of a millisecond say little.
  double shortest = std::numeric_limits<double>::infinity();
  for (const BenchRow &row : rows)
    shortest = std::min(shortest, row.medianMs);
  bool micro = shortest < 1;
  std::string unit = micro ? "µs" : "ms";
  auto time = [&](double ms) { return micro ? fixed(ms * 1e3, 1) : fixed(ms, 3); };
  Table table({{"impl"},
               {"mean " + unit, right},
               {"± std " + unit, right},
               {"median " + unit, right},
               {"device busy " + unit, right},
               {"kernels", right},
               {"peak memory", right},
               {"compile ms", right},
               {"tokens/s", right},
               {"FLOP/s share", right}});
  for (const BenchRow &row : rows)
    table.add({row.impl, time(row.meanMs), time(row.stdMs), time(row.medianMs), time(row.busyMs),
               std::to_string(row.kernels), bytesText(row.peakBytes), fixed(row.compileMs, 0),
               row.tokensPerSecond ? fixed(*row.tokensPerSecond, 0) : "-",
               row.flopsShare ? fixed(*row.flopsShare * 100, 1) + " %" : "-"});
  std::string text = table.text();
  const BenchRow *eager = find(rows, "eager"), *compiled = find(rows, "compiled");
  if (eager && compiled) {
    auto bytes = [](int64_t value) { return static_cast<double>(value); };
    text += "\neager / compiled: time " + ratioText(eager->medianMs, compiled->medianMs) + ", device busy " +
            ratioText(eager->busyMs, compiled->busyMs) + ", memory " +
            ratioText(bytes(eager->peakBytes), bytes(compiled->peakBytes)) + ", kernels " +
            ratioText(bytes(eager->kernels), bytes(compiled->kernels)) + "\n";
  }
  return text;
}

} // namespace heddle::driver
