//===- Devices.cpp - heddle devices ---------------------------------------===//
#include "runtime/device/Device.h"
#include "runtime/tooling/Libraries.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/Execution.h"
#include "tools/heddle/Support/Table.h"

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace heddle::driver {

using namespace runtime;

namespace {

struct DeviceRow {
  std::string kind, name, target, missing;
  MemoryInfo memory;
};

DeviceRow look(const std::string &kind) {
  DeviceRow row{kind, {}, {}, {}, {}};
  StatusOr<std::unique_ptr<Device>> device = openDevice(kind);
  if (!device) {
    row.missing = device.status().message();
    return row;
  }
  row.name = (*device)->name();
  row.target = (*device)->target();
  StatusOr<MemoryInfo> memory = (*device)->memoryInfo();
  if (memory)
    row.memory = *memory;
  else
    row.missing = memory.status().message();
  return row;
}

void printTables(const std::vector<DeviceRow> &devices, const std::vector<LibraryInfo> &libraries) {
  Table table(
      {{"device"}, {"name"}, {"target"}, {"free", Table::Align::Right}, {"memory", Table::Align::Right}});
  for (const DeviceRow &row : devices)
    if (row.missing.empty())
      table.add({row.kind, row.name, row.target, bytesText(row.memory.free), bytesText(row.memory.total)});
  std::printf("%s", table.text().c_str());

  Table found({{"library"}, {"version"}, {"file"}});
  for (const LibraryInfo &library : libraries)
    if (library.missing.empty())
      found.add({library.name, library.version, library.path});
  if (!found.empty())
    std::printf("\n%s", found.text().c_str());

  std::string missing;
  for (const DeviceRow &row : devices)
    if (!row.missing.empty())
      missing += "  " + row.kind + ": " + row.missing + "\n";
  for (const LibraryInfo &library : libraries)
    if (!library.missing.empty())
      missing += "  " + library.name + ": " + library.missing + "\n";
  if (!missing.empty())
    std::printf("\nnot found\n%s", missing.c_str());
}

void printJson(const std::vector<DeviceRow> &devices, const std::vector<LibraryInfo> &libraries) {
  nlohmann::ordered_json out = {{"devices", nlohmann::ordered_json::array()},
                                {"libraries", nlohmann::ordered_json::array()}};
  for (const DeviceRow &row : devices)
    out["devices"].push_back({{"device", row.kind},
                              {"available", row.missing.empty()},
                              {"name", row.name},
                              {"target", row.target},
                              {"free_bytes", row.memory.free},
                              {"total_bytes", row.memory.total},
                              {"missing", row.missing}});
  for (const LibraryInfo &library : libraries)
    out["libraries"].push_back({{"library", library.name},
                                {"available", library.missing.empty()},
                                {"version", library.version},
                                {"path", library.path},
                                {"missing", library.missing}});
  std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

} // namespace

Subcommand addDevices(CLI::App &program) {
  auto format = std::make_shared<std::string>();
  CLI::App *parser =
      program.add_subcommand("devices", "Show what was found on this machine and what is missing");
  addFormatFlag(*parser, *format, {"table", "json"});
  addExample(*parser, "heddle devices --format json");
  return {parser, [format] {
            std::vector<DeviceRow> devices = {look("cpu"), look("cuda")};
            std::vector<LibraryInfo> libraries = findLibraries();
            if (*format == "json")
              printJson(devices, libraries);
            else
              printTables(devices, libraries);
            return Status::ok();
          }};
}

} // namespace heddle::driver
