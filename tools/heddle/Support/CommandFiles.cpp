//===- CommandFiles.cpp - The files that a command line names -------------===//
#include "tools/heddle/Support/CommandFiles.h"

#include "tools/heddle/Support/FolderLock.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace heddle::driver {

using namespace runtime;
namespace fs = std::filesystem;

namespace {

/// Names of the validators by which options know their use, in the order of FileUse.
constexpr const char *kUses[] = {"read", "input", "resume", "write", "replace", "into"};

std::optional<FileUse> useOf(CLI::Option &option) {
  for (int use = 0; use < static_cast<int>(std::size(kUses)); ++use)
    try {
      (void)option.get_validator(kUses[use]);
      return static_cast<FileUse>(use);
    } catch (const CLI::OptionNotFound &) { // The only answer that the parser has.
    }
  return std::nullopt;
}

/// A file that a flag names, or that is read with a folder that it names.
struct Claim {
  std::string option;
  std::string path; ///< As it was written.
  FileUse use = FileUse::Read;
  fs::path absolute; ///< Links resolved as far as the path is there.
  bool there = false;
  dev_t device = 0;
  ino_t inode = 0;
};

bool reads(const Claim &claim) { return claim.use == FileUse::Read || claim.use == FileUse::Resume; }

fs::path absolutePath(const std::string &path) {
  std::error_code error;
  fs::path absolute = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error)
    absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path(); // "folder/"
}

class Claims {
public:
  Status add(const std::string &option, const std::string &path, FileUse use) {
    if (use == FileUse::Input) {
      // A path may hold '=' too: only the model knows whether it is a name that ends there.
      size_t equals = path.find('=');
      if (equals != std::string::npos)
        HEDDLE_RETURN_IF_ERROR(add(option, path.substr(equals + 1), FileUse::Read));
      return add(option, path, FileUse::Read);
    }
    Claim claim{option, path, use, absolutePath(path), false, 0, 0};
    struct stat info = {};
    if (stat(path.c_str(), &info) == 0) {
      claim.there = true;
      claim.device = info.st_dev;
      claim.inode = info.st_ino;
      bool folder = S_ISDIR(info.st_mode);
      if (!folder && !S_ISREG(info.st_mode)) {
        if (reads(claim))
          return invalidInput(option + " " + path + ": wanted a file or a folder, found a pipe or a device");
        return Status::ok();
      }
      if (reads(claim) && folder)
        addFiles(claim, path, {".safetensors", "config.json", ".index.json", "training.json"});
      else if (reads(claim) && path.ends_with(".index.json"))
        addFiles(claim, fs::path(path).parent_path(), {".safetensors"});
    } else if (reads(claim)) {
      return Status::ok(); // A preset, or what its reader will miss.
    }
    claims_.push_back(std::move(claim));
    return Status::ok();
  }

  Status check() const {
    for (auto second = claims_.begin(); second != claims_.end(); ++second)
      for (auto first = claims_.begin(); first != second; ++first) {
        HEDDLE_RETURN_IF_ERROR(checkSame(*first, *second));
        HEDDLE_RETURN_IF_ERROR(checkWithin(*first, *second));
        HEDDLE_RETURN_IF_ERROR(checkWithin(*second, *first));
      }
    return Status::ok();
  }

private:
  /// Files of a folder that are read with it, in the order of their names.
  void addFiles(const Claim &folder, const fs::path &path, std::initializer_list<const char *> ends) {
    std::error_code error;
    std::set<std::string> names;
    for (fs::directory_iterator entry(path.empty() ? "." : path, error), end; !error && entry != end;
         entry.increment(error))
      names.insert(entry->path().filename().string());
    for (const std::string &name : names) {
      std::string file = (path / name).string();
      struct stat info = {};
      bool read = std::any_of(ends.begin(), ends.end(), [&](const char *end) { return name.ends_with(end); });
      if (read && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode))
        claims_.push_back(
            {folder.option, file, folder.use, absolutePath(file), true, info.st_dev, info.st_ino});
    }
  }

  static Status checkSame(const Claim &first, const Claim &second) {
    if (first.use != FileUse::Write && second.use != FileUse::Write)
      return Status::ok();
    bool same = first.there && second.there ? first.device == second.device && first.inode == second.inode
                                            : first.absolute == second.absolute;
    if (!same)
      return Status::ok();
    std::string other = first.path == second.path ? "" : " (also " + second.path + ")";
    return invalidInput(first.option + " and " + second.option + " are the same file, " + first.path + other +
                        ": what one of them holds would be lost");
  }

  static Status checkWithin(const Claim &folder, const Claim &file) {
    if (folder.use == FileUse::Replace && file.use != FileUse::Resume) {
      auto [end, rest] = std::mismatch(folder.absolute.begin(), folder.absolute.end(), file.absolute.begin(),
                                       file.absolute.end());
      if (end == folder.absolute.end())
        return invalidInput(file.option + " " + file.path + " is in " + folder.path + ", which " +
                            folder.option + " replaces as a whole: it would be lost");
      for (const char *end : {kLockEnd, kUnfinishedEnd, kPreviousEnd}) {
        fs::path beside = folder.absolute.string() + end;
        if (std::mismatch(beside.begin(), beside.end(), file.absolute.begin(), file.absolute.end()).first ==
            beside.end())
          return invalidInput(file.option + " " + file.path + " has the name of what " + folder.option +
                              " makes beside " + folder.path + " and removes: it would be lost");
      }
    }
    // The IR of phase N is N-NAME.mlir; see the compiler's dump.
    std::string name = file.absolute.filename().string();
    if (folder.use == FileUse::Into && file.absolute.parent_path() == folder.absolute && name.size() > 2 &&
        std::isdigit(static_cast<unsigned char>(name[0])) && name[1] == '-' && name.ends_with(".mlir"))
      return invalidInput(file.option + " " + file.path + " has the name of a phase's IR, which " +
                          folder.option + " writes there: it would be lost");
    return Status::ok();
  }

  std::vector<Claim> claims_;
};

} // namespace

CLI::Option *namesFile(CLI::Option *option, FileUse use) {
  return option->check(CLI::Validator(
      [](const std::string &path) -> std::string {
        return path.empty() ? "wanted the name of a file or a folder, found an empty one" : "";
      },
      "", kUses[static_cast<int>(use)]));
}

Status checkFiles(CLI::App &parser) {
  Claims claims;
  for (CLI::Option *option : parser.get_options({}))
    if (std::optional<FileUse> use = option->count() > 0 ? useOf(*option) : std::nullopt)
      for (const std::string &path : option->results())
        HEDDLE_RETURN_IF_ERROR(claims.add(option->get_name(), path, *use));
  return claims.check();
}

} // namespace heddle::driver
