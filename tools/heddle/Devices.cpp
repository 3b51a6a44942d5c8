//===- Devices.cpp - heddle devices ---------------------------------------===//
#include "runtime/device/Device.h"
#include "runtime/device/cuda/Probe.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/Table.h"

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace heddle::driver {

using namespace runtime;

namespace {

/// One device as it is shown; `problem` says why it cannot be used, or is empty.
struct DeviceRow {
  std::string device, name, target;
  int64_t freeBytes = 0, totalBytes = 0;
  std::string problem;
};

DeviceRow lookAtCpu() {
  DeviceRow row{"cpu", {}, {}, 0, 0, {}};
  StatusOr<std::unique_ptr<Device>> device = createCpuDevice();
  if (!device) {
    row.problem = device.status().message();
    return row;
  }
  row.name = (*device)->name();
  row.target = (*device)->target();
  if (StatusOr<MemoryInfo> memory = (*device)->memoryInfo()) {
    row.freeBytes = memory->free;
    row.totalBytes = memory->total;
  }
  return row;
}

std::vector<DeviceRow> devicesOf(const CudaProbe &cuda) {
  std::vector<DeviceRow> rows = {lookAtCpu()};
  for (const GpuProbe &gpu : cuda.gpus)
    rows.push_back({"cuda", gpu.name, gpu.target, gpu.freeBytes, gpu.totalBytes, gpu.problem});
  return rows;
}

void printTables(const std::vector<DeviceRow> &devices, const std::vector<LibraryProbe> &libraries) {
  Table table(
      {{"device"}, {"name"}, {"target"}, {"free", Table::Align::Right}, {"memory", Table::Align::Right}});
  std::string missing;
  for (const DeviceRow &row : devices)
    if (row.problem.empty())
      table.add({row.device, row.name, row.target, bytesText(row.freeBytes), bytesText(row.totalBytes)});
    else
      missing += "  " + row.device + " " + row.name + ": " + row.problem + "\n";
  std::printf("%s", table.text().c_str());

  Table found({{"library"}, {"version"}, {"file"}});
  for (const LibraryProbe &library : libraries)
    if (library.found)
      found.add({library.name, library.version, library.path});
    else
      missing += "  " + library.name + " (" + library.purpose + "): " + library.problem + "\n";
  if (!found.empty())
    std::printf("\n%s", found.text().c_str());
  if (!missing.empty())
    std::printf("\nmissing\n%s", missing.c_str());
}

void printJson(const std::vector<DeviceRow> &devices, const std::vector<LibraryProbe> &libraries) {
  using Json = nlohmann::ordered_json;
  Json out = {{"devices", Json::array()}, {"libraries", Json::array()}};
  for (const DeviceRow &row : devices)
    out["devices"].push_back({{"device", row.device},
                              {"available", row.problem.empty()},
                              {"name", row.name},
                              {"target", row.target},
                              {"free_bytes", row.freeBytes},
                              {"total_bytes", row.totalBytes},
                              {"problem", row.problem}});
  for (const LibraryProbe &library : libraries)
    out["libraries"].push_back({{"library", library.name},
                                {"available", library.found},
                                {"version", library.version},
                                {"path", library.path},
                                {"purpose", library.purpose},
                                {"problem", library.problem}});
  std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

} // namespace

Subcommand addDevices(CLI::App &program) {
  auto format = std::make_shared<std::string>();
  CLI::App *parser =
      program.add_subcommand("devices", "Show what was found on this machine and what is missing");
  addFormatFlag(*parser, *format, {"table", "json"});
  addExample(*parser, "heddle devices --format json");
  return {parser, [format] {
            CudaProbe cuda = probeCuda();
            if (*format == "json")
              printJson(devicesOf(cuda), cuda.libraries);
            else
              printTables(devicesOf(cuda), cuda.libraries);
            return Status::ok();
          }};
}

} // namespace heddle::driver
