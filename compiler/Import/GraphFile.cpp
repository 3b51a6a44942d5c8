//===- GraphFile.cpp - Reading a textual graph ----------------------------===//
#include "compiler/Import/GraphFile.h"
#include "compiler/Import/IndexBounds.h"
#include "compiler/Import/SourceScan.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <tuple>

using namespace heddle;
using namespace heddle::graph;
using runtime::invalidInput;
using runtime::Status;
using runtime::StatusOr;

namespace {

/// Keeps the first error, with the notes that point elsewhere in the file.
class FirstError {
public:
  /// `text`, of the file at `path`, must outlive this.
  FirstError(mlir::MLIRContext *context, llvm::StringRef path, llvm::StringRef text)
      : path_(path), text_(text),
        handler_(context, [this](mlir::Diagnostic &diagnostic) { return take(diagnostic); }) {}

  /// From here on errors come from verifiers, which name op and operand; the parser's own do not, so that
  /// they quote the line that they point at.
  void parsed() { quotes_ = false; }

  Status status() const {
    return invalidInput(message_.empty() ? path_.str() + ": cannot be parsed" : message_);
  }

private:
  /// A name in a broken file may be megabytes long.
  static std::string shortened(std::string text, size_t limit = 400) {
    if (text.size() <= limit)
      return text;
    size_t end = limit;
    while (end > 0 && (text[end] & 0xC0) == 0x80) // Inside a character of several bytes.
      --end;
    return text.substr(0, end) + "…";
  }

  std::string place(mlir::Location loc) const {
    auto file = loc->findInstanceOf<mlir::FileLineColLoc>();
    if (file && file.getLine() == 0) // The module of a file that holds none.
      return path_.str();
    if (file)
      return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
             std::to_string(file.getColumn());
    std::string text = locationText(loc);
    return text.empty() ? path_.str() : path_.str() + ": " + text;
  }

  std::string quoted(mlir::Location loc) const {
    auto file = loc->findInstanceOf<mlir::FileLineColLoc>();
    if (!file || file.getLine() == 0 || file.getFilename() != path_)
      return "";
    llvm::StringRef rest = text_, line;
    for (unsigned i = 0; i < file.getLine(); ++i)
      std::tie(line, rest) = rest.split('\n');
    return line.trim().empty() ? "" : "\n  " + shortened(line.trim().str(), 120);
  }

  mlir::LogicalResult take(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || !message_.empty())
      return mlir::success();
    std::string where = place(diagnostic.getLocation());
    message_ = where + ": " + shortened(diagnostic.str());
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (std::string there = place(note.getLocation()); there != where)
        message_ += " (" + there + ": " + shortened(note.str()) + ")";
    if (quotes_)
      message_ += quoted(diagnostic.getLocation());
    return mlir::success();
  }

  llvm::StringRef path_, text_;
  std::string message_;
  bool quotes_ = true;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace

static void addDefaultNames(mlir::func::FuncOp main) {
  mlir::Builder builder(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (!main.getArgAttr(i, kNameAttr))
      main.setArgAttr(i, kNameAttr, builder.getStringAttr("arg" + std::to_string(i)));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (!main.getResultAttr(i, kNameAttr))
      main.setResultAttr(i, kNameAttr, builder.getStringAttr("result" + std::to_string(i)));
}

/// Tied weights may be written as several ops of one name: from here on one op is what they read.
static void mergeParameters(mlir::func::FuncOp main) {
  llvm::DenseMap<mlir::Attribute, ParameterOp> first;
  for (ParameterOp parameter : llvm::make_early_inc_range(main.getBody().front().getOps<ParameterOp>())) {
    ParameterOp kept = first.try_emplace(parameter.getParts(), parameter).first->second;
    if (kept == parameter || kept.getType() != parameter.getType())
      continue;
    parameter.replaceAllUsesWith(kept.getResult());
    parameter.erase();
  }
}

/// Kept casts, of a graph that the precision phase has left, are casts again, which it may keep anew:
/// whatever the mode, a copy is what its parameter is.
static void forgetKept(mlir::func::FuncOp main) {
  mlir::Block &block = main.getBody().front();
  for (AssignOp assign : llvm::make_early_inc_range(block.getOps<AssignOp>()))
    if (keptCast(assign.getLeaf()))
      assign.erase();
  for (CastOp cast : block.getOps<CastOp>())
    cast.setKept(false);
}

StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> heddle::import::readGraphFile(mlir::MLIRContext *context,
                                                                          const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return invalidInput("cannot read '" + path + "': " + buffer.getError().message());
  if (mlir::isBytecode((*buffer)->getMemBufferRef()))
    return invalidInput(path + ": wanted MLIR text, found MLIR bytecode");
  if (std::optional<SourceIssue> issue = scanSource((*buffer)->getBuffer()))
    return invalidInput(path + ":" + std::to_string(issue->line) + ":" + std::to_string(issue->column) +
                        ": " + issue->message);

  context->loadDialect<GraphDialect, mlir::func::FuncDialect>();
  FirstError errors(context, path, (*buffer)->getBuffer());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  mlir::ParserConfig config(context, /*verifyAfterParse=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
  errors.parsed();
  if (!module || failed(mlir::verify(*module)) ||
      failed(verifyGraphModule(*module, {.groups = false, .namesRequired = false})))
    return errors.status();
  mlir::func::FuncOp main = mainFunction(*module);
  addDefaultNames(main);
  // A default name may be one that the file gave to another.
  if (failed(import::addIndexBounds(main)) || failed(verifyGraphModule(*module)))
    return errors.status();
  forgetKept(main);
  mergeParameters(main);
  return module;
}
