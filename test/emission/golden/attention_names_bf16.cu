#include "attention_forward_wgmma.cuh"
#include "row.cuh"

struct Score {
  static constexpr bool kCausal = true;
  static constexpr bool kHasScore = true;
  static constexpr bool kHasMask = true;
  static constexpr bool kMaskOfKeys = true;
  const float *__restrict__ b_1;
  long long kHasMask_1;
  const bool *__restrict__ keep_1;
  long long keys;
  __device__ float score(float s, int b, int h, int i, int j) const {
    const long long head = h;
    const long long query = i;
    const long long key = j;
    return s + b_1[head * kHasMask_1 + query - key];
  }
  __device__ bool keep(int b, int h, int i, int j) const {
    const long long batch_index = b;
    const long long key = j;
    return keep_1[batch_index * keys + key] ^ true;
  }
};

static_assert(heddle::AttentionWgmmaShape<64, 64, 128, 64, 12, 2>::kSharedBytes == 49248, "the launch's shared memory");

extern "C" __global__ void __launch_bounds__(384, 1) attention_names_bf16(
    const heddle::bf16 *__restrict__ q, const heddle::bf16 *__restrict__ k,
    const heddle::bf16 *__restrict__ v, heddle::bf16 *__restrict__ out, const float *__restrict__ b_1,
    const bool *__restrict__ keep_1, long long batch, long long heads, long long key_heads,
    long long queries, long long keys, long long q_batch, long long q_head, long long q_row,
    long long k_batch, long long k_head, long long k_row, long long v_batch, long long v_head,
    long long v_row, long long out_batch, long long out_head, long long out_row, long long kHasMask_1,
    const __grid_constant__ heddle::TensorMap q_map, const __grid_constant__ heddle::TensorMap k_map,
    const __grid_constant__ heddle::TensorMap v_map) {
  heddle::AttentionParams<heddle::bf16> params;
  params.q = q;
  params.k = k;
  params.v = v;
  params.out = out;
  params.statistics = nullptr;
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
  params.out_batch = out_batch;
  params.out_head = out_head;
  params.out_row = out_row;
  params.scale = 0.125f;
  const Score score = {b_1, kHasMask_1, keep_1, keys};
  heddle::attention_forward<heddle::bf16, 64, 64, 128, 64, 12, 2, Score>(params, score, q_map, k_map, v_map);
}
