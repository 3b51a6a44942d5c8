//===- LossPicture.cpp - The loss of a training as SVG --------------------===//
#include "tools/heddle/Support/TrainLog.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::driver {
namespace {

constexpr double kWidth = 800, kHeight = 480;
constexpr double kLeft = 70, kRight = 780, kTop = 40, kBottom = 430; ///< Of the axes.
constexpr int kTicks = 6;                                            ///< At most about so many on an axis.

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// An axis from the least to the largest value, and where its values lie in the picture.
struct Axis {
  double least, most, begin, end;

  double at(double value) const { return begin + (value - least) / (most - least) * (end - begin); }
  /// 1, 2 or 5 times a power of ten.
  double tick() const {
    double rough = (most - least) / kTicks, power = std::pow(10.0, std::floor(std::log10(rough)));
    for (double factor : {1.0, 2.0, 5.0})
      if (factor * power >= rough)
        return factor * power;
    return 10 * power;
  }
};

/// From the least to the largest value, or one around a value that all have.
Axis axisOf(double least, double most, double begin, double end) {
  if (!(least < most))
    return {least - 0.5, least + 0.5, begin, end};
  return {least, most, begin, end};
}

std::vector<TrainRow> thinned(const std::vector<TrainRow> &rows) {
  size_t run = (rows.size() + kMostPoints - 1) / kMostPoints;
  if (run <= 1)
    return rows;
  std::vector<TrainRow> means;
  for (size_t begin = 0; begin < rows.size(); begin += run) {
    size_t end = std::min(begin + run, rows.size());
    TrainRow mean = rows[begin + (end - begin) / 2];
    mean.loss = 0;
    for (size_t i = begin; i < end; ++i)
      mean.loss += rows[i].loss / static_cast<double>(end - begin);
    means.push_back(mean);
  }
  return means;
}

} // namespace

std::string lossPicture(const std::vector<TrainRow> &all, const std::string &title) {
  std::vector<TrainRow> rows = thinned(all);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const TrainRow &row : rows)
    if (std::isfinite(row.loss)) {
      least = std::min(least, row.loss);
      most = std::max(most, row.loss);
    }
  if (!(least <= most))
    least = most = 0;
  double first = rows.empty() ? 0 : static_cast<double>(rows.front().step);
  double last = rows.empty() ? 1 : static_cast<double>(rows.back().step);
  Axis x = axisOf(first, last, kLeft, kRight), y = axisOf(least, most, kBottom, kTop);

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) + "\" height=\"" +
                    number(kHeight) + "\" font-family=\"sans-serif\" font-size=\"13\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"" + number(kLeft) +
                    "\" y=\"24\" font-size=\"15\">" + escaped(title) + "</text>\n";
  auto line = [&](double x1, double y1, double x2, double y2, const char *colour) {
    svg += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" +
           number(y2) + "\" stroke=\"" + colour + "\"/>\n";
  };
  auto text = [&](double atX, double atY, const char *anchor, const std::string &what) {
    svg += "<text x=\"" + number(atX) + "\" y=\"" + number(atY) + "\" text-anchor=\"" + anchor + "\">" +
           what + "</text>\n";
  };
  for (double step = std::ceil(x.least / x.tick()); step * x.tick() <= x.most; ++step) {
    line(x.at(step * x.tick()), kTop, x.at(step * x.tick()), kBottom, "#ddd");
    text(x.at(step * x.tick()), kBottom + 18, "middle", number(step * x.tick()));
  }
  for (double step = std::ceil(y.least / y.tick()); step * y.tick() <= y.most; ++step) {
    line(kLeft, y.at(step * y.tick()), kRight, y.at(step * y.tick()), "#ddd");
    text(kLeft - 8, y.at(step * y.tick()) + 4, "end", number(step * y.tick()));
  }
  line(kLeft, kBottom, kRight, kBottom, "black");
  line(kLeft, kTop, kLeft, kBottom, "black");
  text((kLeft + kRight) / 2, kHeight - 12, "middle", "step");
  text(kLeft - 8, kTop - 8, "end", "loss");

  std::string path;
  bool down = false; ///< Whether the pen is.
  for (const TrainRow &row : rows) {
    bool finite = std::isfinite(row.loss);
    if (finite)
      path += (down           ? " L"
               : path.empty() ? "M"
                              : " M") +
              number(x.at(static_cast<double>(row.step))) + " " + number(y.at(row.loss));
    down = finite;
  }
  if (!path.empty())
    svg += "<path d=\"" + path + "\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.5\"/>\n";
  return svg + "</svg>\n";
}

} // namespace heddle::driver
