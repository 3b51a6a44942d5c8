//===- CpuProduct.cpp - Matrix products on the CPU ------------------------===//
#include "runtime/product/CpuProduct.h"

#include "runtime/base/Convert.h"
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/product/Epilogue.h"
#include "runtime/product/OpenBlas.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace heddle::runtime {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// How one matrix of the batch is cut.
struct Grid {
  int64_t tileM, tileN, tilesM, tilesN;
};

/// The cut with the least work on the busiest thread. Besides its multiply-adds, a tile packs its share of a
/// and b, at about the cost of `pack` multiply-adds an element. Tiles are multiples of 32, so that only the
/// last is ragged.
Grid chooseGrid(const Product &p, int threads) {
  constexpr int64_t unit = 32;
  constexpr double pack = 16;
  Grid best{p.m, p.n, 1, 1};
  double bestCost = -1;
  for (int64_t wantM = 1; wantM <= threads && wantM <= ceilDiv(p.m, unit); ++wantM)
    for (int64_t wantN = 1; wantM * wantN <= int64_t{2} * threads && wantN <= ceilDiv(p.n, unit); ++wantN) {
      Grid grid;
      grid.tileM = std::min(p.m, ceilDiv(ceilDiv(p.m, wantM), unit) * unit);
      grid.tileN = std::min(p.n, ceilDiv(ceilDiv(p.n, wantN), unit) * unit);
      grid.tilesM = ceilDiv(p.m, grid.tileM);
      grid.tilesN = ceilDiv(p.n, grid.tileN);
      double rounds = static_cast<double>(ceilDiv(p.batch * grid.tilesM * grid.tilesN, threads));
      double m = static_cast<double>(grid.tileM), n = static_cast<double>(grid.tileN);
      double cost = rounds * (m * n + pack * (m + n));
      if (bestCost < 0 || cost < bestCost) {
        best = grid;
        bestCost = cost;
      }
    }
  // Narrow tiles: what a thread packs of b (tileN x k) stays in its second-level cache. 3 to 4 % faster than
  // tiles of 1536 and 3072 columns for study:small at 512 tokens (heddle bench --profile, 2 cores, AVX-512).
  constexpr int64_t widest = 384;
  if (best.tileN > widest) {
    best.tileN = ceilDiv(ceilDiv(p.n, ceilDiv(p.n, widest)), unit) * unit;
    best.tilesN = ceilDiv(p.n, best.tileN);
  }
  return best;
}

/// Rows [row, row + rows) × columns of one matrix, in row-major terms of what is multiplied.
struct View {
  const void *data;
  DType dtype;
  int64_t ld;
  bool transposed;

  View(const MatrixRef &matrix, const void *base, int64_t batch, int64_t row, int64_t column)
      : dtype(matrix.dtype), ld(matrix.ld), transposed(matrix.transposed) {
    int64_t element = batch * matrix.batchStride + (transposed ? column * ld + row : row * ld + column);
    data = static_cast<const char *>(base) + element * sizeOf(dtype);
  }
};

/// Copies a stored block to dense float32.
Status widenBlock(DType dtype, const void *source, int64_t rows, int64_t columns, int64_t ld,
                  float *destination, int64_t destinationLd) {
  for (int64_t i = 0; i < rows; ++i)
    HEDDLE_RETURN_IF_ERROR(widenToF32(dtype, static_cast<const char *>(source) + i * ld * sizeOf(dtype),
                                      destination + i * destinationLd, columns));
  return Status::ok();
}

/// An operand as sgemm takes it: in place where it is float32, else widened to `panel`.
struct Operand {
  const float *data;
  int64_t ld;

  static StatusOr<Operand> make(const View &view, int64_t rows, int64_t columns, float *panel) {
    if (view.transposed)
      std::swap(rows, columns);
    // With one stored row any ld is legal in a plan, but BLAS wants it to hold the row.
    if (view.dtype == DType::F32)
      return Operand{static_cast<const float *>(view.data), std::max(view.ld, columns)};
    HEDDLE_RETURN_IF_ERROR(widenBlock(view.dtype, view.data, rows, columns, view.ld, panel, columns));
    return Operand{panel, columns};
  }
};

/// Panels of narrow operands: 256 rows of a and 512 columns of b with all of k stay in the second and third
/// cache.
constexpr int64_t kPanelM = 256, kPanelN = 512;

class TileTask {
public:
  TileTask(const Product &p, const void *a, const void *b, const void *c, const void *bias, void *d)
      : p(p), a(a), b(b), c(c), bias(bias), d(d) {
    narrow = p.a.dtype != DType::F32 || p.b.dtype != DType::F32 || p.d.dtype != DType::F32;
    inPlace = c == d && p.c.dtype == p.d.dtype && p.c.ld == p.d.ld && p.c.batchStride == p.d.batchStride;
  }

  int64_t scratchFloats(const Grid &grid) const {
    int64_t m = std::min(grid.tileM, kPanelM), n = std::min(grid.tileN, kPanelN);
    return narrow ? m * p.k + n * p.k + m * n + grid.tileN : grid.tileN;
  }

  Status run(int64_t batch, int64_t row, int64_t column, int64_t rows, int64_t columns,
             float *scratch) const {
    const float *biasRow = nullptr;
    if (hasBias(p.epilogue)) {
      HEDDLE_RETURN_IF_ERROR(widenToF32(
          p.biasType, static_cast<const char *>(bias) + column * sizeOf(p.biasType), scratch, columns));
      biasRow = scratch;
      scratch += columns;
    }
    if (!narrow)
      return block(batch, row, column, rows, columns, biasRow, nullptr, nullptr, nullptr);
    // Widened once per panel of columns; rows within it.
    for (int64_t j = 0; j < columns; j += kPanelN) {
      int64_t n = std::min(kPanelN, columns - j);
      float *panelB = scratch;
      HEDDLE_ASSIGN_OR_RETURN(Operand wideB,
                              Operand::make(View(p.b, b, batch, 0, column + j), p.k, n, panelB));
      for (int64_t i = 0; i < rows; i += kPanelM) {
        int64_t m = std::min(kPanelM, rows - i);
        float *panelA = panelB + n * p.k;
        HEDDLE_RETURN_IF_ERROR(block(batch, row + i, column + j, m, n, biasRow ? biasRow + j : nullptr,
                                     &wideB, panelA, panelA + m * p.k));
      }
    }
    return Status::ok();
  }

private:
  /// One block: its sum, epilogue and store. `tile` is where a narrow result is summed.
  Status block(int64_t batch, int64_t row, int64_t column, int64_t m, int64_t n, const float *biasRow,
               const Operand *wideB, float *panelA, float *tile) const {
    int64_t element = batch * p.d.batchStride + row * p.d.ld + column;
    char *store = static_cast<char *>(d) + element * sizeOf(p.d.dtype);
    bool direct = p.d.dtype == DType::F32;
    float *sum = direct ? reinterpret_cast<float *>(store) : tile;
    int64_t ld = direct ? std::max(p.d.ld, n) : n;
    auto beta = static_cast<float>(p.beta);
    if (beta != 0.0f && !(direct && inPlace)) {
      View from(p.c, c, batch, row, column);
      HEDDLE_RETURN_IF_ERROR(widenBlock(from.dtype, from.data, m, n, from.ld, sum, ld));
    }
    if (p.k > 0) {
      HEDDLE_ASSIGN_OR_RETURN(Operand wideA, Operand::make(View(p.a, a, batch, row, 0), m, p.k, panelA));
      Operand operandB{nullptr, 0};
      if (wideB)
        operandB = *wideB;
      else {
        HEDDLE_ASSIGN_OR_RETURN(Operand inPlaceB,
                                Operand::make(View(p.b, b, batch, 0, column), p.k, n, nullptr));
        operandB = inPlaceB;
      }
      sgemm(p.a.transposed, p.b.transposed, m, n, p.k, static_cast<float>(p.alpha), wideA.data, wideA.ld,
            operandB.data, operandB.ld, beta, sum, ld);
    } else {
      // An empty sum: nothing of it may be read where beta is 0.
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          sum[i * ld + j] = beta == 0.0f ? 0.0f : beta * sum[i * ld + j];
    }
    applyEpilogue(p.epilogue, sum, m, n, ld, biasRow);
    if (direct)
      return Status::ok();
    for (int64_t i = 0; i < m; ++i)
      HEDDLE_RETURN_IF_ERROR(
          narrowFromF32(p.d.dtype, sum + i * ld, store + i * p.d.ld * sizeOf(p.d.dtype), n));
    return Status::ok();
  }

  const Product &p;
  const void *a, *b, *c, *bias;
  void *d;
  bool narrow, inPlace;
};

} // namespace

StatusOr<std::unique_ptr<CpuProducts>> CpuProducts::create(ThreadPool &pool) {
  HEDDLE_ASSIGN_OR_RETURN(std::string library, prepareOpenBlas());
  return std::unique_ptr<CpuProducts>(new CpuProducts(pool, std::move(library)));
}

Status CpuProducts::run(const Product &product, const void *a, const void *b, const void *c, const void *bias,
                        void *d) {
  std::string_view algorithm(reinterpret_cast<const char *>(product.algorithm.data()),
                             product.algorithm.size());
  if (algorithm.empty() && product.epilogue == Epilogue::SiluMul)
    return invalidInput("the library's products have no epilogue that multiplies two halves");
  if (algorithm.empty())
    return runLibrary(product, a, b, c, bias, d);
  std::optional<int64_t> panel = tiledPanel(algorithm);
  if (!panel)
    return invalidInput("a product's algorithm on the CPU must be none, '" + std::string(kTiledProduct) +
                        "' or '" + tiledAlgorithm(kPanelV3) + "' or '" + tiledAlgorithm(kPanelV4) +
                        "', found " + std::to_string(algorithm.size()) + " other bytes");
  return tiled_.run(product, *panel, a, b, c, bias, d);
}

Status CpuProducts::runLibrary(const Product &product, const void *a, const void *b, const void *c,
                               const void *bias, void *d) {
  const Product &p = product;
  for (int64_t size : {p.m, p.n, p.k, p.a.ld, p.b.ld, p.d.ld})
    if (size > INT_MAX)
      return invalidInput(
          "a product's sizes and leading dimensions on the CPU must be below 2147483648, found " +
          std::to_string(size));
  HEDDLE_RETURN_IF_ERROR(reserveOpenBlas(pool_.threads()));
  Grid grid = chooseGrid(p, pool_.threads());
  TileTask task(p, a, b, c, bias, d);
  auto floats = static_cast<size_t>(task.scratchFloats(grid));
  int64_t tiles = grid.tilesM * grid.tilesN;
  std::vector<Status> statuses(scratch_.size());
  pool_.parallelFor(p.batch * tiles, 1, [&](int64_t begin, int64_t end, int thread) {
    std::vector<float> &scratch = scratch_[static_cast<size_t>(thread)];
    try {
      if (scratch.size() < floats)
        scratch.resize(floats);
    } catch (const std::bad_alloc &) { // Must not leave a worker's function.
      statuses[static_cast<size_t>(thread)] = outOfMemory(
          "no memory for a product's working tile: " + std::to_string(floats * sizeof(float)) + " bytes");
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      int64_t batch = i / tiles, row = i % tiles / grid.tilesN * grid.tileM,
              column = i % tiles % grid.tilesN * grid.tileN;
      Status status = task.run(batch, row, column, std::min(grid.tileM, p.m - row),
                               std::min(grid.tileN, p.n - column), scratch.data());
      if (!status.isOk())
        statuses[static_cast<size_t>(thread)] = std::move(status);
    }
  });
  for (Status &status : statuses)
    HEDDLE_RETURN_IF_ERROR(std::move(status));
  return Status::ok();
}

} // namespace heddle::runtime
