//===- CompileKernels.cpp - All kernels of a plan -------------------------===//
#include "runtime/nvrtc/CompileKernels.h"

#include "runtime/nvrtc/KernelCache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

using namespace heddle::runtime;

namespace {

/// One distinct compilation and where its result is wanted.
struct Job {
  std::string key;
  std::vector<size_t> wantedBy;
  Status status;
  CompiledKernel kernel;
};

} // namespace

StatusOr<std::vector<CompiledKernel>>
heddle::runtime::compileKernels(std::span<const CompileRequest> requests, const CompileOptions &options,
                                const CompileProgress &progress, CompileStats *stats) {
  auto begin = std::chrono::steady_clock::now();
  if (requests.empty())
    return std::vector<CompiledKernel>{};
  HEDDLE_ASSIGN_OR_RETURN(const Nvrtc *nvrtc, Nvrtc::get());
  std::string folder;
  if (options.useCache)
    folder = options.cacheFolder.empty() ? DiskCache::defaultFolder() : options.cacheFolder;
  KernelCache cache(folder);

  std::vector<CompileRequest> all(requests.begin(), requests.end());
  std::map<std::string, size_t> jobOf;
  std::vector<Job> jobs;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].options.insert(all[i].options.begin(), options.options.begin(), options.options.end());
    std::string key = KernelCache::keyOf(all[i], options.headers, nvrtc->version());
    auto [at, isNew] = jobOf.try_emplace(key, jobs.size());
    if (isNew)
      jobs.emplace_back().key = key;
    jobs[at->second].wantedBy.push_back(i);
  }

  std::atomic<size_t> next{0};
  std::atomic<int32_t> hits{0};
  std::atomic<bool> stop{false};
  std::mutex progressMutex;
  int32_t done = 0;
  auto work = [&] {
    for (size_t i; !stop && (i = next++) < jobs.size();) {
      Job &job = jobs[i];
      if (std::optional<CompiledKernel> cached = cache.load(job.key)) {
        job.kernel = *std::move(cached);
        ++hits;
      } else {
        StatusOr<CompiledKernel> compiled = nvrtc->compile(all[job.wantedBy.front()], options.headers);
        if (!compiled) {
          job.status = std::move(compiled).status();
          stop = true;
          return;
        }
        job.kernel = *std::move(compiled);
        const CompileRequest &request = all[job.wantedBy.front()];
        cache.store(job.key, job.kernel, request.name + " " + request.arch);
      }
      std::lock_guard<std::mutex> lock(progressMutex);
      ++done;
      if (progress)
        progress(done, int32_t(jobs.size()));
    }
  };
  size_t count = options.threads > 0 ? size_t(options.threads) : std::thread::hardware_concurrency();
  count = std::clamp<size_t>(count, 1, jobs.size());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  cache.trim();

  if (stats) {
    stats->hits = hits;
    stats->misses = done - hits;
    stats->ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    stats->folder = cache.folder();
    stats->note = cache.note();
  }
  for (Job &job : jobs)
    HEDDLE_RETURN_IF_ERROR(std::move(job.status));
  std::vector<CompiledKernel> kernels(requests.size());
  for (Job &job : jobs)
    for (size_t i : job.wantedBy)
      kernels[i] = job.kernel;
  return kernels;
}

Status heddle::runtime::compileKernels(Plan &plan, const CompileOptions &options,
                                       const CompileProgress &progress, CompileStats *stats) {
  std::vector<CompileRequest> requests;
  std::vector<Kernel *> wanting;
  for (Kernel &kernel : plan.kernels) {
    if (kernel.language != KernelLanguage::Cuda || !kernel.binary.empty())
      continue;
    if (kernel.source.empty())
      return invalidInput("kernel " + kernel.name + " of the plan has neither a binary nor a source");
    requests.push_back({kernel.name, kernel.source, options.arch.empty() ? kernel.target : options.arch, {}});
    wanting.push_back(&kernel);
  }
  HEDDLE_ASSIGN_OR_RETURN(
      std::vector<CompiledKernel> compiled,
      compileKernels(std::span<const CompileRequest>(requests), options, progress, stats));
  for (size_t i = 0; i < compiled.size(); ++i) {
    wanting[i]->binary = std::move(compiled[i].cubin);
    wanting[i]->target = requests[i].arch;
  }
  return Status::ok();
}
