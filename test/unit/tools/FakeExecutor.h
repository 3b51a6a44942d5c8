// An executor whose parts live in a map, for what saves and restores them.
#ifndef HEDDLE_TEST_UNIT_TOOLS_FAKEEXECUTOR_H
#define HEDDLE_TEST_UNIT_TOOLS_FAKEEXECUTOR_H

#include "runtime/executor/Executor.h"

#include <map>

namespace heddle::test {

class FakeExecutor : public runtime::Executor {
public:
  std::map<std::string, std::vector<uint8_t>> parts, inputs, outputs;
  std::function<void()> onRun = [] {}, onRunWithoutOptimizer = [] {};

  runtime::Status setInput(const std::string &name, std::span<const uint8_t> data) override {
    inputs[name].assign(data.begin(), data.end());
    return runtime::Status::ok();
  }
  runtime::Status run() override {
    onRun();
    return runtime::Status::ok();
  }
  runtime::Status runWithoutOptimizer() override {
    onRunWithoutOptimizer();
    return runtime::Status::ok();
  }
  runtime::Status synchronize() override { return runtime::Status::ok(); }
  runtime::StatusOr<std::vector<uint8_t>> output(const std::string &name) override {
    return outputs.at(name);
  }
  runtime::StatusOr<std::vector<uint8_t>> parameter(const std::string &name) override {
    return parts.at(name);
  }
  runtime::Status setParameter(const std::string &name, std::span<const uint8_t> data) override {
    parts[name].assign(data.begin(), data.end());
    return runtime::Status::ok();
  }
  runtime::StatusOr<std::vector<runtime::StepTime>> profile() override {
    return std::vector<runtime::StepTime>();
  }
  runtime::ExecutorStats stats() const override { return {}; }
};

inline std::vector<uint8_t> bytesOf(std::initializer_list<float> values) {
  auto data = reinterpret_cast<const uint8_t *>(values.begin());
  return {data, data + values.size() * sizeof(float)};
}

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_TOOLS_FAKEEXECUTOR_H
