//===- EventProfiler.cpp - Steps timed by events --------------------------===//
#include "runtime/device/cuda/Profiler.h"

#include <map>

using namespace heddle::runtime;

namespace {

class EventProfiler final : public Profiler {
public:
  EventProfiler(const Driver &driver, CUstream stream, std::string reason)
      : driver_(driver), stream_(stream), reason_(std::move(reason)) {}
  ~EventProfiler() override {
    for (CUevent event : events_)
      driver_.cuEventDestroy(event);
  }

  Status start() override {
    steps_.clear();
    error_ = Status::ok();
    record();
    steps_.push_back(-1);
    return error_;
  }

  void mark(int32_t step) override {
    record();
    steps_.push_back(step);
  }

  StatusOr<std::vector<StepTime>> stop() override {
    record();
    HEDDLE_RETURN_IF_ERROR(Status(error_));
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuStreamSynchronize, (stream_), "profiling");
    std::map<int32_t, double> times;
    for (size_t i = 0; i < steps_.size(); ++i) {
      float ms = 0;
      HEDDLE_RETURN_IF_CUDA_ERROR(driver_, elapsedTime, (&ms, events_[i], events_[i + 1]), "profiling");
      times[steps_[i]] += ms;
    }
    // What lies before the first mark is the wait for it, not work.
    times.erase(-1);
    std::vector<StepTime> result;
    result.reserve(times.size());
    for (auto [step, ms] : times)
      result.push_back({step, ms});
    return result;
  }

  std::string note() const override {
    return "times by events, gaps between kernels included, because CUPTI is not usable: " + reason_;
  }

private:
  /// Records the event that ends one step and begins the next; they are kept for the next profile.
  void record() {
    size_t next = steps_.size();
    if (next == events_.size()) {
      CUevent event = nullptr;
      if (CUresult result = driver_.cuEventCreate(&event, CU_EVENT_DEFAULT); result != CUDA_SUCCESS) {
        error_ = driver_.failed("cuEventCreate", result, "profiling");
        return;
      }
      events_.push_back(event);
    }
    if (CUresult result = driver_.cuEventRecord(events_[next], stream_); result != CUDA_SUCCESS)
      error_ = driver_.failed("cuEventRecord", result, "profiling");
  }

  const Driver &driver_;
  CUstream stream_;
  std::string reason_;
  std::vector<CUevent> events_;
  std::vector<int32_t> steps_;
  Status error_;
};

} // namespace

std::unique_ptr<Profiler> heddle::runtime::createEventProfiler(const Driver &driver, CUstream stream,
                                                               std::string reason) {
  return std::make_unique<EventProfiler>(driver, stream, std::move(reason));
}
