// Orders of the vertices (../greedy/order.py): one byte per vertex, and an exact rule for equal bytes.
//
// Each word contains the bytes of four vertices and is read and changed as a whole. On an H200, ECL-MIS with words and
// atomic operations takes about half the time of single bytes (R4 0.17 instead of 0.25 ms, KR 0.13 instead of 0.34 ms).

#define OUT 0u
#define IN 255u
#define TOP 253u
// The macro BY is the order, numbered as in ../rules.py. Each order is compiled separately, which takes fewer
// registers.
enum { BY_DEGREE, BY_HASH, BY_ID, BY_SMALLER_ID, BY_LARGER_DEGREE, BY_VALUE, BY_RATIO, BY_FLOAT_RATIO };

struct Order {
  i64 seed;
  const offset* degree_ptr;
  i64 less;  // the length of a row minus the number of neighbors
  const u64* values;
};

DEVICE i64 degree_of(i64 v, const Order& order) {
  return (i64)order.degree_ptr[v + 1] - (i64)order.degree_ptr[v] - order.less;
}

// A product of a 63-bit and a 31-bit number, and whether bits have been shifted out of it.
struct Product {
  u64 high;
  u64 low;  // 32 bits
  bool lost;
};

DEVICE Product product(u64 x, u64 a) {
  u64 low = (x & 0xffffffffull) * a;
  return {(x >> 32) * a + (low >> 32), low & 0xffffffffull, false};
}

DEVICE Product shifted(Product p, i64 s) {
  for (s = min(s, (i64)96); s >= 32; s -= 32) p = {p.high >> 32, p.high & 0xffffffffull, p.lost || p.low};
  u64 mask = ((u64)1 << s) - 1;
  return {p.high >> s, (p.high & mask) << (32 - s) | p.low >> s, p.lost || (p.low & mask)};
}

// Compare x / a with y / b as compare_ratios in ratios.py: return a positive number, 0 or a negative number.
DEVICE int compare_ratios(u64 x, u64 a, u64 y, u64 b) {
  i64 shift = 0;
  if (BY == BY_FLOAT_RATIO) {
    u64 fraction = ((u64)1 << 52) - 1;
    shift = max((i64)(x >> 52), (i64)1) - max((i64)(y >> 52), (i64)1);
    x = (x & fraction) | (u64)(x >> 52 > 0) << 52;
    y = (y & fraction) | (u64)(y >> 52 > 0) << 52;
  }
  Product left = product(x, b), right = product(y, a);
  if (shift > 0) right = shifted(right, shift);
  if (shift < 0) left = shifted(left, -shift);
  if (left.high != right.high) return left.high > right.high ? 1 : -1;
  if (left.low != right.low) return left.low > right.low ? 1 : -1;
  return (int)left.lost - (int)right.lost;
}

// Return whether u is ahead of v, for two vertices whose bytes are equal.
DEVICE bool outranks(i64 u, i64 v, const Order& order) {
  if (BY == BY_SMALLER_ID) return u < v;
  if (BY == BY_DEGREE || BY == BY_LARGER_DEGREE) {
    i64 of_u = degree_of(u, order), of_v = degree_of(v, order);
    if (of_u != of_v) return (of_u < of_v) == (BY == BY_DEGREE);
  }
  if (BY == BY_VALUE && order.values[u] != order.values[v]) return order.values[u] > order.values[v];
  if (BY >= BY_RATIO) {
    u64 a = (u64)degree_of(u, order) + 1, b = (u64)degree_of(v, order) + 1;
    int sign = compare_ratios(order.values[u], a, order.values[v], b);
    if (sign != 0) return sign > 0;
  }
  if (BY != BY_ID && BY != BY_LARGER_DEGREE) {
    u32 of_u = hash32(u + order.seed), of_v = hash32(v + order.seed);
    if (of_u != of_v) return of_u > of_v;
  }
  return u > v;
}

DEVICE u32 byte_of(const u32* words, i64 v) { return relaxed(words + (v >> 2)) >> (v & 3) * 8 & 255u; }
DEVICE bool is_undecided(u32 byte) { return byte != OUT && byte != IN; }
DEVICE void put_out(u32* words, i64 v) { atomicAnd(words + (v >> 2), ~(255u << (v & 3) * 8)); }
DEVICE void put_in(u32* words, i64 v) { atomicOr(words + (v >> 2), IN << (v & 3) * 8); }
