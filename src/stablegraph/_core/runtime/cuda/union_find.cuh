// Union-find by the smaller root, for many threads at once (_core/engines/union.py is the form for the CPU).
//
// Parents are read and paths are shortened by plain loads and stores. These races are harmless: an outdated parent is
// still an ancestor, and a store never undoes a union, because only roots are linked, by compare-and-swap.

// Return the root of v's tree, or a vertex that was its root a moment ago. Halve the path to it.
template <class T> DEVICE T find(T v, T* parent) {
  T p = parent[v], above = parent[p];
  while (above != p) {
    parent[v] = above;
    v = above, p = parent[v], above = parent[p];
  }
  return p;
}

// Unite the trees of u and v. Return a vertex of the new tree near its root.
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
