//===- Matmul.cpp - Matrix products in float64 ----------------------------===//
#include "runtime/base/CpuFeatures.h"
#include "runtime/reference/Ops.h"

#include <algorithm>

namespace heddle::runtime::reference {

namespace {

/// The block that stays in registers: 6 rows by 16 columns, taken two vectors wide.
constexpr int64_t kRows = 6, kColumns = 16;
/// The block of b that stays in the second cache: 256 × 256 doubles are 512 KiB.
constexpr int64_t kBlockK = 256, kBlockN = 256;

/// sums[kRows][kColumns] += a (rows with stride lda) · packed b (k × kColumns). A macro and not an inlined
/// function: GCC splits wide vectors to what a function's own target has, before it inlines.
#define HEDDLE_MICRO(NAME, TARGET, BYTES)                                                                    \
  TARGET void NAME(const double *a, int64_t lda, const double *packed, double *sums, int64_t k) {            \
    typedef double Vector __attribute__((vector_size(BYTES), aligned(8), may_alias));                        \
    constexpr int64_t lanes = (BYTES) / 8;                                                                   \
    for (int64_t column = 0; column < kColumns; column += 2 * lanes) {                                       \
      Vector left[kRows], right[kRows];                                                                      \
      for (int64_t i = 0; i < kRows; ++i) {                                                                  \
        left[i] = *reinterpret_cast<const Vector *>(sums + i * kColumns + column);                           \
        right[i] = *reinterpret_cast<const Vector *>(sums + i * kColumns + column + lanes);                  \
      }                                                                                                      \
      for (int64_t p = 0; p < k; ++p) {                                                                      \
        Vector b0 = *reinterpret_cast<const Vector *>(packed + p * kColumns + column);                       \
        Vector b1 = *reinterpret_cast<const Vector *>(packed + p * kColumns + column + lanes);               \
        _Pragma("GCC unroll 6") for (int64_t i = 0; i < kRows; ++i) {                                        \
          left[i] += a[i * lda + p] * b0;                                                                    \
          right[i] += a[i * lda + p] * b1;                                                                   \
        }                                                                                                    \
      }                                                                                                      \
      for (int64_t i = 0; i < kRows; ++i) {                                                                  \
        *reinterpret_cast<Vector *>(sums + i * kColumns + column) = left[i];                                 \
        *reinterpret_cast<Vector *>(sums + i * kColumns + column + lanes) = right[i];                        \
      }                                                                                                      \
    }                                                                                                        \
  }
HEDDLE_MICRO(microV4, HEDDLE_TARGET_V4, 64)
HEDDLE_MICRO(microV3, HEDDLE_TARGET_V3, 32)
HEDDLE_MICRO(microBaseline, , 16)

using Micro = void (*)(const double *a, int64_t lda, const double *packed, double *sums, int64_t k);

Micro bestMicro() {
  switch (cpuLevel()) {
  case CpuLevel::V4:
    return microV4;
  case CpuLevel::V3:
    return microV3;
  case CpuLevel::Baseline:
    break;
  }
  return microBaseline;
}

/// Copies columns [0, columns) of k rows of op(b) to a panel of kColumns, zeroes behind the last.
void pack(const double *b, int64_t ldb, bool transposed, int64_t k, int64_t columns, double *panel) {
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < kColumns; ++j)
      panel[p * kColumns + j] = j >= columns ? 0 : transposed ? b[j * ldb + p] : b[p * ldb + j];
}

} // namespace

void multiplyAdd(const double *a, int64_t lda, const double *b, int64_t ldb, bool transposeB, double *c,
                 int64_t ldc, int64_t m, int64_t n, int64_t k) {
  const Micro micro = bestMicro();
  std::vector<double> panels(static_cast<size_t>(kBlockK * (kBlockN + kColumns)));
  for (int64_t n0 = 0; n0 < n; n0 += kBlockN)
    for (int64_t k0 = 0; k0 < k; k0 += kBlockK) {
      int64_t blockN = std::min(kBlockN, n - n0), blockK = std::min(kBlockK, k - k0);
      for (int64_t j = 0; j < blockN; j += kColumns)
        pack(transposeB ? b + (n0 + j) * ldb + k0 : b + k0 * ldb + n0 + j, ldb, transposeB, blockK,
             std::min(kColumns, blockN - j), panels.data() + j * blockK);
      for (int64_t i = 0; i < m; i += kRows) {
        int64_t rows = std::min(kRows, m - i);
        // The last rows are computed from a copy, so that the inner loop need not know how many there are.
        double edge[kRows * kBlockK];
        const double *block = a + i * lda + k0;
        int64_t stride = lda;
        if (rows < kRows) {
          std::fill(edge, edge + kRows * kBlockK, 0.0);
          for (int64_t r = 0; r < rows; ++r)
            std::copy_n(block + r * lda, blockK, edge + r * kBlockK);
          block = edge;
          stride = kBlockK;
        }
        for (int64_t j = 0; j < blockN; j += kColumns) {
          int64_t columns = std::min(kColumns, blockN - j);
          double sums[kRows * kColumns] = {};
          for (int64_t r = 0; r < rows; ++r)
            std::copy_n(c + (i + r) * ldc + n0 + j, columns, sums + r * kColumns);
          micro(block, stride, panels.data() + j * blockK, sums, blockK);
          for (int64_t r = 0; r < rows; ++r)
            std::copy_n(sums + r * kColumns, columns, c + (i + r) * ldc + n0 + j);
        }
      }
    }
}

namespace {

/// a [..., M, K] times b [..., K, N] with equal leading sizes, or b [K, N] for all of a.
Status matmul(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  HEDDLE_RETURN_IF_ERROR(c.wantRank(0, 2));
  HEDDLE_RETURN_IF_ERROR(c.wantRank(1, 2));
  const Shape &a = c.operandShape(0), &b = c.operandShape(1);
  int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  bool shared = b.size() == 2;
  Shape wantedB(shared ? a.begin() + static_cast<ptrdiff_t>(a.size()) : a.begin(),
                a.end() - (shared ? 0 : 2));
  wantedB.insert(wantedB.end(), {k, n});
  HEDDLE_RETURN_IF_ERROR(c.wantShape("operand 1", b, wantedB));
  Shape wanted(a.begin(), a.end() - 1);
  wanted.push_back(n);
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), wanted));
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < a.size(); ++i)
    batch *= a[i];
  if (shared) { // One tall product.
    m *= batch;
    batch = 1;
  }
  std::fill(c.out.begin(), c.out.end(), 0.0);
  if (m == 0 || n == 0 || k == 0)
    return Status::ok();
  // Tiles of rows and columns; every tile's sums are in order of k whatever the tiles are.
  constexpr int64_t tileM = 96, tileN = 512;
  int64_t tilesM = (m + tileM - 1) / tileM, tilesN = (n + tileN - 1) / tileN;
  c.pool.parallelFor(batch * tilesM * tilesN, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t z = t / (tilesM * tilesN), j = t / tilesM % tilesN * tileN, i = t % tilesM * tileM;
      multiplyAdd(c.operand(0) + (z * m + i) * k, k, c.operand(1) + z * k * n + j, n, false,
                  c.result() + (z * m + i) * n + j, n, std::min(tileM, m - i), std::min(tileN, n - j), k);
    }
  });
  return Status::ok();
}

} // namespace

void addMatmul(Handlers &handlers) { handlers.insert({{"matmul", matmul}}); }

} // namespace heddle::runtime::reference
