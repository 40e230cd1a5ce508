// Union-find by the smaller root, for many threads at once (parallel/union_find.py is the CPU's).
//
// Parents are read, and paths shortened, by plain loads and stores: an old parent is an ancestor still, and whoever
// writes one undoes no union, as only roots are hooked, by compare-and-swap.

// The root of v's tree, or what was it a moment ago; halves the path to it.
template <class T> DEVICE T find(T v, T* parent) {
  T p = parent[v], above = parent[p];
  while (above != p) {
    parent[v] = above;
    v = above, p = parent[v], above = parent[p];
  }
  return p;
}

// Make one tree of u's and v's. Returns a vertex of it, near the root.
template <class T> DEVICE T unite(T u, T v, T* parent) {
  T p = find(u, parent), q = find(v, parent);
  while (p != q) {
    if (p < q) { T smaller = p; p = q, q = smaller; }
    T seen = atomicCAS(parent + p, p, q);
    if (seen == p) return q;
    p = find(seen, parent);
  }
  return p;
}
