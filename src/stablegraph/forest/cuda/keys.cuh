// Weights as integer keys in the same order (see ../weights.py), minus the smallest key.

struct Weights {
  const BITS* bits;
  i64 flip, bias, smallest;
};

DEVICE u64 key_at(i64 e, const Weights& weights) {
  i64 bits = weights.bits[e], negative = (bits >> 63) & weights.flip;
  return (u64)(((bits ^ negative) + (negative & 1)) ^ weights.bias) - (u64)weights.smallest;
}
