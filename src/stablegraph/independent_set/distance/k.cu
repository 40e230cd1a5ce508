// Maximal independent sets at any distance k on a GPU, by sweeps; k_cuda.py drives it.
//
// Result: the set of k.py, sweep by sweep.
//
// Rule: v joins  <=>  its key is the smallest within distance k of it, and no member is as near.
//
// Idea and state: those of k.py. What is different: rows are listed once by their length (row_lists.cuh), so that no
// thread walks through a long one. A sweep that changes something writes its number, `tick`, into `changed`: nothing
// has to be cleared between sweeps.
//
// Races, all benign: while a sweep writes distances of `level`, others look for those of `level` - 1. All write the
// same number into `changed`.
//
// Cost: 2 k + 2 launches a round, and one look at how many vertices are left. Work memory: three keys and two ids a
// vertex.
//
// Sources: see k.py.

// List all rows.
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

// The smallest key among v's and its neighbors', if v is farther than `level` from the set.
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

// Put v at distance `level` from the set, if it is farther and has a neighbor one step nearer.
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

// The first keys of all vertices that are farther than k from the set.
KERNEL(8) begin(i64 n, i64 k, const vertex* distance, i64 hashed_round, i64 bits, i64 kept, const offset* degrees,
                key* state) {
  RoundKeys round = {hashed_round, bits, kept, degrees};
  EACH(v, n) state[v] = distance[v] > k ? draw_key(v, round) : OUT;
}

// The vertices join that have the smallest key; those that had been beaten before are out.
KERNEL(8) join(i64 n, i64 k, vertex* distance, const key* least, key* state) {
  EACH(v, n) {
    if (state[v] == OUT) continue;
    bool beaten = distance[v] <= k, joins = !beaten && least[v] == state[v];
    if (joins) distance[v] = 0;
    if (beaten || joins) state[v] = OUT;
  }
}

// New keys for those that are left; those just beaten still draw, unless they are out `at_once`. `left` grows by how
// many there are.
KERNEL(8) redraw(i64 n, i64 k, i64 at_once, const vertex* distance, i64 hashed_round, i64 bits, i64 kept,
                 const offset* degrees, key* state, i64* left) {
  RoundKeys round = {hashed_round, bits, kept, degrees};
  EACH_TOGETHER(v, n) {
    bool stays = v < n && state[v] != OUT;
    if (stays) {
      stays = distance[v] > k || !at_once;
      state[v] = stays ? draw_key(v, round) : OUT;
    }
    place_in(left, stays);
  }
}
