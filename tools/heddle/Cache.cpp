//===- Cache.cpp - heddle cache -------------------------------------------===//
#include "runtime/base/DiskCache.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/Table.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

namespace heddle::driver {

using namespace runtime;

namespace {

constexpr size_t kShownEntries = 20; ///< That --entries prints, of what may be tens of thousands.

struct CacheFlags {
  std::string folder; ///< Empty: the default.
  std::string format;
  bool entries = false, all = false;
  int64_t keep = 0; ///< Bytes that `clear` leaves.
};

StatusOr<std::string> folderOf(const CacheFlags &flags) {
  std::string folder = flags.folder.empty() ? DiskCache::defaultFolder() : flags.folder;
  if (folder.empty())
    return unavailable(
        "there is no cache: none of HEDDLE_CACHE_DIR, XDG_CACHE_HOME and HOME is set; wanted one "
        "of them, or --folder");
  return folder;
}

/// "2026-11-29 18:04:01", local time.
std::string timeText(int64_t nanoseconds) {
  time_t seconds = nanoseconds / 1'000'000'000;
  tm local{};
  char text[32] = "";
  if (localtime_r(&seconds, &local))
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

void printTables(const std::string &folder, int64_t limit, const std::vector<CacheEntry> &entries,
                 size_t most) {
  struct Sum {
    int64_t entries = 0, bytes = 0, first = 0, last = 0;
  };
  // Entries come the newest first.
  std::map<std::string, Sum> kinds;
  Sum all;
  for (const CacheEntry &entry : entries)
    for (Sum *sum : {&kinds[entry.kind], &all}) {
      sum->last = sum->entries++ == 0 ? entry.lastUse : sum->last;
      sum->first = entry.lastUse;
      sum->bytes += entry.bytes;
    }
  constexpr Table::Align right = Table::Align::Right;
  Table table({{"kind"}, {"entries", right}, {"size", right}, {"used first"}, {"used last"}});
  auto add = [&](const std::string &kind, const Sum &sum) {
    table.add({kind, std::to_string(sum.entries), bytesText(sum.bytes),
               sum.entries ? timeText(sum.first) : "-", sum.entries ? timeText(sum.last) : "-"});
  };
  for (const auto &[kind, sum] : kinds)
    add(kind, sum);
  add("all", all);
  std::printf("%s, at most %s (HEDDLE_CACHE_LIMIT); what was not used for longest goes first\n\n%s",
              folder.c_str(), bytesText(limit).c_str(), table.text().c_str());
  if (most == 0)
    return;
  Table list({{"kind"}, {"size", right}, {"last use"}, {"key"}, {"what"}});
  size_t shown = std::min(most, entries.size());
  for (const CacheEntry &entry : std::span(entries).first(shown))
    list.add({entry.kind, bytesText(entry.bytes), timeText(entry.lastUse), entry.key, entry.title});
  std::printf("\n%s", list.text().c_str());
  if (shown < entries.size())
    std::printf("and %zu more, used before these; --all lists them\n", entries.size() - shown);
}

Status runList(const CacheFlags &flags) {
  HEDDLE_ASSIGN_OR_RETURN(std::string folder, folderOf(flags));
  HEDDLE_ASSIGN_OR_RETURN(int64_t limit, cacheLimit());
  std::vector<CacheEntry> entries = listCache(folder);
  if (flags.format == "table") {
    printTables(folder, limit, entries, flags.all ? entries.size() : flags.entries ? kShownEntries : 0);
    return Status::ok();
  }
  using Json = nlohmann::ordered_json;
  Json out = {{"folder", folder}, {"limit_bytes", limit}, {"entries", Json::array()}};
  for (const CacheEntry &entry : entries)
    out["entries"].push_back({{"kind", entry.kind},
                              {"key", entry.key},
                              {"what", entry.title},
                              {"bytes", entry.bytes},
                              {"last_use", entry.lastUse / 1'000'000'000}});
  std::printf("%s\n", out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  return Status::ok();
}

Status runClear(const CacheFlags &flags) {
  HEDDLE_ASSIGN_OR_RETURN(std::string folder, folderOf(flags));
  CacheRemoval removal = trimCache(folder, flags.keep);
  if (!removal.problem.empty())
    return unavailable(removal.problem);
  std::printf("%s: %lld entries removed (%s), %lld kept (%s)\n", folder.c_str(),
              static_cast<long long>(removal.entries), bytesText(removal.bytes).c_str(),
              static_cast<long long>(removal.kept), bytesText(removal.keptBytes).c_str());
  return Status::ok();
}

void addFolderFlag(CLI::App &parser, CacheFlags &flags) {
  parser.add_option(
      "--folder", flags.folder,
      "The cache's folder [HEDDLE_CACHE_DIR, else XDG_CACHE_HOME/heddle, else ~/.cache/heddle]");
}

} // namespace

Subcommand addCache(CLI::App &program) {
  auto flags = std::make_shared<CacheFlags>();
  CLI::App *parser = program.add_subcommand(
      "cache", "Show or clear what is kept between processes: compiled kernels, timed products");
  parser->require_subcommand(1);
  CLI::App *list = parser->add_subcommand("list", "Show what is kept, the last used first");
  addFolderFlag(*list, *flags);
  list->add_flag("--entries", flags->entries,
                 "Also the " + std::to_string(kShownEntries) +
                     " entries last used: size, last use, key and what it is of; JSON has every one");
  list->add_flag("--all", flags->all, "Also every entry, as --entries shows them");
  addFormatFlag(*list, flags->format, {"table", "json"});
  addExample(*list, "heddle cache list --entries");
  CLI::App *clear = parser->add_subcommand("clear", "Remove all of it, or what was not used for longest");
  addFolderFlag(*clear, *flags);
  clear
      ->add_option_function<std::string>(
          "--keep",
          [flags](const std::string &text) {
            StatusOr<int64_t> size = parseSize(text);
            if (!size)
              throw CLI::ValidationError("--keep", size.status().message());
            flags->keep = *size;
          },
          "Remove only what was not used for longest, until the rest fits: 500M, 2G")
      ->default_str("0");
  addExample(*clear, "heddle cache clear --keep 500M");
  addExample(*parser, "heddle cache list");
  return {parser, [flags, list] { return list->parsed() ? runList(*flags) : runClear(*flags); }};
}

} // namespace heddle::driver
