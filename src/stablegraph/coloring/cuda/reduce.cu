// Two colors for bipartite components, and colors without gaps, on a GPU; called by reduce.py, defined in
// ../reduction/reduce.py.
//
// Result: as `two_color_components`. It depends only on the graph and the coloring, not on the schedule.
//
// Rule: a bipartite component with a vertex of color 2 or more gets colors 0 and 1; the smallest such vertex gets 0.
// The colors in use are numbered without gaps.
//
// Idea: ../traversal/bipartition.cu finds the trees of the components. *find_starts* and *recolor* find the smallest
// vertex of color 2 or more of each bipartite component, and recolor.
//
// State: parent[v], twice the root, plus one if v is on the other side; odd[r]: whether a component is odd; first[r]:
// the smallest start below a root.
//
// Cost: a few passes over the vertices.

template <class T> struct Unsigned;
template <> struct Unsigned<int> { typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };
typedef Unsigned<vertex>::type word;

KERNEL(8) find_starts(i64 n, const word* parent, const u8* odd, const int* colors, vertex* first) {
  EACH(v, n) {
    if (colors[v] < 2) continue;
    word root = parent[v] >> 1;
    if (!odd[root] && v < first[root]) atomicMin(first + root, (vertex)v);
  }
}

// Use colors 0 and 1 in bipartite components with starts; `used` marks the colors in use.
KERNEL(8) recolor(i64 n, const word* parent, const u8* odd, const vertex* first, const int* colors, int* result,
                  u8* used) {
  EACH(v, n) {
    word p = parent[v];
    int color = colors[v];
    vertex start = (vertex)n;
    if (!odd[p >> 1]) start = first[p >> 1];
    if (start < n) color = (int)((parent[start] ^ p) & 1);
    result[v] = color;
    if (!used[color]) used[color] = 1;
  }
}

// Number the used colors without gaps; one thread builds the table.
KERNEL(1) number_used(i64 count, const u8* used, int* numbers, i64* colors) {
  if (thread_id() == 0) {
    int number = 0;
    for (i64 c = 0; c < count; c++) numbers[c] = number, number += used[c];
    *colors = number;
  }
}

KERNEL(8) renumber(i64 n, const int* numbers, int* colors) { EACH(v, n) colors[v] = numbers[colors[v]]; }
