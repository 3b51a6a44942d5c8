#include "attention_backward_simt.cuh"
#include "row.cuh"

struct Score {
  static constexpr bool kCausal = false;
  static constexpr bool kHasScore = false;
  static constexpr bool kHasMask = true;
  const int *__restrict__ ids;
  long long keys;
  __device__ float score(float s, int b, int h, int i, int j) const { return s; }
  __device__ bool keep(int b, int h, int i, int j) const {
    const long long batch_index = b;
    const long long key = j;
    return ids[batch_index * keys + key] >= 2;
  }
};

static_assert(heddle::AttentionBackwardSimtShape<32, 32, 32, 128, 8>::kSharedBytes == 81280, "the launch's shared memory");

extern "C" __global__ void __launch_bounds__(256, 1) attention_backward_padding_f32(
    const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
    const float *__restrict__ g, const float *__restrict__ statistics, const float *__restrict__ delta,
    float *dq, float *__restrict__ dk, float *__restrict__ dv, int *turns, const int *__restrict__ ids,
    long long batch, long long heads, long long key_heads, long long queries, long long keys,
    long long q_batch, long long q_head, long long q_row, long long k_batch, long long k_head,
    long long k_row, long long v_batch, long long v_head, long long v_row, long long g_batch,
    long long g_head, long long g_row, long long dq_batch, long long dq_head, long long dq_row,
    long long dk_batch, long long dk_head, long long dk_row, long long dv_batch, long long dv_head,
    long long dv_row) {
  heddle::AttentionBackwardParams<float> params = {};
  params.q = q;
  params.k = k;
  params.v = v;
  params.dout = g;
  params.statistics = statistics;
  params.delta = delta;
  params.dq = dq;
  params.dk = dk;
  params.dv = dv;
  params.turns = turns;
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
  params.dk_batch = dk_batch;
  params.dk_head = dk_head;
  params.dk_row = dk_row;
  params.dv_batch = dv_batch;
  params.dv_head = dv_head;
  params.dv_row = dv_row;
  params.scale = 0.17677669f;
  const Score score = {ids, keys};
  heddle::attention_backward_keys<float, 32, 32, 32, 128, 8, Score, true>(params, score);
}
