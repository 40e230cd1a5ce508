"""Independent sets, in which no two vertices are adjacent: maximal ones, which cannot be extended, and large ones."""
