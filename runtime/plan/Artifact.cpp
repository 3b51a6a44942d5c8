//===- Artifact.cpp - Plans as bytes and files ----------------------------===//
#include "runtime/plan/Artifact.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Plan_generated.h"
#include "runtime/plan/Verify.h"

#include <cstring>

namespace heddle::runtime {

namespace fb = artifact;

namespace {

constexpr char kMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'P', 'L'};

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t contentBytes;
  uint64_t hashLow, hashHigh;
};
static_assert(sizeof(Header) == 40);

//===----------------------------------------------------------------------===//
// Plan to FlatBuffer
//===----------------------------------------------------------------------===//

fb::BufferRef pack(const BufferRef &ref) { return {ref.buffer, ref.byteOffset}; }

fb::MatrixRef pack(const MatrixRef &matrix) {
  return {pack(matrix.ref), matrix.ld, matrix.batchStride, static_cast<uint8_t>(matrix.dtype),
          matrix.transposed};
}

class Writer {
public:
  explicit Writer(flatbuffers::FlatBufferBuilder &builder) : b(builder) {}
  flatbuffers::Offset<fb::Plan> pack(const Plan &plan);

private:
  flatbuffers::Offset<flatbuffers::String> string(const std::string &text) {
    return b.CreateSharedString(text);
  }

  template <typename T>
  flatbuffers::Offset<flatbuffers::Vector<T>> vector(const std::vector<T> &values) {
    return b.CreateVector(values);
  }

  template <typename T, typename Fn>
  auto table(const std::vector<T> &values, Fn fn) {
    std::vector<decltype(fn(values.front()))> offsets;
    offsets.reserve(values.size());
    for (const T &value : values)
      offsets.push_back(fn(value));
    return b.CreateVector(offsets);
  }

  flatbuffers::Offset<fb::Buffer> buffer(const Buffer &buffer) {
    auto parts = table(buffer.parts, [&](const ParameterPart &part) {
      return fb::CreateParameterPart(b, string(part.name), vector(part.shape), part.elementOffset,
                                     static_cast<uint8_t>(part.init), part.scale);
    });
    return fb::CreateBuffer(b, string(buffer.name), static_cast<uint8_t>(buffer.role),
                            static_cast<uint8_t>(buffer.dtype), vector(buffer.shape), buffer.bytes,
                            buffer.offset, buffer.firstStep, buffer.lastStep, parts, vector(buffer.data),
                            string(buffer.location), buffer.indexLimit, buffer.panel, buffer.pitch,
                            buffer.ignoredIndex);
  }

  flatbuffers::Offset<fb::Step> step(const Step &step) {
    flatbuffers::Offset<fb::Launch> launch;
    flatbuffers::Offset<fb::Product> product;
    flatbuffers::Offset<fb::Copy> copy;
    switch (step.kind) {
    case StepKind::Launch: {
      const Launch &l = step.launch;
      std::vector<fb::BufferRef> refs;
      for (const BufferRef &ref : l.buffers)
        refs.push_back(runtime::pack(ref));
      auto maps = table(l.maps, [&](const TensorMap &map) {
        return fb::CreateTensorMap(b, map.operand, static_cast<uint8_t>(map.dtype), vector(map.extents),
                                   vector(map.strides), vector(map.box), static_cast<uint8_t>(map.swizzle));
      });
      launch = fb::CreateLaunch(b, l.kernel, b.CreateVectorOfStructs(refs), vector(l.counts), l.grid[0],
                                l.grid[1], l.grid[2], l.items, maps, vector(l.shares));
      break;
    }
    case StepKind::Product: {
      const Product &p = step.product;
      fb::MatrixRef ma = runtime::pack(p.a), mb = runtime::pack(p.b), mc = runtime::pack(p.c),
                    md = runtime::pack(p.d);
      fb::BufferRef bias = runtime::pack(p.bias);
      product = fb::CreateProduct(b, p.m, p.n, p.k, p.batch, &ma, &mb, &mc, &md, p.alpha, p.beta,
                                  static_cast<uint8_t>(p.math), static_cast<uint8_t>(p.epilogue), &bias,
                                  static_cast<uint8_t>(p.biasType), vector(p.algorithm));
      break;
    }
    case StepKind::Copy: {
      fb::BufferRef source = runtime::pack(step.copy.source),
                    destination = runtime::pack(step.copy.destination);
      copy = fb::CreateCopy(b, &source, &destination, step.copy.bytes);
      break;
    }
    }
    return fb::CreateStep(b, static_cast<uint8_t>(step.kind), static_cast<uint8_t>(step.phase), launch,
                          product, copy, string(step.label), string(step.location));
  }

  flatbuffers::FlatBufferBuilder &b;
};

flatbuffers::Offset<fb::Plan> Writer::pack(const Plan &plan) {
  auto symbols = table(plan.symbols, [&](const SymbolValue &symbol) {
    return fb::CreateSymbolValue(b, string(symbol.name), symbol.value);
  });
  auto buffers = table(plan.buffers, [&](const Buffer &buffer) { return this->buffer(buffer); });
  auto kernels = table(plan.kernels, [&](const Kernel &kernel) {
    return fb::CreateKernel(b, string(kernel.name), static_cast<uint8_t>(kernel.language),
                            string(kernel.source), vector(kernel.binary), string(kernel.target),
                            kernel.threads, kernel.sharedBytes);
  });
  auto steps = table(plan.steps, [&](const Step &step) { return this->step(step); });
  return fb::CreatePlan(b, string(plan.model), string(plan.device), string(plan.target),
                        string(plan.pipeline), string(plan.mode), string(plan.precision), symbols, buffers,
                        kernels, steps, plan.arenaBytes, plan.workspaceBytes, plan.matrixFlops);
}

//===----------------------------------------------------------------------===//
// FlatBuffer to Plan
//===----------------------------------------------------------------------===//
// The FlatBuffers verifier has been over the bytes: offsets are in bounds. Absent tables, strings and vectors
// are null and become empty; numbers of enumerations are checked by verifyPlan.

std::string text(const flatbuffers::String *string) { return string ? string->str() : std::string(); }

/// The FlatBuffers verifier checks that a vector is inside the file, but not that its elements are aligned:
/// they are copied and never read in place.
template <typename T>
std::vector<T> values(const flatbuffers::Vector<T> *vector) {
  std::vector<T> out(vector ? vector->size() : 0);
  if (!out.empty())
    std::memcpy(out.data(), vector->Data(), out.size() * sizeof(T));
  return out;
}

BufferRef unpack(const fb::BufferRef *ref) {
  return ref ? BufferRef{ref->buffer(), ref->byte_offset()} : BufferRef();
}

MatrixRef unpack(const fb::MatrixRef *matrix) {
  if (!matrix)
    return {};
  return {unpack(&matrix->ref()), static_cast<DType>(matrix->dtype()), matrix->ld(), matrix->batch_stride(),
          matrix->transposed()};
}

Buffer unpack(const fb::Buffer &in) {
  Buffer out;
  out.name = text(in.name());
  out.role = static_cast<BufferRole>(in.role());
  out.dtype = static_cast<DType>(in.dtype());
  out.shape = values(in.shape());
  out.bytes = in.bytes();
  out.offset = in.offset();
  out.firstStep = in.first_step();
  out.lastStep = in.last_step();
  out.indexLimit = in.index_limit();
  out.panel = in.panel();
  out.pitch = in.pitch();
  out.ignoredIndex = in.ignored_index();
  if (in.parts())
    for (const fb::ParameterPart *part : *in.parts())
      out.parts.push_back({text(part->name()), values(part->shape()), part->element_offset(),
                           static_cast<InitKind>(part->init()), part->scale()});
  out.data = values(in.data());
  out.location = text(in.location());
  return out;
}

Kernel unpack(const fb::Kernel &in) {
  Kernel out;
  out.name = text(in.name());
  out.language = static_cast<KernelLanguage>(in.language());
  out.source = text(in.source());
  out.binary = values(in.binary());
  out.target = text(in.target());
  out.threads = in.threads();
  out.sharedBytes = in.shared_bytes();
  return out;
}

StatusOr<Step> unpack(const fb::Step &in, size_t index) {
  Step out;
  out.kind = static_cast<StepKind>(in.kind());
  out.phase = static_cast<Phase>(in.phase());
  out.label = text(in.label());
  out.location = text(in.location());
  bool found = false;
  if (const fb::Launch *launch = in.launch(); launch && out.kind == StepKind::Launch) {
    found = true;
    out.launch.kernel = launch->kernel();
    if (const auto *refs = launch->buffers())
      for (flatbuffers::uoffset_t i = 0; i < refs->size(); ++i) {
        fb::BufferRef ref; // Copied, as in `values`.
        std::memcpy(&ref, refs->Data() + i * sizeof ref, sizeof ref);
        out.launch.buffers.push_back(unpack(&ref));
      }
    out.launch.counts = values(launch->counts());
    out.launch.grid = {launch->grid_x(), launch->grid_y(), launch->grid_z()};
    out.launch.items = launch->items();
    out.launch.shares = values(launch->shares());
    if (const auto *maps = launch->maps())
      for (const fb::TensorMap *map : *maps)
        out.launch.maps.push_back({map->operand(), static_cast<DType>(map->dtype()), values(map->extents()),
                                   values(map->strides()), values(map->box()),
                                   static_cast<Swizzle>(map->swizzle())});
  }
  if (const fb::Product *p = in.product(); p && out.kind == StepKind::Product) {
    found = true;
    Product &to = out.product;
    to.m = p->m();
    to.n = p->n();
    to.k = p->k();
    to.batch = p->batch();
    to.a = unpack(p->a());
    to.b = unpack(p->b());
    to.c = unpack(p->c());
    to.d = unpack(p->d());
    to.alpha = p->alpha();
    to.beta = p->beta();
    to.math = static_cast<MathMode>(p->math());
    to.epilogue = static_cast<Epilogue>(p->epilogue());
    to.bias = unpack(p->bias());
    to.biasType = static_cast<DType>(p->bias_type());
    to.algorithm = values(p->algorithm());
  }
  if (const fb::Copy *copy = in.copy(); copy && out.kind == StepKind::Copy) {
    found = true;
    out.copy = {unpack(copy->source()), unpack(copy->destination()), copy->bytes()};
  }
  if (!found)
    return invalidInput("step " + std::to_string(index) + ": nothing of the step's kind " +
                        std::to_string(in.kind()) + " is stored");
  return out;
}

StatusOr<Plan> unpack(const fb::Plan &in) {
  Plan out;
  out.model = text(in.model());
  out.device = text(in.device());
  out.target = text(in.target());
  out.pipeline = text(in.pipeline());
  out.mode = text(in.mode());
  out.precision = text(in.precision());
  if (in.symbols())
    for (const fb::SymbolValue *symbol : *in.symbols())
      out.symbols.push_back({text(symbol->name()), symbol->value()});
  if (in.buffers())
    for (const fb::Buffer *buffer : *in.buffers())
      out.buffers.push_back(unpack(*buffer));
  if (in.kernels())
    for (const fb::Kernel *kernel : *in.kernels())
      out.kernels.push_back(unpack(*kernel));
  if (in.steps())
    for (const fb::Step *step : *in.steps()) {
      HEDDLE_ASSIGN_OR_RETURN(Step unpacked, unpack(*step, out.steps.size()));
      out.steps.push_back(std::move(unpacked));
    }
  out.arenaBytes = in.arena_bytes();
  out.workspaceBytes = in.workspace_bytes();
  out.matrixFlops = in.matrix_flops();
  return out;
}

/// An upper estimate, to refuse what FlatBuffers would only assert about.
uint64_t estimatedBytes(const Plan &plan) {
  uint64_t bytes = 4096;
  for (const Buffer &buffer : plan.buffers)
    bytes +=
        512 + buffer.data.size() + buffer.name.size() + buffer.location.size() + 256 * buffer.parts.size();
  for (const Kernel &kernel : plan.kernels)
    bytes += 512 + kernel.source.size() + kernel.binary.size();
  for (const Step &step : plan.steps)
    bytes += 1024 + 16 * step.launch.buffers.size() + 8 * step.launch.counts.size() +
             8 * step.launch.shares.size() + 256 * step.launch.maps.size() + step.product.algorithm.size() +
             step.label.size() + step.location.size();
  return bytes;
}

} // namespace

StatusOr<std::vector<uint8_t>> writePlan(const Plan &plan) {
  if (Status status = verifyPlan(plan); !status.isOk())
    return internalError("the plan to be written is wrong: " + status.message());
  if (uint64_t bytes = estimatedBytes(plan); bytes > (uint64_t{1} << 31) - 1)
    return invalidInput("the plan is too large for its file format: about " + std::to_string(bytes) +
                        " bytes, at most 2147483647");
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  fb::FinishPlanBuffer(builder, Writer(builder).pack(plan));
  std::span<const uint8_t> content(builder.GetBufferPointer(), builder.GetSize());
  Hash128 hash = hash128(content);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kArtifactVersion;
  header.contentBytes = content.size();
  header.hashLow = hash.low;
  header.hashHigh = hash.high;
  std::vector<uint8_t> bytes(sizeof header + content.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, content.data(), content.size());
  return bytes;
}

Status writePlanFile(const Plan &plan, const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, writePlan(plan));
  return writeFile(path, bytes);
}

StatusOr<Plan> readPlan(std::span<const uint8_t> bytes) {
  Header header;
  if (bytes.empty())
    return invalidInput("not a plan: the file is empty");
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    return invalidInput("not a plan: a plan begins with HEDDLEPL");
  if (bytes.size() < sizeof header)
    return invalidInput("the plan is truncated: its header has " + std::to_string(sizeof header) +
                        " bytes, found " + std::to_string(bytes.size()));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kArtifactVersion)
    return invalidInput("the plan has format version " + std::to_string(header.version) +
                        ", this program reads version " + std::to_string(kArtifactVersion) +
                        "; compile the model again");
  std::span<const uint8_t> content = bytes.subspan(sizeof header);
  if (content.size() != header.contentBytes)
    return invalidInput(std::string("the plan is ") +
                        (content.size() < header.contentBytes ? "truncated" : "damaged") +
                        ": its content has " + std::to_string(header.contentBytes) + " bytes, found " +
                        std::to_string(content.size()));
  Hash128 hash = hash128(content), wanted{header.hashHigh, header.hashLow};
  if (hash != wanted || header.zero != 0)
    return invalidInput("the plan is damaged: checksum " + wanted.hex() + " wanted, found " + hash.hex());
  if (content.empty()) // memcpy takes no null pointer, not even for nothing.
    return invalidInput("the plan is malformed: its content is empty");
  // FlatBuffers reads in place and wants alignment, which the caller's bytes need not have.
  std::vector<uint64_t> aligned((content.size() + 7) / 8);
  std::memcpy(aligned.data(), content.data(), content.size());
  auto *data = reinterpret_cast<const uint8_t *>(aligned.data());
  // Tables are bounded by the bytes that they take, not by the verifier's default of a million.
  flatbuffers::Verifier verifier(data, content.size(), /*max_depth=*/16,
                                 /*max_tables=*/static_cast<flatbuffers::uoffset_t>(content.size() / 4 + 1));
  if (!fb::VerifyPlanBuffer(verifier))
    return invalidInput("the plan is malformed: its tables do not verify");
  HEDDLE_ASSIGN_OR_RETURN(Plan plan, unpack(*fb::GetPlan(data)));
  HEDDLE_RETURN_IF_ERROR(verifyPlan(plan));
  return plan;
}

bool isPlanFile(const std::string &path) {
  StatusOr<RandomAccessFile> file = RandomAccessFile::open(path);
  uint8_t begin[sizeof kMagic];
  return file.isOk() && file->size() >= sizeof begin && file->read(0, begin).isOk() &&
         std::memcmp(begin, kMagic, sizeof kMagic) == 0;
}

StatusOr<Plan> readPlanFile(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  StatusOr<Plan> plan = readPlan(file.bytes());
  if (!plan.isOk())
    return std::move(plan).status().with(path);
  return plan;
}

} // namespace heddle::runtime
