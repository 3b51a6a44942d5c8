#include "compiler/Target/CPU/ObjectCode.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace heddle::cpu;

namespace {
constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

/// The loops are written as they shall run, with vectors and accumulators: what is left is to clean up
/// addresses, move invariants out and share what blocks have in common. A quarter of the time of the default
/// pipeline.
constexpr llvm::StringLiteral kPasses =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

void initializeX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> createMachine(const CpuTarget &target) {
  initializeX86();
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // A product and a sum may round once: allowed everywhere, as CUDA does. Sums are never reordered.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.name, /*Features=*/"", options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void setAttributes(llvm::Module &module, const CpuTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.name);
    // Else LLVM takes half registers on processors that lower their clock for whole ones.
    function.addFnAttr("prefer-vector-width", std::to_string(target.lanes * 32));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // The body stays apart from the entry: inlined, its arguments would lose noalias.
    if (function.hasInternalLinkage())
      function.addFnAttr(llvm::Attribute::NoInline);
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, modules);
}

/// The only lane that a constant mask lets through.
std::optional<unsigned> onlyLane(const llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Constant *element = constant->getAggregateElement(i);
    if (element && (element->isNullValue() || llvm::isa<llvm::UndefValue>(element)))
      continue;
    if (!element || !element->isOneValue() || lane)
      return std::nullopt;
    lane = i;
  }
  return lane;
}

/// Writes one lane as one element. LLVM 22 makes such a masked store of a narrowed vector a store of the wide
/// element, over its neighbour (llvm/llvm-project#179489, mended in LLVM 23): the last column of a bf16 row
/// of 16 n + 1 would reach into the next row, which may be another thread's, or behind the buffer.
void storeSingleLanes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      std::optional<unsigned> lane = onlyLane(store->getArgOperand(2));
      if (!lane)
        continue;
      llvm::IRBuilder<> builder(store);
      llvm::Value *element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
      llvm::Value *place =
          builder.CreateConstInBoundsGEP1_64(element->getType(), store->getArgOperand(1), *lane);
      builder.CreateAlignedStore(element, place,
                                 llvm::Align(module.getDataLayout().getTypeStoreSize(element->getType())));
      store->eraseFromParent();
    }
}

/// The loader resolves nothing: an undefined symbol is an error of the compiler, found here and not at load.
LogicalResult verifyObject(ModuleOp module, llvm::ArrayRef<char> bytes) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "kernel");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object)
    return module.emitError("LLVM wrote an object that it cannot read: ")
           << llvm::toString(object.takeError());
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return module.emitError("LLVM wrote an object with a damaged symbol table");
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return module.emitError("kernel needs '")
             << *name << "' of a library; the CPU target has no code of its own for it";
  }
  return success();
}
} // namespace

FailureOr<llvm::SmallVector<char, 0>> heddle::cpu::emitObject(ModuleOp module, const CpuTarget &target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "kernel");
  if (!code)
    return module.emitError("could not be translated to LLVM IR");
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target);
  if (!machine)
    return module.emitError("this LLVM has no x86-64 code generator");
  code->setTargetTriple(llvm::Triple(kTriple));
  code->setDataLayout(machine->createDataLayout());
  code->setPICLevel(llvm::PICLevel::BigPIC);
  setAttributes(*code, target);
  optimize(*code, *machine);
  storeSingleLanes(*code); // The masks are constants only now.

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return module.emitError("this LLVM cannot write ELF objects");
  emission.run(*code);
  if (failed(verifyObject(module, bytes)))
    return failure();
  return bytes;
}
