// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of rows by index: row v of the result is the sum of the source's rows whose index is v, in the order
// of the indices. A block owns a range of the result's rows and a chunk of their columns, so that nobody
// shares a sum: it lists the rows of the source that belong to its own, sorted by row and then by position,
// and adds them up in registers, several under way at once. Every element of the result is written once. Each
// block reads the indices twice, mostly from the caches. Nothing depends on who comes first: the bits are the
// same in every run.

#ifndef HEDDLE_DEVICE_ROW_SUMS_CUH
#define HEDDLE_DEVICE_ROW_SUMS_CUH

#include "async.cuh"
#include "row.cuh"

namespace heddle {

/// Rows of the result that a block owns, at most: the launch has blocks enough.
constexpr int kRowSumsRange = 256;
/// Rows of the source that a block lists at once.
constexpr int kRowSumsList = 1024;
/// Warps of a block, at most.
constexpr int kRowSumsWarps = 8;

/// A block's dynamic shared memory. Own rows are counted from the block's first.
struct RowSumsShared {
  int counts[kRowSumsRange];     ///< How many rows of the source belong to each own row.
  int starts[kRowSumsRange + 1]; ///< The counts before each own row, summed.
  int warps[kRowSumsWarps];      ///< How many rows of the source each warp has found.
  /// Positions in the source and their own rows, in order of position; then the same sorted by own row.
  int found[kRowSumsList], sorted[kRowSumsList];
  short foundRow[kRowSumsList], sortedRow[kRowSumsList];
};

/// One thread of a block of kThreads; groups of kRowThreads share a row, each with kVector columns of it.
template <int kWidth, int kVector, int kThreads, int kRowThreads, typename Source, typename Index,
          typename Out>
struct RowSums {
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kGroups = kThreads / kRowThreads;
  /// Blocks that share a range of rows.
  static constexpr int kChunks = ceil_div(kWidth, kRowThreads *kVector);
  /// Indices that a lane has under way, and rows of the source that a thread has: 128 bytes of them.
  static constexpr int kIndices = 8;
  static constexpr int kRows = kVector * int(sizeof(Source)) > 8 ? 128 / (kVector * int(sizeof(Source))) : 16;
  static_assert(kThreads % kWarpSize == 0 && kWarps <= kRowSumsWarps && kGroups >= 1 && kWidth % kVector == 0,
                "what legalisation keeps to");

  /// A thread's columns of one row of the source as they came: what waits in registers is not unpacked.
  static constexpr int kAccess = kAccessWidth<Source, kVector>;
  using Word = typename AccessWord<kAccess *int(sizeof(Source))>::type;
  struct Columns {
    Word words[kVector / kAccess];
  };

  RowSumsShared &shared;
  const Source *source;
  long long stride;
  const Index *indices;
  int count;
  Out *out;
  long long first; ///< The first own row.
  int owned;       ///< How many there are.
  int column;      ///< The thread's first column.
  bool active;     ///< Whether the thread has columns.

  /// Calls visit(position, own row) for this warp's part of the indices [begin, end), in order and by all
  /// lanes at a time. The row lies outside of [0, owned) where it is no row of the block, or no position.
  template <typename Visit>
  __device__ void scan(int begin, int end, Visit visit) const {
    const int lane = threadIdx.x % kWarpSize;
    const int part = round_up(ceil_div(end - begin, kWarps), kWarpSize);
    begin += part * int(threadIdx.x / kWarpSize);
    end = end - begin < part ? end : begin + part;
    for (int at = begin; at < end; at += kWarpSize * kIndices) {
      long long rows[kIndices];
#pragma unroll
      for (int i = 0; i < kIndices; ++i) {
        const int position = at + i * kWarpSize + lane;
        rows[i] = position < end ? (long long)indices[position] - first : -1;
      }
#pragma unroll
      for (int i = 0; i < kIndices; ++i)
        visit(at + i * kWarpSize + lane, rows[i]);
    }
  }

  /// Counts what belongs to each own row, and what each warp finds.
  __device__ void count_rows() const {
    for (int row = threadIdx.x; row < owned; row += kThreads)
      shared.counts[row] = 0;
    __syncthreads();
    int mine = 0;
    scan(0, count, [&](int, long long row) {
      const bool own = row >= 0 && row < owned;
      if (own)
        atomicAdd(&shared.counts[row], 1);
      mine += __popc(__ballot_sync(~0u, own));
    });
    if (threadIdx.x % kWarpSize == 0)
      shared.warps[threadIdx.x / kWarpSize] = mine;
    __syncthreads();
    for (int row = threadIdx.x; row <= owned; row += kThreads) {
      int before = 0;
      for (int other = 0; other < row; ++other)
        before += shared.counts[other];
      shared.starts[row] = before;
    }
    __syncthreads();
  }

  /// Lists the positions [begin, end) that belong to the own rows [low, high), in order; returns how many
  /// there are, which the list must hold. `counted`: shared.warps says already what each warp finds.
  __device__ int list(int low, int high, int begin, int end, bool counted) const {
    const int warp = threadIdx.x / kWarpSize, lane = threadIdx.x % kWarpSize;
    if (!counted) {
      int mine = 0;
      scan(begin, end,
           [&](int, long long row) { mine += __popc(__ballot_sync(~0u, row >= low && row < high)); });
      if (lane == 0)
        shared.warps[warp] = mine;
      __syncthreads(); // From here on nobody reads an earlier list.
    }
    int place = 0, all = 0;
    for (int other = 0; other < kWarps; ++other) {
      place += other < warp ? shared.warps[other] : 0;
      all += shared.warps[other];
    }
    if (shared.warps[warp] != 0)
      scan(begin, end, [&](int position, long long row) {
        const bool wanted = row >= low && row < high;
        const unsigned int lanes = __ballot_sync(~0u, wanted);
        if (wanted) {
          const int to = place + __popc(lanes & ((1u << lane) - 1));
          shared.found[to] = position;
          shared.foundRow[to] = short(row);
        }
        place += __popc(lanes);
      });
    __syncthreads();
    return all;
  }

  /// Sorts `all` positions that belong to own rows from `low` on; equal rows keep their order.
  __device__ void sort(int low, int all) const {
    for (int entry = threadIdx.x; entry < all; entry += kThreads) {
      const short row = shared.foundRow[entry];
      int place = shared.starts[row] - shared.starts[low];
      for (int earlier = 0; earlier < entry; ++earlier)
        place += shared.foundRow[earlier] == row;
      shared.sorted[place] = shared.found[entry];
      shared.sortedRow[place] = row;
    }
    __syncthreads();
  }

  /// Calls add(entry, the thread's columns) for the entries [begin, end) of a list of positions, in order.
  template <typename Add>
  __device__ void read(const int *positions, int begin, int end, Add add) const {
    for (int at = begin; at < end; at += kRows) {
      Columns rows[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        if (at + i < end) {
          const Source *from = source + positions[at + i] * stride + column;
#pragma unroll
          for (int part = 0; part < kVector / kAccess; ++part)
            rows[i].words[part] = *reinterpret_cast<const Word *>(from + part * kAccess);
        }
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        if (at + i < end)
          add(at + i, rows[i]);
    }
  }

  __device__ void write(int row, const float (&sum)[kVector]) const {
    Out lanes[kVector];
#pragma unroll
    for (int i = 0; i < kVector; ++i)
      lanes[i] = from_float<Out>(sum[i]);
    store_lanes(out + (first + row) * kWidth + column, lanes);
  }

  static __device__ void accumulate(float (&sum)[kVector], const Columns &columns) {
#pragma unroll
    for (int part = 0; part < kVector / kAccess; ++part) {
      Source lanes[kAccess];
      memcpy(lanes, &columns.words[part], sizeof(Word));
#pragma unroll
      for (int i = 0; i < kAccess; ++i)
        sum[part * kAccess + i] += to_float(lanes[i]);
    }
  }

  /// An own row that more belongs to than a list holds: one list after the other.
  __device__ void sum_long_row(int row) const {
    float sum[kVector] = {};
    for (int begin = 0; begin < count; begin += kRowSumsList) {
      const int end = count - begin < kRowSumsList ? count : begin + kRowSumsList;
      const int all = list(row, row + 1, begin, end, /*counted=*/false);
      if (active && threadIdx.x < kRowThreads)
        read(shared.found, 0, all, [&](int, const Columns &columns) { accumulate(sum, columns); });
    }
    if (active && threadIdx.x < kRowThreads)
      write(row, sum);
  }

  /// The own rows [low, high), whose sorted list begins at own row `listed`.
  __device__ void sum_rows(int low, int high, int listed) const {
    float sum[kVector] = {};
    for (int row = low; row < high; ++row)
      if (shared.counts[row] == 0)
        write(row, sum);
    int current = -1;
    const int before = shared.starts[listed];
    read(shared.sorted, shared.starts[low] - before, shared.starts[high] - before,
         [&](int entry, const Columns &columns) {
           const int row = shared.sortedRow[entry];
           if (row != current) {
             if (current >= 0)
               write(current, sum);
             current = row;
#pragma unroll
             for (int i = 0; i < kVector; ++i)
               sum[i] = 0.0f;
           }
           accumulate(sum, columns);
         });
    if (current >= 0)
      write(current, sum);
  }

  /// The rows from `low` on that one list holds; at least one.
  __device__ int rows_of_list(int low) const {
    int least = low + 1, most = owned;
    while (least < most) {
      const int middle = (least + most + 1) / 2;
      if (shared.starts[middle] - shared.starts[low] <= kRowSumsList)
        least = middle;
      else
        most = middle - 1;
    }
    return least;
  }

  __device__ void run() const {
    count_rows();
    const int group = threadIdx.x / kRowThreads;
    for (int low = 0; low < owned;) {
      const int high = rows_of_list(low), all = shared.starts[high] - shared.starts[low];
      if (all > kRowSumsList) {
        sum_long_row(low);
      } else {
        if (all != 0) {
          list(low, high, 0, count, /*counted=*/high - low == owned);
          sort(low, all);
        }
        if (active && group < kGroups)
          sum_rows(low + (high - low) * group / kGroups, low + (high - low) * (group + 1) / kGroups, low);
      }
      low = high;
    }
  }
};

/// out[rows, kWidth] from source[count rows, `stride` elements apart] and their indices. The grid has kChunks
/// blocks for each range of rows, and kThreads threads a block.
template <int kWidth, int kVector, int kThreads, int kRowThreads, typename Source, typename Index,
          typename Out>
__device__ void row_sums(const Source *source, long long stride, const Index *indices, long long count,
                         Out *out, long long rows) {
  using Work = RowSums<kWidth, kVector, kThreads, kRowThreads, Source, Index, Out>;
  const int ranges = int(gridDim.x) / Work::kChunks;
  const long long each = (rows + ranges - 1) / ranges, first = blockIdx.x / Work::kChunks * each;
  const int column =
      (int(blockIdx.x) % Work::kChunks * kRowThreads + int(threadIdx.x) % kRowThreads) * kVector;
  if (first < rows)
    Work{*reinterpret_cast<RowSumsShared *>(dynamic_shared()),
         source,
         stride,
         indices,
         int(count),
         out,
         first,
         int(rows - first < each ? rows - first : each),
         column,
         column < kWidth}
        .run();
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ROW_SUMS_CUH
