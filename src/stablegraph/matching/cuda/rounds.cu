// Matchings in rounds on a GPU; the driver is rounds.py.
//
// Result: the partners of ../rounds.py, with the same undecided vertices after each round.
//
// Rule: that of ../rounds.py: v and u match  <=>  best(v) = u and best(u) = v.
//
// Idea: the undecided vertices are listed by the lengths of their rows (row_lists.cuh), and the lists become shorter. A
// round is two launches: `point` renews the pointers whose ends are not free, and `settle` decides vertices with mutual
// pointers.
//
// State: that of ../rounds.py, in `free` and `best`.
//
// Races: none. `point` reads `free`, and each team reads and writes the pointer of its own vertex; `settle` reads
// pointers, and writes `free` of its own vertex.
//
// Cost: two launches per round. Each reads the list; `point` reads the rows of stale pointers. Work memory: 5 bytes and
// two ids per vertex.

#define MASK31 0x7fffffffu
#define INVERSE31 0x119de1f3u  // of 0x45d9f3b modulo 2^31

DEVICE u32 mixed(u32 x, u32 multiplier) {
  x &= MASK31;
  x = ((x >> 16 ^ x) * multiplier) & MASK31;
  x = ((x >> 16 ^ x) * multiplier) & MASK31;
  return x >> 16 ^ x;
}
DEVICE u32 hash31(u32 v, i64 seed) { return mixed(v + (u32)seed, 0x45d9f3bu); }

DEVICE List list_of(i64 turn, i64 n, i64 stride, vertex* lists, i64* lengths) {
  return {lists + turn % 2 * stride, lengths + turn * PARTS, n};
}

// List the vertices with entries; the other ones stay single.
KERNEL(8) begin(i64 n, const offset* indptr, u8* free, int* best, i64 stride, vertex* lists, i64* lengths) {
  __shared__ Shared shared;
  List list = list_of(0, n, stride, lists, lengths);
  EACH_BY_BLOCKS(v, n) {
    i64 length = v < n ? (i64)indptr[v + 1] - (i64)indptr[v] : 0;
    if (v < n) free[v] = length > 0, best[v] = (int)v;
    int part = part_of(length);
    i64 place = place_in_block(list.lengths + SHORT, length > 0 && part == SHORT, &shared);
    if (length > 0 && part == SHORT) list.at(SHORT, place) = (vertex)v;
    for (int p = MEDIUM; p < PARTS; p++) {
      place = place_in(list.lengths + p, part == p);
      if (part == p) list.at(p, place) = (vertex)v;
    }
  }
}

// Point to the first free neighbor if the vertex to which v points is not free, and in the first round, in which all
// vertices are free and point to themselves.
struct Point {
  const offset* indptr;
  const vertex* indices;
  Weights weights;
  bool is_first;
  i64 seed;
  const u8* free;
  int* best;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    if (!is_first && free[best[v]]) return NONE;
    u32 own = hash31((u32)v, seed), value = 0;
    entry end = indptr[v + 1];
#if WEIGHTED  // key and value of the best entry
    u64 key = ~0ull;
    for (entry e = indptr[v] + team.rank(); e < end; e += team.size()) {
      u64 other = key_at(e, weights);
      if (other > key) continue;
      vertex u = indices[e];
      u32 same = hash31((u32)u, seed) ^ own;
      if (other == key && same <= value) continue;
      if (u != v && (is_first || free[u])) key = other, value = same;
    }
    u64 least = team.least(key), zero = (u64)weights.bias - (u64)weights.smallest;
    if (key != least || least > zero) value = 0;  // negative weights do not count
#else  // four loads at once; whether a neighbor is free is read only if its edge would be the first
    for (entry e = indptr[v] + team.rank(); e < end; e += 4 * team.size()) {
      vertex u[4];
#pragma unroll
      for (int k = 0; k < 4; k++) u[k] = e + k * team.size() < end ? indices[e + k * team.size()] : v;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        u32 same = hash31((u32)u[k], seed) ^ own;
        if (same > value && (is_first || free[u[k]])) value = same;
      }
    }
#endif
    value = ~team.least(~value);
    if (team.rank() == 0) best[v] = (int)((mixed(value ^ own, INVERSE31) - (u32)seed) & MASK31);
    return NONE;
  }
};

KERNEL(8) point(i64 n, const offset* indptr, const vertex* indices, const BITS* bits, i64 flip, i64 bias, i64 seed,
                i64 is_first, u8* free, int* best, i64 stride, vertex* lists, i64* lengths, i64 turn) {
  __shared__ Shared shared;
  List list = list_of(turn, n, stride, lists, lengths);
  Weights weights = {bits, flip, bias, (i64)((u64)1 << 63)};
  sweep<false>(list, list, &shared, Point{indptr, indices, weights, is_first != 0, seed, free, best});
}

// Decide the vertices whose pointers are mutual, also those that point to themselves, and list the other ones.
struct Settle {
  const int* best;
  u8* free;
  template <class Team> DEVICE vertex operator()(vertex v, Team team) const {
    bool is_decided = best[best[v]] == v;
    if (is_decided && team.rank() == 0) free[v] = 0;
    return is_decided ? NONE : v;
  }
};

KERNEL(8) settle(i64 n, u8* free, const int* best, i64 stride, vertex* lists, i64* lengths, i64 turn) {
  __shared__ Shared shared;
  List list = list_of(turn, n, stride, lists, lengths), next = list_of(turn + 1, n, stride, lists, lengths);
  sweep<true>(list, next, &shared, Settle{best, free});
}

// Replace the partner of each vertex that is its own partner by -1, and count these vertices.
KERNEL(8) mark_alone(i64 n, int* partners, i64* count) {
  i64 own = 0;
  EACH(v, n) if (partners[v] == v) partners[v] = -1, own++;
  own = sum_of_lanes(own);
  if (lane_id() == 0 && own) atomicAdd(count, own);
}
