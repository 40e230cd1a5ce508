// Maximal independent sets at distance two on a GPU, by smallest keys; the driver is two.py.
//
// Result: the set of ../distance/two.py, with the same undecided vertices after each round.
//
// Rule: that of ../distance/two.py. Let N[w] be w and its neighbors, and T(w) the smallest key in N[w]. Then
//
//     v has the smallest key within distance 2  <=>  T(w) = key(v) for all w in N[v].
//
// Idea: each vertex has two roles. As a *row* it is to be decided, and as a *column* it connects vertices at distance
// two. A round makes one pass over the columns, which computes T, and two passes over the rows. In the first, the
// winners write 0 to T of all columns in N[v]; in the second, rows that find a 0 are beaten. A column with a 0, or
// without undecided vertices around it, is not needed in later rounds. Therefore columns and rows are kept in two lists
// (row_lists.cuh), which become shorter. Beaten rows that draw once more (in the random order) are listed as ~v.
//
// State: one key per vertex, 0 for members and the largest for vertices that are out; T, the largest key for columns
// that do not connect vertices (see `through`).
//
// Races, all benign: in `join`, T of a column may be read as its smallest key or already as 0. Only the vertex with
// this key writes the 0, and both values differ from the keys of all other vertices.
//
// Cost: three launches per round. Each reads the rows of its list, except for `join`, which reads only the first
// entries of most rows. Work memory: two keys and four ids per vertex.
//
// Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
// Coarsening", IPDPS 2022, for T and the two lists.

// The lists of columns and rows alternate between two buffers; the lengths of the lists of each turn are kept.
DEVICE List columns_of(i64 turn, i64 n, i64 stride, vertex* lists, i64* lengths) {
  return {lists + turn % 2 * stride, lengths + turn * 2 * PARTS, n};
}
DEVICE List rows_of(i64 turn, i64 n, i64 stride, vertex* lists, i64* lengths) {
  return {lists + (2 + turn % 2) * stride, lengths + (turn * 2 + 1) * PARTS, n};
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

// Write the first keys and the first lists. Only vertices in `allowed` may join, and only vertices in `through` are
// columns; null means all vertices. Allowed vertices without entries are in at once.
KERNEL(8) begin(i64 n, const offset* indptr, const u8* allowed, const u8* through, i64 hashed_round, i64 bits, i64 kept,
                const offset* degrees, key* keys, key* least, i64 stride, vertex* lists, i64* lengths) {
  __shared__ Shared shared;
  RoundKeys round = {hashed_round, bits, kept, degrees};
  List columns = columns_of(0, n, stride, lists, lengths), rows = rows_of(0, n, stride, lists, lengths);
  EACH_BY_BLOCKS(v, n) {
    i64 length = v < n ? (i64)indptr[v + 1] - (i64)indptr[v] : 0;
    bool may_join = v < n && (!allowed || allowed[v]);
    if (v < n) {
      keys[v] = !may_join ? OUT : length == 0 ? IN : draw_key(v, round, keys[v]);
      least[v] = OUT;
    }
    int part = part_of(length);
    bool is_column = length > 0 && (!through || through[v]), is_row = length > 0 && may_join;
    i64 place = place_in_block(columns.lengths + SHORT, is_column && part == SHORT, &shared);
    if (is_column && part == SHORT) columns.at(SHORT, place) = (vertex)v;
    place = place_in_block(rows.lengths + SHORT, is_row && part == SHORT, &shared);
    if (is_row && part == SHORT) rows.at(SHORT, place) = (vertex)v;
    for (int p = MEDIUM; p < PARTS; p++) {
      place = place_in(columns.lengths + p, is_column && part == p);
      if (is_column && part == p) columns.at(p, place) = (vertex)v;
      place = place_in(rows.lengths + p, is_row && part == p);
      if (is_row && part == p) rows.at(p, place) = (vertex)v;
    }
  }
}

// Put the included vertices in, and write 0 to T around them, by which `settle` finds the vertices near them.
KERNEL(8) plant(i64 count, const vertex* included, const offset* indptr, const vertex* indices, key* keys, key* least) {
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    i64 v = included[i];
    for (entry e = indptr[v] + lane_id(), end = indptr[v + 1]; e < end; e += WARP) least[indices[e]] = 0;
    if (lane_id() == 0) keys[v] = IN, least[v] = 0;
  }
}

// Find the smallest key around each listed column; keep columns with an undecided vertex and no member around them.
struct FindLeast {
  const offset* indptr;
  const vertex* indices;
  const key* keys;
  key* least;
  template <class Team> DEVICE vertex operator()(vertex w, Team team) const {
    if (least[w] == 0) return NONE;
    key found = keys[w];
    entry end = indptr[w + 1];
#pragma unroll 4
    for (entry e = indptr[w] + team.rank(); e < end; e += team.size()) found = min(found, keys[indices[e]]);
    found = team.least(found);
    if (team.rank() == 0) least[w] = found;
    return found == OUT ? NONE : w;
  }
};

KERNEL(8) find_least(i64 n, const offset* indptr, const vertex* indices, const key* keys, key* least, i64 stride,
                     vertex* lists, i64* lengths, i64 turn) {
  __shared__ Shared shared;
  List list = columns_of(turn, n, stride, lists, lengths), next = columns_of(turn + 1, n, stride, lists, lengths);
  sweep<true>(list, next, &shared, FindLeast{indptr, indices, keys, least});
}

// Put in the rows whose key is the T of all columns around them, and write 0 to T of these columns.
struct Join {
  const offset* indptr;
  const vertex* indices;
  key *keys, *least;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    if (v < 0) return NONE;
    key own = keys[v];
    if (least[v] != own) return NONE;
    entry start = indptr[v], end = indptr[v + 1];
    for (entry e = start; e < end; e += 4 * team.size()) {
      bool beaten = false;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        entry f = e + k * team.size() + team.rank();
        key other = f < end ? least[indices[f]] : own;
        beaten |= other != own && other != OUT;
      }
      if (team.any(beaten)) return NONE;
    }
    for (entry e = start + team.rank(); e < end; e += team.size()) {
      vertex w = indices[e];
      if (least[w] == own) least[w] = 0;
    }
    if (team.rank() == 0) keys[v] = IN, least[v] = 0;
    return NONE;
  }
};

KERNEL(8) join(i64 n, const offset* indptr, const vertex* indices, key* keys, key* least, i64 stride, vertex* lists,
               i64* lengths, i64 turn) {
  __shared__ Shared shared;
  List list = rows_of(turn, n, stride, lists, lengths);
  sweep<false>(list, list, &shared, Join{indptr, indices, keys, least});
}

// Draw new keys for the listed rows that have no 0 in a column around them. The other rows are beaten: they are out
// `at_once`, or after they have drawn once more.
struct Settle {
  const offset* indptr;
  const vertex* indices;
  RoundKeys round;
  bool at_once;
  key* keys;
  const key* least;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    if (v < 0) {
      if (team.rank() == 0) keys[~v] = OUT;
      return NONE;
    }
    if (keys[v] == IN) return NONE;
    bool beaten = least[v] == 0;
    entry end = indptr[v + 1];
    for (entry e = indptr[v]; e < end && !beaten; e += 4 * team.size()) {
#pragma unroll
      for (int k = 0; k < 4; k++) {
        entry f = e + k * team.size() + team.rank();
        if (f < end) beaten |= least[indices[f]] == 0;
      }
      beaten = team.any(beaten);
    }
    bool out = beaten && at_once;
    if (team.rank() == 0) keys[v] = out ? OUT : draw_key(v, round, keys[v]);
    return out ? NONE : beaten ? ~v : v;
  }
};

KERNEL(8) settle(i64 n, const offset* indptr, const vertex* indices, i64 hashed_round, i64 bits, i64 kept,
                 const offset* degrees, i64 at_once, key* keys, const key* least, i64 stride, vertex* lists,
                 i64* lengths, i64 turn) {
  __shared__ Shared shared;
  RoundKeys round = {hashed_round, bits, kept, degrees};
  List list = rows_of(turn, n, stride, lists, lengths), next = rows_of(turn + 1, n, stride, lists, lengths);
  sweep<true>(list, next, &shared, Settle{indptr, indices, round, at_once != 0, keys, least});
}
