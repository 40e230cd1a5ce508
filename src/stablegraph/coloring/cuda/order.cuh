// Coloring orders (../order.py) as comparisons of two vertices.

enum { BY_ID, BY_DEGREE, BY_DIGITS, BY_HASH, BY_NUMBER };  // numbered as in jones_plassmann.py

struct Order {
  i64 by, hashed, seed;
  const offset* degree_ptr;
  i64 less;  // the difference between a row's length and the number of the vertex's neighbors
  const u64* numbers;
  const int* fixed;  // fixed colors, or null
};

// Return the first criterion of the order; a larger key comes earlier.
DEVICE u64 key_of(i64 v, const Order& order) {
  if (order.by == BY_NUMBER) return order.numbers[v];
  if (order.by != BY_DEGREE && order.by != BY_DIGITS) return 0;
  u64 degree = (i64)order.degree_ptr[v + 1] - (i64)order.degree_ptr[v] - order.less;
  return order.by == BY_DEGREE ? degree : 64 - __clzll(degree);
}

// Return whether u is ahead of v, which has this key and no fixed color.
DEVICE bool is_ahead(i64 u, i64 v, u64 key, const Order& order) {
  if (order.fixed && order.fixed[u] >= 0) return true;
  u64 of_u = key_of(u, order);
  if (of_u != key) return of_u > key;
  if (!order.hashed) return u < v;
  u32 hash_u = hash32(u + order.seed), hash_v = hash32(v + order.seed);
  return hash_u != hash_v ? hash_u > hash_v : u > v;
}
