#include "attention_backward_mma.cuh"
#include "row.cuh"

struct Score {
  static constexpr bool kCausal = true;
  static constexpr int kWindow = 100;
  static constexpr bool kHasScore = false;
  static constexpr bool kHasMask = false;
  __device__ float score(float s, int b, int h, int i, int j) const { return s; }
  __device__ bool keep(int b, int h, int i, int j) const { return true; }
};

static_assert(heddle::AttentionBackwardMmaShape<80, 80, 128, 64, 4, 2>::kSharedBytes == 91680, "the launch's shared memory");

extern "C" __global__ void __launch_bounds__(128, 2) attention_queries_window_f16(
    const heddle::f16 *__restrict__ q, const heddle::f16 *__restrict__ k,
    const heddle::f16 *__restrict__ v, const heddle::f16 *__restrict__ g,
    const float *__restrict__ statistics, const float *__restrict__ delta, heddle::f16 *__restrict__ dq,
    long long batch, long long heads, long long key_heads, long long queries, long long keys,
    long long q_batch, long long q_head, long long q_row, long long k_batch, long long k_head,
    long long k_row, long long v_batch, long long v_head, long long v_row, long long g_batch,
    long long g_head, long long g_row, long long dq_batch, long long dq_head, long long dq_row) {
  heddle::AttentionBackwardParams<heddle::f16> params = {};
  params.q = q;
  params.k = k;
  params.v = v;
  params.dout = g;
  params.statistics = statistics;
  params.delta = delta;
  params.dq = dq;
  params.batch = int(batch);
  params.heads = int(heads);
  params.kv_heads = int(key_heads);
  params.q_len = int(queries);
  params.kv_len = int(keys);
  params.q_batch = q_batch;
  params.q_head = q_head;
  params.q_row = q_row;
  params.k_batch = k_batch;
  params.k_head = k_head;
  params.k_row = k_row;
  params.v_batch = v_batch;
  params.v_head = v_head;
  params.v_row = v_row;
  params.dout_batch = g_batch;
  params.dout_head = g_head;
  params.dout_row = g_row;
  params.dq_batch = dq_batch;
  params.dq_head = dq_head;
  params.dq_row = dq_row;
  params.scale = 0.1118034f;
  const Score score = {};
  heddle::attention_backward_queries<heddle::f16, 80, 80, 128, 64, 4, 2, Score, false>(params, score);
}
