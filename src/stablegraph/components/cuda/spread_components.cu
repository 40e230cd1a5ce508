// Union of the components of two forests on the same vertices; called by spread_components.py.
//
// `other` are the parents in the other forest. Races, all benign: those of union_find.cuh. Cost: a pass over both.

typedef LABEL label;

KERNEL(4) merge_trees(i64 n, label* parent, const label* other) {
  EACH(v, n) {
    label above = other[v];
    if (above != v && parent[v] != parent[above]) unite((label)v, above, parent);
  }
}
