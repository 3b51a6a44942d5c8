//===- Statistics.h - Of a few measured times -------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_STATISTICS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_STATISTICS_H

#include <vector>

namespace heddle::driver {

struct Statistics {
  double mean = 0;
  double deviation = 0; ///< Of the sample (n - 1); 0 for a single value.
  double median = 0;    ///< The middle one, or the mean of the two middle ones.
};

/// All zero for no values.
Statistics statisticsOf(std::vector<double> values);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_STATISTICS_H
