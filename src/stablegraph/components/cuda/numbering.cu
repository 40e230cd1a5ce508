// Component labels from trees in one launch, by the steps of numbering.cuh; called by union.py.

KERNEL(4) label_trees(i64 n, i64 shares, label* parent, label* counts, label* labels, u32* barrier, i64* total) {
  number_trees(n, shares, parent, counts, labels, barrier, total);
}
