//===- VerifySteps.cpp - Bounds of a step's operands ----------------------===//
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/plan/Verify.h"

namespace heddle::runtime {

namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// Of a launch on the CPU: no memory has so many elements, and shares of it are far from overflow.
constexpr int64_t kMostItems = int64_t{1} << 47;

/// One step of one plan, with the words for its messages.
class StepVerifier {
public:
  StepVerifier(const Plan &plan, const Step &step)
      : plan(plan), index(static_cast<int64_t>(&step - plan.steps.data())), step(step) {}

  Status run() {
    switch (step.kind) {
    case StepKind::Launch:
      return launch(step.launch);
    case StepKind::Product:
      return product(step.product);
    case StepKind::Copy:
      HEDDLE_RETURN_IF_ERROR(range("source", step.copy.source, step.copy.bytes));
      return range("destination", step.copy.destination, step.copy.bytes);
    }
    return invalidInput("unknown kind " + number(static_cast<int64_t>(step.kind)));
  }

private:
  /// `bytes` from the reference on are inside a buffer that is alive and stored in panels of `panel` rows.
  Status range(const std::string &what, const BufferRef &ref, int64_t bytes, int64_t panel = 0) {
    auto count = static_cast<int64_t>(plan.buffers.size());
    if (ref.buffer < 0 || ref.buffer >= count)
      return invalidInput(what + ": wanted a buffer below " + number(count) + ", found " +
                          number(ref.buffer));
    const Buffer &buffer = plan.buffers[static_cast<size_t>(ref.buffer)];
    if (bytes < 0 || ref.byteOffset < 0 || ref.byteOffset > buffer.bytes ||
        bytes > buffer.bytes - ref.byteOffset)
      return invalidInput(what + ": bytes " + number(ref.byteOffset) + " to " + number(ref.byteOffset) + "+" +
                          number(bytes) + " are outside " + detail::describe(plan, ref.buffer) + " of " +
                          number(buffer.bytes));
    if (buffer.panel != panel)
      return invalidInput(what + ": " + detail::describe(plan, ref.buffer) + " wanted " + panels(panel) +
                          ", found " + panels(buffer.panel));
    if (!livesThroughout(buffer) && (index < buffer.firstStep || index > buffer.lastStep))
      return invalidInput(what + ": " + detail::describe(plan, ref.buffer) + " lives from step " +
                          number(buffer.firstStep) + " to " + number(buffer.lastStep));
    return Status::ok();
  }

  Status launch(const Launch &launch) {
    auto kernels = static_cast<int64_t>(plan.kernels.size());
    if (launch.kernel < 0 || launch.kernel >= kernels)
      return invalidInput("wanted a kernel below " + number(kernels) + ", found " + number(launch.kernel));
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (launch.buffers[i].buffer != -1) // How much the kernel touches is the kernel's own affair.
        HEDDLE_RETURN_IF_ERROR(range("operand " + std::to_string(i), launch.buffers[i], 0));
    if (plan.device == "cpu") {
      if (!launch.maps.empty())
        return invalidInput("wanted no tensor maps for device cpu, found " +
                            std::to_string(launch.maps.size()));
      if (launch.items < 0 || launch.items > kMostItems)
        return invalidInput("items: wanted 0 to " + number(kMostItems) + ", found " + number(launch.items));
      return shares(launch, launch.items);
    }
    // The bounds of CUDA: 2^31-1, 65535, 65535.
    const int64_t most[3] = {2147483647, 65535, 65535};
    for (int axis = 0; axis < 3; ++axis)
      if (launch.grid[axis] < 1 || launch.grid[axis] > most[axis])
        return invalidInput("grid[" + std::to_string(axis) + "]: wanted 1 to " + number(most[axis]) +
                            ", found " + number(launch.grid[axis]));
    for (size_t i = 0; i < launch.maps.size(); ++i)
      HEDDLE_RETURN_IF_ERROR(map("tensor map " + std::to_string(i), launch, launch.maps[i]));
    return shares(launch, launch.grid[1] == 1 && launch.grid[2] == 1 ? launch.grid[0] : 0);
  }

  /// The instances of a batched launch have as many operands each, and together `whole` blocks or items.
  Status shares(const Launch &launch, int64_t whole) {
    if (launch.shares.empty())
      return Status::ok();
    size_t instances = launch.shares.size();
    if (!launch.maps.empty())
      return invalidInput("wanted no tensor maps for " + std::to_string(instances) + " instances, found " +
                          std::to_string(launch.maps.size()));
    if (launch.buffers.size() % instances != 0 || launch.counts.size() % instances != 0)
      return invalidInput("wanted as many operands for each of " + std::to_string(instances) +
                          " instances, found " + std::to_string(launch.buffers.size()) + " buffers and " +
                          std::to_string(launch.counts.size()) + " counts");
    int64_t left = whole;
    for (size_t i = 0; i < instances; ++i) {
      if (launch.shares[i] < 0 || launch.shares[i] > left)
        return invalidInput("shares[" + std::to_string(i) + "]: wanted 0 to the " + number(left) +
                            " that are left, found " + number(launch.shares[i]));
      left -= launch.shares[i];
    }
    if (left != 0)
      return invalidInput("shares: wanted " + number(whole) + " together, found " + number(whole - left));
    return Status::ok();
  }

  /// The driver's own conditions (cuTensorMapEncodeTiled), and that the buffer holds what is described.
  Status map(const std::string &what, const Launch &launch, const TensorMap &map) {
    auto between = [&](const std::string &name, int64_t value, int64_t least, int64_t most) -> Status {
      if (value >= least && value <= most)
        return Status::ok();
      return invalidInput(what + ": " + name + ": wanted " + number(least) + " to " + number(most) +
                          ", found " + number(value));
    };
    HEDDLE_RETURN_IF_ERROR(
        between("operand", map.operand, 0, static_cast<int64_t>(launch.buffers.size()) - 1));
    if (!isFloating(map.dtype))
      return invalidInput(what + ": wanted f32, bf16 or f16, found " + std::string(nameOf(map.dtype)));
    HEDDLE_RETURN_IF_ERROR(between("swizzle", static_cast<int64_t>(map.swizzle), 0, 3));
    size_t rank = map.extents.size();
    HEDDLE_RETURN_IF_ERROR(between("extents", static_cast<int64_t>(rank), 1, 5));
    if (map.strides.size() != rank - 1 || map.box.size() != rank)
      return invalidInput(what + ": wanted " + std::to_string(rank - 1) + " strides and a box of " +
                          std::to_string(rank) + ", found " + std::to_string(map.strides.size()) + " and " +
                          std::to_string(map.box.size()));
    const int64_t size = sizeOf(map.dtype);
    __int128 bytes = size; // Up to the last element, inclusive; 128 bits hold any extents and strides.
    for (size_t i = 0; i < rank; ++i) {
      std::string index = "[" + std::to_string(i) + "]";
      HEDDLE_RETURN_IF_ERROR(between("extents" + index, map.extents[i], 1, int64_t{1} << 32));
      HEDDLE_RETURN_IF_ERROR(between("box" + index, map.box[i], 1, 256));
      int64_t stride = size;
      if (i > 0) {
        stride = map.strides[i - 1];
        std::string name = "strides[" + std::to_string(i - 1) + "]";
        HEDDLE_RETURN_IF_ERROR(between(name, stride, 16, (int64_t{1} << 40) - 16));
        if (stride % 16 != 0)
          return invalidInput(what + ": " + name + ": wanted a multiple of 16, found " + number(stride));
      }
      bytes += static_cast<__int128>(map.extents[i] - 1) * stride;
    }
    // A swizzled row lies within the span that it is permuted in.
    int64_t row = map.box[0] * size;
    int64_t most = map.swizzle == Swizzle::None ? 1024 : int64_t{16} << static_cast<int>(map.swizzle);
    if (row % 16 != 0 || row > most)
      return invalidInput(what + ": box[0]: wanted a multiple of 16 bytes up to " + number(most) +
                          ", found " + number(row));
    const BufferRef &ref = launch.buffers[static_cast<size_t>(map.operand)];
    if (ref.byteOffset % 16 != 0)
      return invalidInput(what + ": wanted an operand at a multiple of 16 bytes, found byte " +
                          number(ref.byteOffset));
    return range(what, ref, bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes));
  }

  Status matrix(const std::string &what, const MatrixRef &matrix, int64_t rows, int64_t columns,
                int64_t batch, int64_t panel = 0) {
    if (!isFloating(matrix.dtype))
      return invalidInput(what + ": wanted f32, bf16 or f16, found " + std::string(nameOf(matrix.dtype)));
    if (matrix.transposed)
      std::swap(rows, columns);
    if (matrix.ld < 0 || matrix.batchStride < 0)
      return invalidInput(what + ": strides " + number(matrix.ld) + " and " + number(matrix.batchStride) +
                          ": wanted none below zero");
    if (rows > 1 && matrix.ld < columns)
      return invalidInput(what + ": ld wanted at least " + number(columns) + ", found " + number(matrix.ld));
    int64_t size = sizeOf(matrix.dtype);
    if (matrix.ref.byteOffset % size != 0)
      return invalidInput(what + ": byte offset " + number(matrix.ref.byteOffset) + " is not a multiple of " +
                          number(size));
    int64_t bytes = 0;
    if (rows > 0 && columns > 0) {
      // Of the last element, plus one; 128 bits hold any stride and batch.
      __int128 elements = static_cast<__int128>(batch - 1) * matrix.batchStride +
                          static_cast<__int128>(rows - 1) * matrix.ld + columns;
      bytes = elements > INT64_MAX / size ? INT64_MAX : static_cast<int64_t>(elements) * size;
    }
    return range(what, matrix.ref, bytes, panel);
  }

  static std::string panels(int64_t panel) {
    return panel == 0 ? "rows" : "panels of " + number(panel) + " rows";
  }

  /// b is all of its buffer, and halves of columns begin with a panel.
  Status inPanels(const Product &p, int64_t panel) {
    const Buffer &buffer = plan.buffers[static_cast<size_t>(p.b.ref.buffer)];
    bool whole = p.b.transposed && p.b.ref.byteOffset == 0 &&
                 buffer.shape == std::vector<int64_t>{p.n, p.k} && p.b.ld == p.k &&
                 p.b.dtype == buffer.dtype && p.batch == 1;
    if (!whole)
      return invalidInput("b: wanted one product with all of " + detail::describe(plan, p.b.ref.buffer) +
                          ", transposed, which is stored in " + panels(panel));
    if (p.epilogue == Epilogue::SiluMul && resultColumns(p) % panel != 0)
      return invalidInput("b: wanted halves of whole " + panels(panel) + ", found n " + number(p.n));
    return Status::ok();
  }

  Status product(const Product &p) {
    if (p.m < 1 || p.n < 1 || p.batch < 1 || p.k < 0)
      return invalidInput("product of m " + number(p.m) + ", n " + number(p.n) + ", k " + number(p.k) +
                          ", batch " + number(p.batch) + ": wanted all above zero (k may be zero)");
    if (p.math > MathMode::Low)
      return invalidInput("unknown math mode " + number(static_cast<int64_t>(p.math)));
    if (p.epilogue > Epilogue::SiluMul)
      return invalidInput("unknown epilogue " + number(static_cast<int64_t>(p.epilogue)));
    HEDDLE_RETURN_IF_ERROR(matrix("a", p.a, p.m, p.k, p.batch));
    std::optional<int64_t> tiled;
    if (plan.device == "cpu")
      tiled = tiledPanel({reinterpret_cast<const char *>(p.algorithm.data()), p.algorithm.size()});
    int64_t panel = tiled.value_or(0);
    HEDDLE_RETURN_IF_ERROR(matrix("b", p.b, p.k, p.n, p.batch, panel));
    if (panel > 0)
      HEDDLE_RETURN_IF_ERROR(inPanels(p, panel));
    if (p.epilogue == Epilogue::SiluMul && !tiled)
      return invalidInput("an epilogue that multiplies two halves is for the CPU's algorithm '" +
                          std::string(kTiledProduct) + "' alone");
    if (p.epilogue == Epilogue::SiluMul && (p.n % 2 != 0 || p.c.ref.present()))
      return invalidInput("an epilogue that multiplies two halves wants an even n and no c, found n " +
                          number(p.n) + (p.c.ref.present() ? " and c" : ""));
    HEDDLE_RETURN_IF_ERROR(matrix("d", p.d, p.m, resultColumns(p), p.batch));
    if (p.d.transposed || (p.c.ref.present() && p.c.transposed))
      return invalidInput("c and d must not be transposed");
    if (p.batch > 1 && p.d.batchStride == 0)
      return invalidInput("d: " + number(p.batch) +
                          " matrices with batch stride 0 would be written over each other");
    if (p.c.ref.present())
      HEDDLE_RETURN_IF_ERROR(matrix("c", p.c, p.m, p.n, p.batch));
    else if (p.beta != 0.0)
      return invalidInput("beta is " + std::to_string(p.beta) + " and c is absent");
    bool low = p.math == MathMode::Low;
    if ((p.a.dtype == DType::F32) == low || p.a.dtype != p.b.dtype)
      return invalidInput(std::string("a and b: wanted both ") + (low ? "bf16 or both f16" : "f32") +
                          ", found " + std::string(nameOf(p.a.dtype)) + " and " +
                          std::string(nameOf(p.b.dtype)));
    bool wantsBias = hasBias(p.epilogue);
    if (wantsBias != p.bias.present())
      return invalidInput(wantsBias ? "the epilogue wants a bias, found none"
                                    : "the epilogue takes no bias, found one");
    if (wantsBias) {
      if (!isFloating(p.biasType))
        return invalidInput("bias: wanted f32, bf16 or f16, found " + std::string(nameOf(p.biasType)));
      HEDDLE_RETURN_IF_ERROR(range("bias", p.bias, p.n * sizeOf(p.biasType)));
    }
    return Status::ok();
  }

  const Plan &plan;
  const int64_t index;
  const Step &step;
};

} // namespace

Status detail::verifyStep(const Plan &plan, const Step &step) { return StepVerifier(plan, step).run(); }

} // namespace heddle::runtime
