// Direction-optimizing breadth-first search on several GPUs, one level at a time; called by spread_search.py.
//
// Result: distances and smallest parents as ../breadth_first.py defines them.
//
// Rule: as in breadth_first.cu.
//
// Idea: each card knows by a bit which vertices have been reached, and reads only its own rows. A level is processed
//
// - outward: the card follows the arcs of its own vertices in the frontier, and gives each unreached vertex the
//   smallest of its vertices as a candidate for the parent, also vertices of other cards. The thread that gives the
//   first candidate reports the vertex. Rows are divided as in breadth_first.cu: eight lanes read a short one, a warp a
//   longer one, and a row of more than `cut` entries is divided into pieces, because a hub would occupy one warp for
//   a hundred times as long as the rest of the level takes; or
// - inward: the card searches the rows of its own unreached vertices for reached ones. All entries of such a row are on
//   this card, so the candidate is the parent.
//
// After the exchange each card adds the vertices of its rows that are new to its queue: the next frontier. All
// candidates of a vertex belong to the level at which it is reached, because later visits find it reached. So its
// parent is the smallest candidate of all cards, which is found once after the last level.
//
// State: `known`: a bit per reached vertex (exchange.cuh); `parent`: candidates, NONE if there is none; `distance` and
// `queue`: of the rows of the card only, `distance` from vertex `first` on; `state`: see the list below.
//
// Races, all benign: candidates are combined by atomic minima.
//
// Cost: outward levels read the rows of the frontier, inward levels a part of the rows of unreached vertices. If few
// vertices are reached, the work between levels is proportional to their number, otherwise a pass over the bits.

typedef LABEL label;  // unsigned

#define NONE ((label)-1)
#define SHORT 32  // entries that one thread, or eight lanes, read before a whole warp continues
#define GROUP 8

enum { HEAD, TAIL, ENTRIES, PIECES };  // the frontier is queue[HEAD:TAIL], whose rows have ENTRIES

// The vertices of a card: from `first` to `end`.
struct Range {
  i64 first, end;
  DEVICE bool has(i64 v) const { return first <= v && v < end; }
};

DEVICE bool is_in(const u32* bits, i64 v) { return bits[v >> 5] >> (v & 31) & 1; }

// What an outward level reads and writes.
struct Level {
  const vertex* indices;
  const u32* known;
  label* parent;
  Outbox out;
  i64 uncounted;
};

// Follow entry e (if `any`) of the row of v, by all lanes of a warp together.
DEVICE void visit(bool any, i64 e, label v, Level& s) {
  i64 u = any ? s.indices[e] : 0;
  bool found = any && !is_in(s.known, u) && relaxed(s.parent + u) > v && atomicMin(s.parent + u, v) == NONE;
  i64 place = place_of(found, s.out.room, s.out.counts, s.uncounted);
  if (found) atomicOr(s.out.bits + (u >> 5), 1u << (u & 31));
  if (found && place < s.out.room) s.out.list[place] = (vertex)u;
}

KERNEL(2) outward(i64 cut, const offset* indptr, const vertex* indices, const vertex* queue, i64* state, i64* pieces,
                  u32* known, label* parent, u32* bits, vertex* list, i64 room, i64* counts) {
  Level s = {indices, known, parent, {known, bits, list, room, counts}, 0};
  i64 tail = state[TAIL];
  for (i64 base = state[HEAD] + warp_id() * (WARP / GROUP); base < tail; base += warp_count() * (WARP / GROUP)) {
    i64 i = base + lane_id() / GROUP, v = i < tail ? (i64)queue[i] : 0, from = 0, to = 0;
    if (i < tail) from = indptr[v], to = indptr[v + 1];
    bool is_short = to - from <= SHORT;
    for (i64 e = from + lane_id() % GROUP, last = is_short ? to : from; __any_sync(ALL_LANES, e < last); e += GROUP) {
      visit(e < last, e, (label)v, s);
    }
    for (u32 who = __ballot_sync(ALL_LANES, !is_short && lane_id() % GROUP == 0); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 row = __shfl_sync(ALL_LANES, from, leader), row_end = __shfl_sync(ALL_LANES, to, leader);
      i64 w = __shfl_sync(ALL_LANES, v, leader), piece = max(cut / 4, (i64)1);
      if (row_end - row <= cut) {
        for (i64 e = row + lane_id(); e - lane_id() < row_end; e += WARP) visit(e < row_end, e, (label)w, s);
        continue;
      }
      i64 count = (row_end - row + piece - 1) / piece, place = lane_id() ? 0 : atomicAdd(state + PIECES, count);
      place = __shfl_sync(ALL_LANES, place, 0);
      for (i64 k = lane_id(); k < count; k += WARP) {
        pieces[2 * (place + k)] = w, pieces[2 * (place + k) + 1] = row + k * piece;
      }
    }
  }
  post_rest(s.uncounted, counts);
}

KERNEL(2) outward_by_pieces(i64 cut, const offset* indptr, const vertex* indices, const i64* state, const i64* pieces,
                            u32* known, label* parent, u32* bits, vertex* list, i64 room, i64* counts) {
  Level s = {indices, known, parent, {known, bits, list, room, counts}, 0};
  for (i64 i = warp_id(); i < state[PIECES]; i += warp_count()) {
    i64 v = pieces[2 * i], from = pieces[2 * i + 1], to = min(from + max(cut / 4, (i64)1), (i64)indptr[v + 1]);
    for (i64 e = from + lane_id(); e - lane_id() < to; e += WARP) visit(e < to, e, (label)v, s);
  }
  post_rest(s.uncounted, counts);
}

DEVICE label if_known(vertex u, const u32* known) { return is_in(known, u) ? (label)u : NONE; }

// `ascending`: whether the rows are, so that the first reached vertex is the smallest.
KERNEL(2) inward(i64 first, i64 end, i64 ascending, const offset* indptr, const vertex* indices, u32* known,
                 label* parent, u32* bits, vertex* list, i64 room, i64* counts) {
  i64 uncounted = 0;
  for (i64 word = first / 32 + warp_id(); 32 * word < end; word += warp_count()) {
    u32 reached = known[word];
    if (reached == ~0u) continue;
    i64 v = 32 * word + lane_id(), e = 0, row_end = 0;
    label smallest = NONE;
    if (!(reached >> lane_id() & 1) && Range{first, end}.has(v)) e = indptr[v], row_end = indptr[v + 1];
    for (i64 last = min(row_end, e + SHORT); e < last; e += 4) {  // four loads at once
      vertex a = indices[e], b = indices[min(e + 1, last - 1)];
      vertex c = indices[min(e + 2, last - 1)], d = indices[min(e + 3, last - 1)];
      label ab = min(if_known(a, known), if_known(b, known));
      smallest = min(smallest, min(ab, min(if_known(c, known), if_known(d, known))));
      if (ascending && smallest != NONE) break;
    }
    if (ascending && smallest != NONE) e = row_end;
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
    u32 now = __ballot_sync(ALL_LANES, smallest != NONE);
    if (now && lane_id() == 0) bits[word] = now;
    i64 place = place_of(smallest != NONE, room, counts, uncounted);
    if (smallest != NONE && place < room) list[place] = (vertex)v;
  }
  post_rest(uncounted, counts);
}

// Hand in the message of a level; the vertices that are taken next are the new frontier.
KERNEL(1) end_level(i64* state, i64* counts, i64* report) {
  if (thread_id() > 0) return;
  report[1] = counts[0], counts[0] = 0;
  state[HEAD] = state[TAIL], state[ENTRIES] = state[PIECES] = 0;
}

KERNEL(1) tell_frontier(const i64* state, i64* report) {
  if (thread_id() == 0) report[1] = state[ENTRIES];
}

// What the next frontier is written to.
struct Frontier {
  const offset* indptr;
  label* distance;
  vertex* queue;
  i64* state;
};

// Make v a vertex of the frontier, at a place in the queue; return the number of entries of its row.
DEVICE i64 add(i64 v, i64 place, i64 first, i64 level, const Frontier& to) {
  to.distance[v - first] = (label)level;
  to.queue[place] = (vertex)v;
  return (i64)to.indptr[v + 1] - (i64)to.indptr[v];
}

// Add the reported and the received vertices to the frontier of `level`.
KERNEL(2) take_bits(i64 bit_words, i64 messages, const u32* inbox, const u32* bits, u32* known, i64 first, i64 end,
                    i64 level, const offset* indptr, label* distance, vertex* queue, i64* state) {
  Frontier to = {indptr, distance, queue, state};
  EACH_TOGETHER(word, bit_words) {
    u32 all = word < bit_words ? (bits[word] | received(word, bit_words, messages, inbox)) & ~known[word] : 0;
    if (all) known[word] |= all;
    i64 low = first - 32 * word, high = end - 32 * word;  // own vertices
    u32 own = high <= 0 || low >= 32 ? 0 : all & (low > 0 ? ~0u << low : ~0u) & (high < 32 ? ~(~0u << high) : ~0u);
    int count = __popc(own), upto = sum_up_to_lane(count), sum = __shfl_sync(ALL_LANES, upto, WARP - 1);
    if (sum == 0) continue;
    i64 place = lane_id() == 0 ? atomicAdd(state + TAIL, (i64)sum) : 0, entries = 0;
    place = __shfl_sync(ALL_LANES, place, 0) + upto - count;
    for (; own; own &= own - 1) entries += add(32 * word + __ffs(own) - 1, place++, first, level, to);
    entries = sum_of_lanes(entries);
    if (lane_id() == 0) atomicAdd(state + ENTRIES, entries);
  }
}

// Add listed vertices to the frontier of `level`, also the sources; `bits`, or null, are cleared.
KERNEL(2) take_list(i64 count, const vertex* list, u32* bits, u32* known, i64 first, i64 end, i64 level,
                    const offset* indptr, label* distance, vertex* queue, i64* state) {
  Frontier to = {indptr, distance, queue, state};
  EACH_TOGETHER(i, count) {
    i64 v = i < count ? (i64)list[i] : 0, entries = 0;
    if (i < count && bits) bits[v >> 5] = 0;
    bool is_new = i < count && !(atomicOr(known + (v >> 5), 1u << (v & 31)) >> (v & 31) & 1);
    is_new = is_new && Range{first, end}.has(v);
    if (!__any_sync(ALL_LANES, is_new)) continue;
    i64 place = place_in(state + TAIL, is_new);
    if (is_new) entries = add(v, place, first, level, to);
    entries = sum_of_lanes(entries);
    if (lane_id() == 0) atomicAdd(state + ENTRIES, entries);
  }
}
