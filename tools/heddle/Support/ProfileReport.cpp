#include "tools/heddle/Support/ProfileReport.h"
#include "tools/heddle/Support/Table.h"

#include <algorithm>
#include <map>

namespace heddle::driver {

std::string workOf(const runtime::Plan &plan, const runtime::Step &step) {
  auto of = [](int64_t count, const std::string &what) {
    return count == 1 ? what : std::to_string(count) + " of " + what;
  };
  switch (step.kind) {
  case runtime::StepKind::Launch:
    return of(runtime::instancesOf(step.launch), plan.kernels[static_cast<size_t>(step.launch.kernel)].name);
  case runtime::StepKind::Product: {
    const runtime::Product &p = step.product;
    std::string size = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
    return of(p.batch, size);
  }
  case runtime::StepKind::Copy:
    return "copy of " + bytesText(step.copy.bytes);
  }
  return "";
}

std::string stepsText(const runtime::Plan &plan) {
  int64_t launches = 0, instances = 0, products = 0, copies = 0, init = 0;
  for (const runtime::Step &step : plan.steps) {
    bool launch = step.kind == runtime::StepKind::Launch;
    launches += launch;
    instances += launch ? runtime::instancesOf(step.launch) : 0;
    products += step.kind == runtime::StepKind::Product;
    copies += step.kind == runtime::StepKind::Copy;
    init += step.phase == runtime::Phase::Init;
  }
  auto all = static_cast<int64_t>(plan.steps.size());
  std::string text = std::to_string(all);
  if (init > 0)
    text += ", " + std::to_string(all - init) + " a run, " + std::to_string(init) + " before the first";
  text += ": " + countText(launches, "launch", "launches");
  if (instances != launches)
    text += " (on " + std::to_string(instances) + " instances)";
  return text + " of " + countText(static_cast<int64_t>(plan.kernels.size()), "kernel") + ", " +
         countText(products, "product") + ", " + countText(copies, "copy", "copies");
}

std::string workLegend() {
  return "work: of a product MxNxK (an M x N result of sums of K terms; \"48 of\": a batch of so many), else "
         "the kernel's name;\n"
         "      a number at its end tells kernels of the same ops apart, which differ in shapes or types\n";
}

BusyRun middleRun(const std::vector<std::vector<runtime::StepTime>> &runs) {
  std::vector<BusyRun> sums;
  for (const std::vector<runtime::StepTime> &run : runs) {
    BusyRun &sum = sums.emplace_back();
    sum.steps = run;
    for (const runtime::StepTime &time : run) {
      sum.ms += time.ms;
      sum.kernels += time.kernels;
    }
  }
  if (sums.empty())
    return {};
  std::sort(sums.begin(), sums.end(), [](const BusyRun &a, const BusyRun &b) { return a.ms < b.ms; });
  return sums[(sums.size() - 1) / 2];
}

std::string profileTable(const runtime::Plan &plan, const std::vector<runtime::StepTime> &times) {
  struct Row {
    std::string work, label;
    int64_t calls = 0;
    double ms = 0;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  double sum = 0;
  for (const runtime::StepTime &time : times) {
    const runtime::Step &step = plan.steps[static_cast<size_t>(time.step)];
    std::string work = workOf(plan, step);
    Row &row = rows[{work, step.label}];
    row.work = work;
    row.label = step.label;
    ++row.calls;
    row.ms += time.ms;
    sum += time.ms;
  }
  std::vector<Row> ordered;
  for (auto &[key, row] : rows)
    ordered.push_back(row);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Row &a, const Row &b) { return a.ms > b.ms; });
  using Align = Table::Align;
  Table table({{"work", Align::Left},
               {"label", Align::Left},
               {"calls", Align::Right},
               {"ms", Align::Right},
               {"µs a call", Align::Right},
               {"share", Align::Right}});
  for (const Row &row : ordered)
    table.add({row.work, row.label, std::to_string(row.calls), fixed(row.ms, 3),
               fixed(row.ms * 1e3 / static_cast<double>(row.calls), 1),
               fixed(sum > 0 ? 100 * row.ms / sum : 0, 1) + " %"});
  double steps = static_cast<double>(std::max<size_t>(times.size(), 1));
  table.add({"all", countText(static_cast<int64_t>(ordered.size()), "kind") + " of work",
             std::to_string(times.size()), fixed(sum, 3), fixed(sum * 1e3 / steps, 1),
             fixed(sum > 0 ? 100 : 0, 1) + " %"});
  return table.text();
}

} // namespace heddle::driver
