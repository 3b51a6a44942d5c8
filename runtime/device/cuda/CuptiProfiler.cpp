//===- CuptiProfiler.cpp - Steps timed by CUPTI's activity records --------===//
//
// A step is marked by an external correlation id. CUPTI writes a record that ties the id to every API call
// made under it (which is why the API kinds are enabled too, although their own records are not read), and
// each kernel, copy and fill names its API call.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/Profiler.h"

#include "runtime/base/DynamicLibrary.h"

#if HEDDLE_HAVE_CUPTI

#include <cstdlib>
#include <cupti.h>
#include <map>
#include <mutex>
#include <unordered_map>

using namespace heddle::runtime;

namespace {

#define HEDDLE_CUPTI_FUNCTIONS(X)                                                                            \
  X(cuptiActivityRegisterCallbacks)                                                                          \
  X(cuptiActivityEnable)                                                                                     \
  X(cuptiActivityDisable)                                                                                    \
  X(cuptiActivityFlushAll)                                                                                   \
  X(cuptiActivityGetNextRecord)                                                                              \
  X(cuptiActivityPushExternalCorrelationId)                                                                  \
  X(cuptiActivityPopExternalCorrelationId)                                                                   \
  X(cuptiActivityGetNumDroppedRecords)                                                                       \
  X(cuptiGetVersion)                                                                                         \
  X(cuptiGetResultString)

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_RUNTIME,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
constexpr CUpti_ExternalCorrelationKind kExternal = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

/// The library and what its callbacks collect. CUPTI allows one client a process and gives its callbacks no
/// argument of ours, so there is one of these.
class Cupti {
public:
  static StatusOr<Cupti *> get() {
    static Cupti cupti;
    static Status loaded = cupti.load();
    if (!loaded)
      return Status(loaded);
    instance_ = &cupti;
    return &cupti;
  }

  Status failed(const char *call, CUptiResult result) const {
    const char *text = nullptr;
    cuptiGetResultString(result, &text);
    return unavailable(std::string(call) + ": " + (text ? text : std::to_string(int(result))));
  }

  Status enable() {
    clear();
    if (!registered_) {
      if (CUptiResult result = cuptiActivityRegisterCallbacks(requestBuffer, completeBuffer);
          result != CUPTI_SUCCESS)
        return failed("cuptiActivityRegisterCallbacks", result);
      registered_ = true;
    }
    for (CUpti_ActivityKind kind : kKinds)
      if (CUptiResult result = cuptiActivityEnable(kind); result != CUPTI_SUCCESS) {
        disable();
        return failed("cuptiActivityEnable", result);
      }
    return Status::ok();
  }

  void disable() {
    for (CUpti_ActivityKind kind : kKinds)
      cuptiActivityDisable(kind);
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    activities_.clear();
    stepOf_.clear();
    dropped_ = 0;
  }

  /// Milliseconds and activities by external id; 0 for what no id covers.
  struct Sum {
    double ms = 0;
    int32_t activities = 0;
  };
  StatusOr<std::map<uint64_t, Sum>> collect() {
    if (CUptiResult result = cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); result != CUPTI_SUCCESS)
      return failed("cuptiActivityFlushAll", result);
    std::lock_guard<std::mutex> lock(mutex_);
    if (dropped_)
      return unavailable("CUPTI dropped " + std::to_string(dropped_) +
                         " records: the profile is not complete");
    std::map<uint64_t, Sum> times;
    for (const Activity &activity : activities_) {
      auto at = stepOf_.find(activity.correlation);
      Sum &sum = times[at == stepOf_.end() ? 0 : at->second];
      sum.ms += activity.ms;
      ++sum.activities;
    }
    return times;
  }

  const std::string &path() const { return path_; }

#define HEDDLE_MEMBER(name) decltype(&::name) name = nullptr;
  HEDDLE_CUPTI_FUNCTIONS(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER

private:
  Status load() {
    // Records are structures whose layout goes with the header's major version, so no other version is tried.
    std::string name = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
    HEDDLE_ASSIGN_OR_RETURN(DynamicLibrary library, DynamicLibrary::open({name}, cudaLibraryFolders()));
    path_ = library.path();
#define HEDDLE_BIND(name) HEDDLE_RETURN_IF_ERROR(library.bind(#name, name));
    HEDDLE_CUPTI_FUNCTIONS(HEDDLE_BIND)
#undef HEDDLE_BIND
    return Status::ok();
  }

  static void CUPTIAPI requestBuffer(uint8_t **buffer, size_t *size, size_t *maxRecords) {
    constexpr size_t kBytes = size_t(4) << 20;
    *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, kBytes));
    *size = *buffer ? kBytes : 0;
    *maxRecords = 0;
  }

  static void CUPTIAPI completeBuffer(CUcontext context, uint32_t streamId, uint8_t *buffer, size_t /*size*/,
                                      size_t validSize) {
    instance_->read(context, streamId, buffer, validSize);
    std::free(buffer);
  }

  void read(CUcontext context, uint32_t streamId, uint8_t *buffer, size_t validSize) {
    std::lock_guard<std::mutex> lock(mutex_);
    CUpti_Activity *record = nullptr;
    while (validSize && cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) {
      switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add(*reinterpret_cast<const CUpti_ActivityKernel10 *>(record));
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add(*reinterpret_cast<const CUpti_ActivityMemcpy6 *>(record));
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add(*reinterpret_cast<const CUpti_ActivityMemset4 *>(record));
        break;
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto &link = *reinterpret_cast<const CUpti_ActivityExternalCorrelation *>(record);
        if (link.externalKind == kExternal)
          stepOf_[link.correlationId] = link.externalId;
        break;
      }
      default:
        break;
      }
    }
    size_t lost = 0;
    cuptiActivityGetNumDroppedRecords(context, streamId, &lost);
    dropped_ += lost;
  }

  template <typename Record>
  void add(const Record &record) {
    activities_.push_back({record.correlationId, double(record.end - record.start) * 1e-6});
  }

  struct Activity {
    uint32_t correlation;
    double ms;
  };
  static inline Cupti *instance_ = nullptr;
  std::string path_;
  bool registered_ = false;
  std::mutex mutex_;
  std::vector<Activity> activities_;
  std::unordered_map<uint32_t, uint64_t> stepOf_;
  size_t dropped_ = 0;
};

class CuptiProfiler final : public Profiler {
public:
  explicit CuptiProfiler(Cupti &cupti) : cupti_(cupti) {}

  Status start() override {
    marked_ = false;
    return cupti_.enable();
  }

  void mark(int32_t step) override {
    pop();
    // External id 0 stands for no step.
    marked_ = cupti_.cuptiActivityPushExternalCorrelationId(kExternal, uint64_t(step) + 1) == CUPTI_SUCCESS;
  }

  StatusOr<std::vector<StepTime>> stop() override {
    pop();
    auto times = cupti_.collect();
    cupti_.disable();
    if (!times)
      return std::move(times).status();
    std::vector<StepTime> result;
    for (auto [id, sum] : *times)
      result.push_back({int32_t(id) - 1, sum.ms, sum.activities});
    return result;
  }

  std::string note() const override { return {}; }

private:
  void pop() {
    uint64_t last = 0;
    if (marked_)
      cupti_.cuptiActivityPopExternalCorrelationId(kExternal, &last);
    marked_ = false;
  }

  Cupti &cupti_;
  bool marked_ = false;
};

} // namespace

StatusOr<std::unique_ptr<Profiler>> heddle::runtime::createCuptiProfiler() {
  HEDDLE_ASSIGN_OR_RETURN(Cupti * cupti, Cupti::get());
  // Whether the driver lets it start is known only by trying.
  HEDDLE_RETURN_IF_ERROR(cupti->enable());
  cupti->disable();
  return std::unique_ptr<Profiler>(std::make_unique<CuptiProfiler>(*cupti));
}

StatusOr<CuptiLibrary> heddle::runtime::cuptiLibrary() {
  HEDDLE_ASSIGN_OR_RETURN(Cupti * cupti, Cupti::get());
  uint32_t version = 0;
  if (CUptiResult result = cupti->cuptiGetVersion(&version); result != CUPTI_SUCCESS)
    return cupti->failed("cuptiGetVersion", result);
  return CuptiLibrary{cupti->path(), std::to_string(version)};
}

#else

using namespace heddle::runtime;

static Status builtWithout() { return unavailable("this program was built without cupti.h"); }
StatusOr<std::unique_ptr<Profiler>> heddle::runtime::createCuptiProfiler() { return builtWithout(); }
StatusOr<CuptiLibrary> heddle::runtime::cuptiLibrary() { return builtWithout(); }

#endif // HEDDLE_HAVE_CUPTI
