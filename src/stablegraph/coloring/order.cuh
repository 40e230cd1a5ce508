// Orders in which vertices take colors (order.py), compared vertex by vertex.

enum { BY_ID, BY_DEGREE, BY_DIGITS, BY_HASH, BY_NUMBER };  // as order_cuda.py numbers them

struct Order {
  i64 by, hashed, seed;
  const offset* degree_ptr;
  i64 less;  // how much longer a row is than its vertex has neighbors
  const u64* numbers;
  const int* fixed;  // colors given beforehand, or null
};

// What decides first; the larger, the earlier.
DEVICE u64 key_of(i64 v, const Order& order) {
  if (order.by == BY_NUMBER) return order.numbers[v];
  if (order.by != BY_DEGREE && order.by != BY_DIGITS) return 0;
  u64 degree = (i64)order.degree_ptr[v + 1] - (i64)order.degree_ptr[v] - order.less;
  return order.by == BY_DEGREE ? degree : 64 - __clzll(degree);
}

// Whether u is ahead of v, which has this key, and no color that is given beforehand.
DEVICE bool is_ahead(i64 u, i64 v, u64 key, const Order& order) {
  if (order.fixed && order.fixed[u] >= 0) return true;
  u64 of_u = key_of(u, order);
  if (of_u != key) return of_u > key;
  if (!order.hashed) return u < v;
  u32 hash_u = hash32(u + order.seed), hash_v = hash32(v + order.seed);
  return hash_u != hash_v ? hash_u > hash_v : u > v;
}
