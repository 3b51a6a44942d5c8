//===- Statistics.cpp - Of a few measured times ---------------------------===//
#include "tools/heddle/Support/Statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::driver {

Statistics statisticsOf(std::vector<double> values) {
  if (values.empty())
    return {};
  double count = static_cast<double>(values.size());
  Statistics result;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (double value : values)
    squares += (value - result.mean) * (value - result.mean);
  result.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  result.median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return result;
}

} // namespace heddle::driver
