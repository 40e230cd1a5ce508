// Hashes of vertices, as in _core/csr/facts.py: sums of their products indicate whether a pattern is symmetric.

#define MASK_63 0x7fffffffffffffffull

DEVICE u64 first_hash(i64 v) {
  u64 x = ((u64)v + 0x2545f4914f6cdd1dull) * 0x1e3779b97f4a7c15ull & MASK_63;
  return x ^ (x >> 32);
}

DEVICE u64 second_hash(u64 first) {
  u64 x = first * (first ^ 0x3f58476d1ce4e5b8ull) & MASK_63;
  return x ^ (x >> 29);
}
