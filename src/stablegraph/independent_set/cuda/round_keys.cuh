// Round keys (../distance/round_keys.py): 32 bits in the random order, 63 with the order "degree". KEY is their type.

typedef KEY key;

#define IN ((key)0)
#define OUT (sizeof(key) == 4 ? (key)0xffffffffu : (key)0x7fffffffffffffffull)

struct RoundKeys {
  i64 hashed_round, bits, kept;  // negative `bits`: vertices keep their keys, which are places in an order
  const offset* degrees;  // null in the random order
};

DEVICE u32 scrambled(u64 x) {
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  return (u32)((x * 2685821657736338717ull - 1) >> 16);
}

// Return the key of a vertex in a round; `own` is its present key.
DEVICE key draw_key(i64 v, const RoundKeys& keys, key own) {
  if (keys.bits < 0) return own;
  u64 hash = scrambled(scrambled(v) ^ (u64)keys.hashed_round);
  u64 drawn = (hash << keys.bits & (u64)keys.kept) | (u64)(v + 1);
  if (keys.degrees) {  // four classes per power of two, from the bits of a float
    i64 quarters = (__float_as_int((float)max((i64)keys.degrees[v], (i64)1)) >> 21) - (127 << 2);
    drawn |= (u64)min(quarters, (i64)127) << 56;
  }
  return (key)drawn;
}
