//===- TiledProduct.cpp - Heddle's own products on the CPU ----------------===//
#include "runtime/product/TiledProduct.h"

#include "runtime/base/Convert.h"
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/product/Epilogue.h"
#include "runtime/product/TiledKernels.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace heddle::runtime {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

constexpr int64_t kBlock = 16; ///< Rows and columns that are transposed at once.

constexpr int64_t kLine = 16; ///< Elements of a cache line.

/// How much of a is packed at a time: as many rows as leave a tile's sums and its panels of b (256 and 384
/// KiB with AVX-512) in a second-level cache of 1 MiB, while a comes from the third; fewer where all of k
/// would be more than 16 MiB.
constexpr int64_t kChunkRows = 512, kChunkElements = int64_t{4} << 20;

/// Panels of b side by side in a tile, at the most. Each block of a that comes from the third-level cache is
/// used for so many panels; the tile's and, on their way, the next tile's share the second level.
constexpr int64_t kTilePanels = 4;

/// Columns of the product that make one of the result.
int64_t halves(const Product &p) { return p.n / resultColumns(p); }

/// How `rows` × resultColumns are cut: tiles of tileM × tileN, multiples of a panel's size.
struct Grid {
  int64_t tileM, tileN, tilesM, tilesN;
};

/// The cut with the least work on the busiest thread. Besides its multiply-adds a tile brings its share of a
/// and b into the cache, at about the cost of `load` multiply-adds an element.
Grid chooseGrid(int64_t rows, const Product &p, int threads, const TiledKernels &kernels) {
  constexpr double load = 8;
  int64_t n = resultColumns(p), most = kTilePanels / halves(p);
  Grid best{};
  double bestCost = -1;
  int64_t panelsM = ceilDiv(rows, kernels.rows), panelsN = ceilDiv(n, kernels.columns);
  for (int64_t wantM = 1; wantM <= std::min<int64_t>(threads, panelsM); ++wantM)
    for (int64_t panels = 1; panels <= std::min(most, panelsN); ++panels) {
      Grid grid;
      grid.tileM = ceilDiv(panelsM, wantM) * kernels.rows;
      grid.tileN = panels * kernels.columns;
      grid.tilesM = ceilDiv(rows, grid.tileM);
      grid.tilesN = ceilDiv(n, grid.tileN);
      auto rounds = static_cast<double>(ceilDiv(grid.tilesM * grid.tilesN, threads));
      auto tileM = static_cast<double>(grid.tileM), tileN = static_cast<double>(grid.tileN);
      double cost = rounds * (tileM * tileN + load * (tileM + tileN));
      if (bestCost < 0 || cost < bestCost) {
        best = grid;
        bestCost = cost;
      }
    }
  return best;
}

/// A stored matrix of one of the three float types.
struct Stored {
  DType dtype;
  const char *data;
  int64_t ld;

  const char *at(int64_t row, int64_t column) const { return data + (row * ld + column) * sizeOf(dtype); }

  /// `count` elements of a row as float32: in place, or widened to `wide`.
  const float *row(int64_t row, int64_t column, int64_t count, float *wide) const {
    if (dtype == DType::F32)
      return reinterpret_cast<const float *>(at(row, column));
    // The plan's verifier admits these types alone, so that nothing can fail.
    (void)widenToF32(dtype, at(row, column), wide, count);
    return wide;
  }
};

/// destination[j * ld + i] = source(row + i, column + j), zero for i from `rows` to the next multiple of
/// kBlock below `padded`. `wide` holds kBlock × kTiledDepth elements.
void packTransposed(const TiledKernels &kernels, const Stored &source, int64_t row, int64_t column,
                    int64_t rows, int64_t columns, int64_t padded, float *destination, int64_t ld,
                    float *wide) {
  float block[kBlock * kBlock], turned[kBlock * kBlock];
  for (int64_t i = 0; i < padded; i += kBlock) {
    int64_t height = std::clamp<int64_t>(rows - i, 0, kBlock);
    const float *from[kBlock];
    for (int64_t r = 0; r < height; ++r)
      from[r] = source.row(row + i + r, column, columns, wide + r * kTiledDepth);
    bool regular = height == kBlock && i + kBlock <= padded;
    // Rows of a stored float32 matrix are source.ld apart, widened ones kTiledDepth.
    int64_t fromLd = source.dtype == DType::F32 ? source.ld : kTiledDepth;
    for (int64_t j = 0; j < columns; j += kBlock) {
      int64_t width = std::min(kBlock, columns - j);
      if (regular && width == kBlock) {
        kernels.transpose16(from[0] + j, fromLd, destination + j * ld + i, ld);
        continue;
      }
      std::memset(block, 0, sizeof(block));
      for (int64_t r = 0; r < height; ++r)
        std::memcpy(block + r * kBlock, from[r] + j, static_cast<size_t>(width) * sizeof(float));
      kernels.transpose16(block, kBlock, turned, kBlock);
      for (int64_t c = 0; c < width; ++c)
        std::memcpy(destination + (j + c) * ld + i, turned + c * kBlock,
                    static_cast<size_t>(std::min(kBlock, padded - i)) * sizeof(float));
    }
  }
}

/// One matrix of the batch.
class Matrix {
public:
  /// `panelled`: b is stored in panels of kernels.columns (runtime/plan/Panels.h).
  Matrix(const Product &p, const TiledKernels &kernels, bool panelled, int64_t batch, const void *a,
         const void *b, const void *c, const float *bias, void *d)
      : p(p), kernels(kernels), panelled(panelled), a(stored(p.a, a, batch)), b(stored(p.b, b, batch)),
        c(stored(p.c, c, batch)), bias(bias),
        d(static_cast<char *>(d) + batch * p.d.batchStride * sizeOf(p.d.dtype)) {}

  /// Whether the inner loops read a where it is stored: its rows are what they want.
  static bool readsInPlace(const Product &p) { return p.a.dtype == DType::F32 && !p.a.transposed; }

  /// Packs panel number `panel` of the rows from `row` on: its rows kTiledRowStride apart, a block of k after
  /// the other. Rows beyond `rows` are left as they are: what multiplies them is not stored.
  void packA(int64_t row, int64_t rows, int64_t panel, float *packed, float *wide) const {
    int64_t first = panel * kernels.rows, count = std::min(kernels.rows, rows - first);
    for (int64_t l = 0; l < p.k; l += kTiledDepth) {
      int64_t depth = std::min(kTiledDepth, p.k - l);
      float *to = packed + blockOfA(l, panelsOf(rows)) + first * kTiledRowStride;
      if (p.a.transposed)
        packTransposed(kernels, a, l, row + first, depth, count, roundUp(depth, kBlock), to, kTiledRowStride,
                       wide);
      else
        for (int64_t i = 0; i < count; ++i) {
          const float *from = a.row(row + first + i, l, depth, wide);
          std::memcpy(to + i * kTiledRowStride, from, static_cast<size_t>(depth) * sizeof(float));
        }
    }
  }

  int64_t panelsOf(int64_t rows) const { return ceilDiv(rows, kernels.rows); }
  /// Where the block of k from l on begins among the packed rows.
  int64_t blockOfA(int64_t l, int64_t panels) const {
    return l / kTiledDepth * panels * kernels.rows * kTiledRowStride;
  }

  /// The elements of a thread's scratch.
  static int64_t scratchElements(const Product &p, const Grid &grid) {
    constexpr int64_t wide = kBlock * kTiledDepth; // What packing widens: kBlock rows, or one row of a tile.
    return halves(p) * (grid.tileN * kTiledDepth + grid.tileM * grid.tileN) + wide;
  }

  struct Tile {
    int64_t row, column, rows, columns;
  };

  /// The sums of a tile, then its epilogue and store. `chunkRow` is the first of the `chunkRows` packed rows.
  void tile(const Tile &tile, int64_t chunkRow, int64_t chunkRows, const float *packedA, float *scratch,
            const Grid &grid) const {
    float *packedB = scratch, *sums = packedB + halves(p) * grid.tileN * kTiledDepth,
          *wide = sums + halves(p) * grid.tileM * grid.tileN;
    int64_t ld = halves(p) * widthOf(tile);
    int64_t firstPanel = (tile.row - chunkRow) / kernels.rows;
    if (p.k == 0) {
      std::memset(sums, 0, static_cast<size_t>(tile.rows * ld) * sizeof(float));
      return finish(tile, 0, sums, ld, wide);
    }
    // Panels that need neither epilogue nor conversion: the last block of k stores them where they belong.
    int64_t direct = storesDirectly() ? tile.columns / kernels.columns * kernels.columns : 0;
    bool packsByItself = !panelled && !p.b.transposed && b.dtype == DType::F32;
    for (int64_t l = 0; l < p.k; l += kTiledDepth) {
      int64_t depth = std::min(kTiledDepth, p.k - l);
      bool last = l + depth == p.k;
      for (int64_t j = 0; j < ld; j += kernels.columns)
        if (Panel panel = panelAt(tile, j);
            !isPacked(panel) && (!packsByItself || panel.columns < kernels.columns))
          packB(panel, l, depth, packedB + j * kTiledDepth, wide);
      const float *blockA =
          packedA + blockOfA(l, panelsOf(chunkRows)) + firstPanel * kernels.rows * kTiledRowStride;
      // A panel of a comes once from the third-level cache and meets every panel of b, which are in the
      // second.
      for (int64_t i = 0; i < tile.rows; i += kernels.rows)
        for (int64_t j = 0; j < ld; j += kernels.columns) {
          int64_t rows = std::min(kernels.rows, tile.rows - i);
          TiledKernels::Block block;
          block.depth = depth;
          block.chain = p.m <= kTiledFewRows ? kTiledShortChain : kTiledChain;
          bool inPlace = readsInPlace(p);
          block.a = inPlace ? a.row(tile.row + i, l, 0, nullptr) : blockA + i * kTiledRowStride;
          block.aLd = inPlace ? a.ld : kTiledRowStride;
          block.panel = packedB + j * kTiledDepth;
          Panel panel = panelAt(tile, j);
          bool packs = i == 0 && packsByItself && panel.columns == kernels.columns;
          block.b = packs             ? b.row(l, panel.column, 0, nullptr)
                    : isPacked(panel) ? reinterpret_cast<const float *>(inPanel(panel, l))
                                      : block.panel;
          block.bLd = packs ? b.ld : kernels.columns;
          block.to = sums + i * ld + j;
          block.toLd = ld;
          block.from = l > 0 ? block.to : nullptr;
          block.fromLd = ld;
          if (j < direct) {
            if (l == 0 && p.beta == 1.0) {
              block.from = c.row(tile.row + i, tile.column + j, 0, nullptr);
              block.fromLd = c.ld;
            }
            if (last) {
              block.to = reinterpret_cast<float *>(d) + (tile.row + i) * p.d.ld + tile.column + j;
              block.toLd = p.d.ld;
            }
          }
          (packs ? kernels.multiplyAndPack : kernels.multiply)[rows - 1](block);
        }
    }
    finish(tile, direct, sums, ld, wide);
  }

private:
  static Stored stored(const MatrixRef &matrix, const void *base, int64_t batch) {
    return {matrix.dtype,
            static_cast<const char *>(base) + (base ? batch * matrix.batchStride * sizeOf(matrix.dtype) : 0),
            matrix.ld};
  }

  /// Columns of b that are multiplied together, from `column` on.
  struct Panel {
    int64_t column, columns;
  };

  /// The columns of a tile's sums, one half of them.
  int64_t widthOf(const Tile &tile) const { return roundUp(tile.columns, kernels.columns); }

  /// The panel whose sums begin at column j of a tile's.
  Panel panelAt(const Tile &tile, int64_t j) const {
    int64_t half = j / widthOf(tile), within = j % widthOf(tile);
    return {half * resultColumns(p) + tile.column + within, std::min(kernels.columns, tile.columns - within)};
  }

  /// Whether the inner loops read the panel where it is stored; the last one may be narrower than they want.
  bool isPacked(const Panel &panel) const {
    return panelled && b.dtype == DType::F32 && panel.columns == kernels.columns;
  }

  /// Row l of a panel of a matrix stored in panels; the rows are panel.columns apart.
  const char *inPanel(const Panel &panel, int64_t l) const {
    return b.data + (panel.column * p.k + l * panel.columns) * sizeOf(b.dtype);
  }

  /// Whether the sums are what is stored: c may only be added as it is.
  bool storesDirectly() const {
    return p.d.dtype == DType::F32 && p.alpha == 1.0 && p.epilogue == Epilogue::None &&
           (p.beta == 0.0 || (p.beta == 1.0 && c.dtype == DType::F32));
  }

  /// A panel's rows from l on, depth × kernels.columns; what lies beyond its columns is zero.
  void packB(const Panel &panel, int64_t l, int64_t depth, float *packed, float *wide) const {
    if (!panelled && p.b.transposed)
      return packTransposed(kernels, b, panel.column, l, panel.columns, depth, kernels.columns, packed,
                            kernels.columns, wide);
    for (int64_t i = 0; i < depth; ++i) {
      const float *from = panelled ? Stored{b.dtype, inPanel(panel, l + i), 0}.row(0, 0, panel.columns, wide)
                                   : b.row(l + i, panel.column, panel.columns, wide);
      float *to = packed + i * kernels.columns;
      std::memcpy(to, from, static_cast<size_t>(panel.columns) * sizeof(float));
      std::memset(to + panel.columns, 0,
                  static_cast<size_t>(kernels.columns - panel.columns) * sizeof(float));
    }
  }

  /// Stores the columns of a tile from `first` on.
  void finish(const Tile &tile, int64_t first, float *sums, int64_t ld, float *wide) const {
    auto alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
    int64_t columns = tile.columns - first, column = tile.column + first;
    for (int64_t i = 0; i < tile.rows && columns > 0; ++i) {
      float *row = sums + i * ld + first;
      if (alpha != 1.0f)
        for (int64_t j = 0; j < ld - first; ++j)
          row[j] *= alpha;
      if (p.epilogue == Epilogue::SiluMul)
        siluMultiply(row, row + widthOf(tile), columns);
      if (beta != 0.0f) {
        const float *from = c.row(tile.row + i, column, columns, wide);
        for (int64_t j = 0; j < columns; ++j)
          row[j] += beta * from[j];
      }
      applyEpilogue(p.epilogue, row, 1, columns, ld, bias ? bias + column : nullptr);
      // As Stored::row: nothing can fail.
      (void)narrowFromF32(p.d.dtype, row, d + ((tile.row + i) * p.d.ld + column) * sizeOf(p.d.dtype),
                          columns);
    }
  }

  const Product &p;
  const TiledKernels &kernels;
  const bool panelled;
  Stored a, b, c;
  const float *bias;
  char *d;
};

static_assert(kTiledColumnsV3 == kPanelV3 && kTiledColumnsV4 == kPanelV4);

const TiledKernels &kernelsFor(CpuLevel level) {
  switch (level) {
  case CpuLevel::V4:
    return kTiledKernelsV4;
  case CpuLevel::V3:
    return kTiledKernelsV3;
  case CpuLevel::Baseline:
    break;
  }
  return kTiledKernelsBaseline;
}

} // namespace

TiledProducts::TiledProducts(ThreadPool &pool, CpuLevel level) : pool_(pool), level_(level) {}

Status TiledProducts::run(const Product &product, int64_t panel, const void *a, const void *b, const void *c,
                          const void *bias, void *d) {
  const Product &p = product;
  // Panels that a plan was made with tell the kernel. All levels from AVX2 on give the same bits.
  CpuLevel level = panel == kPanelV3 ? CpuLevel::V3 : panel == kPanelV4 ? CpuLevel::V4 : level_;
  if (level > level_)
    return unavailable("panels of " + std::to_string(panel) + " rows are for newer processors than this one");
  const TiledKernels &kernels = kernelsFor(level);
  std::vector<float> wideBias;
  if (hasBias(p.epilogue)) {
    wideBias.resize(static_cast<size_t>(p.n));
    HEDDLE_RETURN_IF_ERROR(widenToF32(p.biasType, bias, wideBias.data(), p.n));
  }
  int64_t blocks = std::max<int64_t>(ceilDiv(p.k, kTiledDepth), 1);
  // Chunks of one size, so that the last is no sliver.
  int64_t most =
      roundUp(std::clamp(kChunkElements / (blocks * kTiledDepth), kernels.rows, kChunkRows), kernels.rows);
  int64_t count = std::max<int64_t>(ceilDiv(p.m, most), 1),
          chunk = roundUp(ceilDiv(p.m, count), kernels.rows);
  // Threads share a matrix, or, where there are enough, take one each and need not wait for each other.
  const bool apart = p.batch > 1 && p.batch >= pool_.threads();
  const bool packsA = !Matrix::readsInPlace(p);
  struct Chunk {
    int64_t row, rows;
    Grid grid;
  };
  std::vector<Chunk> chunks;
  int64_t perThread = 0, elementsA = 0;
  for (int64_t row = 0; row < p.m; row += chunk) {
    int64_t rows = std::min(chunk, p.m - row);
    Grid grid = chooseGrid(rows, p, apart ? 1 : pool_.threads(), kernels);
    chunks.push_back({row, rows, grid});
    perThread = std::max(perThread, roundUp(Matrix::scratchElements(p, grid), kLine));
    if (packsA)
      elementsA = std::max(
          elementsA, roundUp(ceilDiv(rows, kernels.rows) * kernels.rows * blocks * kTiledRowStride, kLine));
  }
  int64_t allA = elementsA * (apart ? pool_.threads() : 1), all = perThread * pool_.threads();
  float *packedA = packsA ? packedA_.reserve(static_cast<size_t>(allA)) : nullptr;
  float *scratch = scratch_.reserve(static_cast<size_t>(all));
  if ((packsA && !packedA) || !scratch)
    return outOfMemory("no memory for a product's packed operands: " +
                       std::to_string((allA + all) * static_cast<int64_t>(sizeof(float))) + " bytes");

  // One matrix of the batch; `share(items, body)` has body(begin, end, thread) called for all items.
  auto multiply = [&](int64_t batch, float *rowsOfA, auto share) {
    Matrix matrix(p, kernels, panel > 0, batch, a, b, c, hasBias(p.epilogue) ? wideBias.data() : nullptr, d);
    for (const Chunk &part : chunks) {
      const Grid &grid = part.grid;
      if (packsA)
        share(matrix.panelsOf(part.rows), [&](int64_t begin, int64_t end, int thread) {
          for (int64_t index = begin; index < end; ++index)
            matrix.packA(part.row, part.rows, index, rowsOfA, scratch + thread * perThread);
        });
      auto tileAt = [&](int64_t i) {
        int64_t tileRow = i % grid.tilesM * grid.tileM, column = i / grid.tilesM * grid.tileN;
        return Matrix::Tile{part.row + tileRow, column, std::min(grid.tileM, part.rows - tileRow),
                            std::min(grid.tileN, resultColumns(p) - column)};
      };
      share(grid.tilesM * grid.tilesN, [&](int64_t begin, int64_t end, int thread) {
        for (int64_t i = begin; i < end; ++i) {
          matrix.tile(tileAt(i), part.row, part.rows, rowsOfA, scratch + thread * perThread, grid);
        }
      });
    }
  };
  if (apart)
    pool_.parallelFor(p.batch, 1, [&](int64_t begin, int64_t end, int thread) {
      for (int64_t batch = begin; batch < end; ++batch)
        multiply(batch, packedA ? packedA + thread * elementsA : nullptr,
                 [&](int64_t items, auto body) { body(int64_t{0}, items, thread); });
    });
  else
    for (int64_t batch = 0; batch < p.batch; ++batch)
      multiply(batch, packedA, [&](int64_t items, auto body) { pool_.parallelFor(items, 1, body); });
  return Status::ok();
}

} // namespace heddle::runtime
