// Check of whether both entries of each edge have the same weight, for a GPU; ../weights.py describes the
// method and launches it.
//
// Result: two sums modulo 2^64 over all entries, and the least and the largest key; the same on every schedule.
//
// Cost: the entries are read once, and `indptr` several times. Races: none.

enum { FORWARD, BACKWARD, LOWEST, HIGHEST };

DEVICE u64 hash_of_key(u64 key) { return second_hash(first_hash((i64)(key >> 32)) + (key & 0xffffffffull)); }

KERNEL(5) compare_directions(i64 n, i64 entries, const offset* indptr, const vertex* indices, const BITS* bits,
                              i64 flip, i64* results) {
  Weights weights = {bits, flip, 0, 0};
  u64 forward = 0, backward = 0;
  i64 lowest = 0, highest = 0;
  each_entry(n, entries, indptr, [&](i64 u, i64 e) {
    u64 key = key_at(e, weights), hash = hash_of_key(key), of_u = first_hash(u), of_v = first_hash(indices[e]);
    forward += of_u * (hash * second_hash(of_v) & MASK_63);
    backward += second_hash(of_u) * (hash * of_v & MASK_63);
    lowest = min(lowest, (i64)key), highest = max(highest, (i64)key);
  });
  for (int by = WARP / 2; by; by /= 2) {
    forward += __shfl_xor_sync(ALL_LANES, forward, by), backward += __shfl_xor_sync(ALL_LANES, backward, by);
    lowest = min(lowest, __shfl_xor_sync(ALL_LANES, lowest, by));
    highest = max(highest, __shfl_xor_sync(ALL_LANES, highest, by));
  }
  if (lane_id() == 0) {
    atomicAdd(results + FORWARD, (i64)forward), atomicAdd(results + BACKWARD, (i64)backward);
    atomicMin(results + LOWEST, lowest), atomicMax(results + HIGHEST, highest);
  }
}
