// Direction-optimizing breadth-first search on several GPUs, one level at a time; called by spread_search.py.
//
// Result: distances and smallest parents as ../breadth_first.py defines them.
//
// Rule: as in breadth_first.cu.
//
// Idea: each card knows by a bit which vertices have been reached, and reads only its own rows. A level is processed
//
// - outward: the card follows the arcs of its own vertices in the frontier, and gives each unreached vertex the
//   smallest of its vertices as a candidate for the parent, also vertices of other cards; or
// - inward: the card searches the rows of its own unreached vertices for reached ones. All entries of such a row are on
//   this card, so the candidate is the parent.
//
// The cards then report the vertices that have a candidate and were not reached before; these are the next frontier.
// All candidates of a vertex belong to the level at which it is reached, because later visits find it reached. So its
// parent is the smallest candidate of all cards, which is found once after the last level.
//
// State: `known`: a bit per reached vertex (exchange.cuh); `fresh`: the frontier, as bits; `parent`: candidates, NONE
// if there is none; `distance`: of the rows of the card only, from vertex `first` on.
//
// Races, all benign: candidates are combined by atomic minima.
//
// Cost: for each level a pass over the bits and over the candidates of unreached vertices (inward: those of the card),
// and the rows of the frontier, or a part of the rows of unreached vertices.

typedef LABEL label;  // unsigned

#define NONE ((label)-1)
#define SHORT 32  // entries that one thread reads before its whole warp continues

// The vertices of a card: from `first` to `end`.
struct Range {
  i64 first, end;
  DEVICE bool has(i64 v) const { return first <= v && v < end; }
};

DEVICE bool is_in(const u32* bits, i64 v) { return bits[v >> 5] >> (v & 31) & 1; }

DEVICE void offer(vertex u, label v, const u32* known, label* parent) {
  if (!is_in(known, u) && relaxed(parent + u) > v) atomicMin(parent + u, v);
}

KERNEL(4) outward(i64 first, i64 end, const offset* indptr, const vertex* indices, const u32* fresh, const u32* known,
                  label* parent) {
  for (i64 word = first / 32 + warp_id(); 32 * word < end; word += warp_count()) {
    u32 frontier = fresh[word];
    if (frontier == 0) continue;
    i64 v = 32 * word + lane_id(), e = 0, row_end = 0;
    if (frontier >> lane_id() & 1 && Range{first, end}.has(v)) e = indptr[v], row_end = indptr[v + 1];
    for (i64 last = min(row_end, e + SHORT); e < last; e++) offer(indices[e], (label)v, known, parent);
    for (u32 who = __ballot_sync(ALL_LANES, e < row_end); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 from = __shfl_sync(ALL_LANES, e, leader), to = __shfl_sync(ALL_LANES, row_end, leader);
      for (i64 i = from + lane_id(); i < to; i += WARP) offer(indices[i], (label)(32 * word + leader), known, parent);
      __syncwarp();
    }
  }
}

DEVICE label if_known(vertex u, const u32* known) { return is_in(known, u) ? (label)u : NONE; }

// `ascending`: whether the rows are, so that the first reached vertex is the smallest.
KERNEL(4) inward(i64 first, i64 end, const offset* indptr, const vertex* indices, i64 ascending, const u32* known,
                 label* parent) {
  for (i64 word = first / 32 + warp_id(); 32 * word < end; word += warp_count()) {
    u32 reached = known[word];
    if (reached == ~0u) continue;
    i64 v = 32 * word + lane_id(), e = 0, row_end = 0;
    label smallest = NONE;
    if (!(reached >> lane_id() & 1) && Range{first, end}.has(v)) e = indptr[v], row_end = indptr[v + 1];
    for (i64 last = min(row_end, e + SHORT); e < last; e++) {
      smallest = min(smallest, if_known(indices[e], known));
      if (ascending && smallest != NONE) row_end = e;
      if (ascending && smallest != NONE) break;
    }
    for (u32 who = __ballot_sync(ALL_LANES, e < row_end); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 from = __shfl_sync(ALL_LANES, e, leader), to = __shfl_sync(ALL_LANES, row_end, leader);
      label best = NONE;
      for (; from < to; from += WARP) {
        if (from + lane_id() < to) best = min(best, if_known(indices[from + lane_id()], known));
        if (ascending && __any_sync(ALL_LANES, best != NONE)) break;
      }
      for (int step = WARP / 2; step; step /= 2) best = min(best, __shfl_xor_sync(ALL_LANES, best, step));
      if (lane_id() == leader) smallest = min(smallest, best);
    }
    if (smallest != NONE) parent[v] = smallest;
  }
}

// Report the vertices from `first` to `end` that have a candidate and were not reached before.
KERNEL(4) report_reached(i64 first, i64 end, i64 bit_words, const label* parent, u32* known, u32* bits, vertex* list,
                         i64 room, i64* counts) {
  Outbox out = {known, bits, list, room, counts};
  EACH_TOGETHER(word, bit_words) {
    i64 base = word - lane_id();
    u32 own = 32 * word + 32 > first && 32 * word < end ? known[word] : ~0u, now = 0;
    for (int i = 0; i < WARP; i++) {
      if (__shfl_sync(ALL_LANES, own, i) == ~0u) continue;
      i64 v = 32 * (base + i) + lane_id();
      u32 found = __ballot_sync(ALL_LANES, v < end && parent[v] != NONE);
      if (lane_id() == i) now = found;
    }
    post(word < bit_words, word, now, out);
  }
}

// Make the frontier of `level` from the reported and the received vertices.
KERNEL(4) take_bits(i64 bit_words, i64 messages, const u32* inbox, const u32* bits, i64 first, i64 end, i64 level,
                    u32* known, u32* fresh, label* distance) {
  EACH(word, bit_words) {
    u32 others = received(word, bit_words, messages, inbox), all = bits[word] | others;
    fresh[word] = all;
    if (others) known[word] |= others;
    if (32 * word + 32 <= first || 32 * word >= end) continue;
    for (; all; all &= all - 1) {
      i64 v = 32 * word + __ffs(all) - 1;
      if (Range{first, end}.has(v)) distance[v - first] = (label)level;
    }
  }
}

// Add listed vertices to the frontier of `level`, also the sources.
KERNEL(4) take_list(i64 count, const vertex* list, i64 first, i64 end, i64 level, u32* known, u32* fresh,
                    label* distance) {
  EACH(i, count) {
    i64 v = list[i];
    atomicOr(known + (v >> 5), 1u << (v & 31));
    atomicOr(fresh + (v >> 5), 1u << (v & 31));
    if (Range{first, end}.has(v)) distance[v - first] = (label)level;
  }
}

KERNEL(4) take_smaller(i64 count, const label* others, label* parent) {
  EACH(i, count) parent[i] = min(parent[i], others[i]);
}
