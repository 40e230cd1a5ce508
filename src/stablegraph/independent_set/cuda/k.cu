// Maximal independent sets at any distance k on a GPU, by sweeps; the driver is k.py.
//
// Result: the set of ../distance/k.py, with the same results after each sweep.
//
// Rule: v joins  <=>  its key is the smallest within distance k, and no member is within distance k.
//
// Idea and state: those of ../distance/k.py. In addition, rows are listed once by length (row_lists.cuh), so that no
// single thread reads a long row. A sweep that changes something writes its number, `tick`, to `changed`; therefore
// nothing has to be cleared between sweeps.
//
// Races, all benign: while some threads write distances equal to `level`, other threads test for `level` - 1. All
// threads write the same number to `changed`.
//
// Cost: 2 k + 2 launches per round, and one transfer of the number of remaining vertices. Work memory: three keys and
// two ids per vertex.
//
// Sources: see ../distance/k.py.

// List all rows by length.
KERNEL(8) list_rows(i64 n, const offset* indptr, vertex* entries, i64* lengths) {
  List rows = {entries, lengths, n};
  EACH_TOGETHER(v, n) {
    int part = v < n ? part_of((i64)indptr[v + 1] - (i64)indptr[v]) : (int)PARTS;
    for (int p = SHORT; p < PARTS; p++) {
      i64 place = place_in(lengths + p, part == p);
      if (part == p) rows.at(p, place) = (vertex)v;
    }
  }
}

// Find the smallest key among v and its neighbors, if v is farther than `level` from the set.
struct LeastAround {
  const offset* indptr;
  const vertex *indices, *distance;
  i64 level, tick;
  const key* before;
  key* after;
  u64* changed;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    if (distance[v] <= level) return NONE;
    key own = before[v], found = own;
    entry end = indptr[v + 1];
#pragma unroll 4
    for (entry e = indptr[v] + team.rank(); e < end; e += team.size()) found = min(found, before[indices[e]]);
    found = team.least(found);
    if (team.rank() == 0) {
      after[v] = found;
      if (found != own) store_relaxed(changed, (u64)tick);
    }
    return NONE;
  }
};

KERNEL(8) least_around(i64 n, const offset* indptr, const vertex* indices, vertex* list, i64* lengths, i64 level,
                       const vertex* distance, const key* before, key* after, u64* changed, i64 tick) {
  __shared__ Shared shared;
  List rows = {list, lengths, n};
  sweep<false>(rows, rows, &shared, LeastAround{indptr, indices, distance, level, tick, before, after, changed});
}

// Set v's distance to `level`, if v is farther from the set and has a neighbor at distance `level` - 1.
struct Spread {
  const offset* indptr;
  const vertex* indices;
  i64 level, tick;
  vertex* distance;
  u64* changed;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    if (distance[v] <= level) return NONE;
    entry end = indptr[v + 1];
    bool near = false;
    for (entry e = indptr[v]; e < end && !near; e += 4 * team.size()) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        entry f = e + i * team.size() + team.rank();
        if (f < end) near |= distance[indices[f]] == level - 1;
      }
      near = team.any(near);
    }
    if (near && team.rank() == 0) {
      distance[v] = (vertex)level;
      store_relaxed(changed, (u64)tick);
    }
    return NONE;
  }
};

KERNEL(8) spread(i64 n, const offset* indptr, const vertex* indices, vertex* list, i64* lengths, i64 level,
                 vertex* distance, u64* changed, i64 tick) {
  __shared__ Shared shared;
  List rows = {list, lengths, n};
  sweep<false>(rows, rows, &shared, Spread{indptr, indices, level, tick, distance, changed});
}

// Draw the first keys of all vertices that are farther than k from the set.
KERNEL(8) begin(i64 n, i64 k, const vertex* distance, i64 hashed_round, i64 bits, i64 kept, const offset* degrees,
                key* state) {
  RoundKeys round = {hashed_round, bits, kept, degrees};
  EACH(v, n) state[v] = distance[v] > k ? draw_key(v, round, state[v]) : OUT;
}

// Put in the vertices with the smallest key; vertices that were beaten one round ago are out.
KERNEL(8) join(i64 n, i64 k, vertex* distance, const key* least, key* state) {
  EACH(v, n) {
    if (state[v] == OUT) continue;
    bool beaten = distance[v] <= k, joins = !beaten && least[v] == state[v];
    if (joins) distance[v] = 0;
    if (beaten || joins) state[v] = OUT;
  }
}

// Draw new keys for the remaining vertices; newly beaten vertices still draw, unless they are out `at_once`. The number
// of remaining vertices is added to `left`.
KERNEL(8) redraw(i64 n, i64 k, i64 at_once, const vertex* distance, i64 hashed_round, i64 bits, i64 kept,
                 const offset* degrees, key* state, i64* left) {
  RoundKeys round = {hashed_round, bits, kept, degrees};
  EACH_TOGETHER(v, n) {
    bool stays = v < n && state[v] != OUT;
    if (stays) {
      stays = distance[v] > k || !at_once;
      state[v] = stays ? draw_key(v, round, state[v]) : OUT;
    }
    place_in(left, stays);
  }
}
