#include "attention_backward_simt.cuh"
#include "row.cuh"

struct Score {
  static constexpr bool kCausal = false;
  static constexpr bool kHasScore = true;
  static constexpr bool kHasMask = false;
  const float *__restrict__ bias;
  long long queries;
  long long keys;
  __device__ float score(float s, int b, int h, int i, int j) const {
    const long long head = h;
    const long long query = i;
    const long long key = j;
    return s + bias[head * queries * keys + query * keys + key];
  }
  __device__ bool keep(int b, int h, int i, int j) const { return true; }
};

static_assert(heddle::AttentionBackwardSimtShape<64, 64, 32, 128, 8>::kSharedBytes == 122240, "the launch's shared memory");

extern "C" __global__ void __launch_bounds__(256, 1) attention_bias_gradient_f32(
    const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
    const float *__restrict__ g, const float *__restrict__ statistics, const float *__restrict__ delta,
    float *__restrict__ dbias, const float *__restrict__ bias, long long batch, long long heads,
    long long key_heads, long long queries, long long keys, long long q_batch, long long q_head,
    long long q_row, long long k_batch, long long k_head, long long k_row, long long v_batch,
    long long v_head, long long v_row, long long g_batch, long long g_head, long long g_row,
    long long dbias_batch, long long dbias_heads) {
  heddle::AttentionBackwardParams<float> params = {};
  params.q = q;
  params.k = k;
  params.v = v;
  params.dout = g;
  params.statistics = statistics;
  params.delta = delta;
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
  params.scale = 0.125f;
  heddle::AttentionBiasGradient gradient;
  gradient.data = dbias;
  gradient.batch = int(dbias_batch);
  gradient.heads = int(dbias_heads);
  gradient.batch_stride = dbias_heads * queries * keys;
  gradient.head_stride = queries * keys;
  gradient.row_stride = keys;
  const Score score = {bias, queries, keys};
  heddle::attention_backward_bias<float, 64, 64, 32, 128, 8, Score, true>(params, gradient, score);
}
