// Direction-optimizing breadth-first search with many levels per launch; called by breadth_first.py.
//
// Result: distances and smallest parents as ../breadth_first.py defines them, independent of the schedule.
//
// Rule: distance(v) = 1 + the smallest distance of a vertex with an arc to v, 0 for a source; parent(v) = the smallest
// u with an arc (u, v) and distance(u) = distance(v) - 1.
//
// Idea: all blocks run concurrently and meet at a barrier between levels. A barrier takes one or two microseconds,
// while a launch and reading its counts take thirty. A level is processed
//
// - outward, from the frontier in `queue`: eight lanes read a row of up to SHORT entries, a warp a row of up to LONG.
//   Longer rows are cut into pieces, which are listed, and each is read by a warp before the level ends. The thread
//   that lowers a parent from NONE has found the vertex, and appends it to the queue.
// - inward, when the frontier's rows have more than 1/`alpha` of the entries in unseen rows: an unreached vertex
//   searches its row for a reached vertex, using bits. In an ascending row the first one is the smallest. A warp has
//   the 32 vertices of a word, and its lanes together finish rows of more than FIRST entries. The search returns to
//   outward levels when the frontier has at most 1/`beta` of the vertices and does not grow.
//
// State: `distance` and `parent`, NONE for unreached vertices: -1, the largest unsigned number, so that the smaller
// parent is the better one. `queue[head:tail]`, the frontier before an outward level. `reached` twice, a bit per
// vertex: the state before an inward level, and after it. The counts of a step (an outward or inward level, or the
// search for a frontier) rotate among three places: the current counts, the previous counts, which other threads may
// still read, and the next counts, which are cleared. The launch ends after a budget of work, and the next launch
// continues.
//
// Races, all benign: in an outward level a thread may read an outdated distance of a vertex that already has a parent.
// The atomic minimum is then still correct, and its result shows that the vertex was already found.
//
// Cost: outward levels read each entry once, inward levels a few entries of each vertex. Work memory: an id and two
// bits per vertex, and about 16 bytes per 200 entries.
//
// Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.

typedef LABEL label;  // unsigned

#define NONE ((label)-1)
#define SHORT 32
#define LONG 1024
#define PIECE 256
#define FIRST 32
#define GROUP 8  // lanes per short row
#define LEVEL_COSTS (1ll << 17)  // minimum cost of a level, as the number of entries that are read in the same time
#define MAX_COUNTED (1u << 26)  // maximum count of a row's entries, so that the sum of 32 rows fits in 32 bits

enum { FOUND, ENTRIES, PIECES, COUNTS };  // counts of a step
enum { HEAD = 3 * COUNTS, TAIL, LEVEL, FRONTIER_ENTRIES, SEEN, STEP, STARTED };  // the state of the search

struct Search {
  i64 n;
  const offset* indptr;
  const vertex* indices;
  label *distance, *parent, *queue;
  i64* pieces;
  u64* counts;  // of this step
  i64 tail;  // of the queue before this step
};

// Return the number of this warp, such that consecutive numbers are in different blocks.
DEVICE i64 spread_warp_id() { return (i64)(threadIdx.x / WARP) * gridDim.x + blockIdx.x; }

// Append the vertex of each lane that has `found` one to the queue, and count the entries of these rows.
DEVICE void append(bool found, i64 u, const Search& s) {
  u32 who = __ballot_sync(ALL_LANES, found);
  if (who == 0) return;
  int leader = __ffs(who) - 1;
  u64 base = 0;
  if (lane_id() == leader) base = atomicAdd(s.counts + FOUND, (u64)__popc(who));
  u32 entries = found ? (u32)min((i64)s.indptr[u + 1] - (i64)s.indptr[u], (i64)MAX_COUNTED) : 0;
  entries = sum_of_lanes(entries);
  if (lane_id() == leader) atomicAdd(s.counts + ENTRIES, (u64)entries);
  base = __shfl_sync(ALL_LANES, base, leader);
  if (found) s.queue[s.tail + (i64)base + __popc(who & ((1u << lane_id()) - 1))] = (label)u;
}

// Follow entry e (if `any`) of the row of v, which is in the frontier; by all lanes of a warp together.
DEVICE void visit(bool any, i64 e, label v, label next, const Search& s) {
  i64 u = 0;
  bool found = false;
  if (any) {
    u = s.indices[e];
    label d = relaxed(s.distance + u);
    if (d == NONE) found = atomicMin(s.parent + u, v) == NONE;
    else if (d == next && relaxed(s.parent + u) > v) atomicMin(s.parent + u, v);
    if (found) store_relaxed(s.distance + u, next);
  }
  append(found, u, s);
}

DEVICE void outward(i64 head, label next, const Search& s) {
  int in_group = lane_id() % GROUP;
  for (i64 base = spread_warp_id() * (WARP / GROUP); base < s.tail - head; base += warp_count() * (WARP / GROUP)) {
    i64 i = head + base + lane_id() / GROUP, start = 0, end = 0;
    label v = 0;
    if (i < s.tail) v = s.queue[i], start = s.indptr[v], end = s.indptr[v + 1];
    bool is_short = end - start <= SHORT;
    i64 last = is_short ? end : start;
    for (i64 e = start + in_group; __any_sync(ALL_LANES, e < last); e += GROUP) visit(e < last, e, v, next, s);
    for (u32 who = __ballot_sync(ALL_LANES, !is_short && in_group == 0); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 row = __shfl_sync(ALL_LANES, start, leader), row_end = __shfl_sync(ALL_LANES, end, leader);
      label w = __shfl_sync(ALL_LANES, v, leader);
      if (row_end - row <= LONG) {
        for (i64 e = row + lane_id(); e - lane_id() < row_end; e += WARP) visit(e < row_end, e, w, next, s);
      } else {
        i64 count = (row_end - row + PIECE - 1) / PIECE;
        u64 place = 0;
        if (lane_id() == leader) place = atomicAdd(s.counts + PIECES, (u64)count);
        place = __shfl_sync(ALL_LANES, place, leader);
        for (i64 k = lane_id(); k < count; k += WARP) {
          s.pieces[2 * (place + k)] = (i64)w;
          s.pieces[2 * (place + k) + 1] = row + k * PIECE;
        }
      }
    }
  }
}

DEVICE void outward_by_pieces(i64 count, label next, const Search& s) {
  for (i64 i = spread_warp_id(); i < count; i += warp_count()) {
    label v = (label)s.pieces[2 * i];
    i64 start = s.pieces[2 * i + 1], end = min(start + PIECE, (i64)s.indptr[v + 1]);
    for (i64 e = start + lane_id(); e - lane_id() < end; e += WARP) visit(e < end, e, v, next, s);
  }
}

// The rows of incoming arcs of each vertex.
struct Inward {
  const offset* indptr;
  const vertex* indices;
  bool ascending;
};

DEVICE label if_reached(vertex u, const u32* reached) { return reached[u >> 5] >> (u & 31) & 1 ? (label)u : NONE; }

// Process one inward level, and count its vertices in `counts`. Bits after the last vertex are set.
DEVICE void inward_level(label next, const Inward& rows, const u32* reached, u32* reached_now, u32* in_block,
                         const Search& s) {
  if (threadIdx.x == 0) *in_block = 0;
  __syncthreads();
  u32 found = 0;
  for (i64 word = warp_id(), words = (s.n + 31) / 32; word < words; word += warp_count()) {
    u32 known = reached[word];
    i64 v = 32 * word + lane_id(), e = 0, end = 0;
    label smallest = NONE;
    if (!(known >> lane_id() & 1)) {
      e = rows.indptr[v], end = rows.indptr[v + 1];
      for (i64 last = min(end, e + FIRST); e < last; e += 4) {  // four loads at once
        vertex a = rows.indices[e], b = rows.indices[min(e + 1, last - 1)];
        vertex c = rows.indices[min(e + 2, last - 1)], d = rows.indices[min(e + 3, last - 1)];
        label ab = min(if_reached(a, reached), if_reached(b, reached));
        smallest = min(smallest, min(ab, min(if_reached(c, reached), if_reached(d, reached))));
        if (rows.ascending && smallest != NONE) break;
      }
      if (rows.ascending && smallest != NONE) e = end;
    }
    for (u32 who = __ballot_sync(ALL_LANES, e < end); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 row = __shfl_sync(ALL_LANES, e, leader), row_end = __shfl_sync(ALL_LANES, end, leader);
      label best = NONE;
      for (; row < row_end; row += WARP) {
        if (row + lane_id() < row_end) best = min(best, if_reached(rows.indices[row + lane_id()], reached));
        if (rows.ascending && __any_sync(ALL_LANES, best != NONE)) break;
      }
      for (int step = WARP / 2; step; step /= 2) best = min(best, __shfl_xor_sync(ALL_LANES, best, step));
      if (lane_id() == leader) smallest = min(smallest, best);
    }
    if (smallest != NONE) s.distance[v] = next, s.parent[v] = smallest;
    u32 now = __ballot_sync(ALL_LANES, smallest != NONE);
    if (lane_id() == 0) reached_now[word] = known | now;
    found += __popc(now);
  }
  if (lane_id() == 0 && found) atomicAdd(in_block, found);
  __syncthreads();
  if (threadIdx.x == 0 && *in_block) atomicAdd(s.counts + FOUND, (u64)*in_block);
}

DEVICE void mark_reached(u32* reached, const Search& s) {
  for (i64 word = warp_id(), words = (s.n + 31) / 32; word < words; word += warp_count()) {
    i64 v = 32 * word + lane_id();
    u32 bits = __ballot_sync(ALL_LANES, v >= s.n || s.distance[v] != NONE);
    if (lane_id() == 0) reached[word] = bits;
  }
}

// Process all levels, or the number of levels that the budget allows; `frontier` becomes the number of vertices from
// which the search continues. Initially `progress` is zero, and the sources are given: a list, or if it is null only
// `source`. No distance is larger than `last_level`. `inward`: whether the rows of incoming arcs are available (1), and
// also ascend (2). `budget`: of entries, per launch. `work` has space for pieces, `piece_words` words, followed by the
// queue and the bits.
KERNEL(1) search(i64 n, i64 all_entries, const offset* indptr, const vertex* indices, i64 inward,
                 const offset* inward_indptr, const vertex* inward_indices, const vertex* sources, i64 source_count,
                 i64 source, i64 last_level, i64 alpha, i64 beta, i64 budget, label* distance, label* parent, i64* work,
                 i64 piece_words, i64* progress, u32* barrier, i64* frontier) {
  __shared__ u32 in_block;
  u64* counts = (u64*)progress;
  i64 head = progress[HEAD], level = progress[LEVEL], seen = progress[SEEN], step = progress[STEP];
  i64 entries = progress[FRONTIER_ENTRIES];
  label* queue = (label*)(work + piece_words);
  Search s = {n, indptr, indices, distance, parent, queue, work, counts, progress[TAIL]};
  Inward rows = {inward_indptr, inward_indices, inward == 2};
  if (!progress[STARTED]) {
    EACH(v, n) distance[v] = NONE, parent[v] = NONE;
    grid_barrier(barrier);
    EACH_TOGETHER(i, source_count) {
      i64 v = i >= source_count ? 0 : sources ? (i64)sources[i] : source;
      if (i < source_count) distance[v] = 0, parent[v] = (label)v;
      append(i < source_count, v, s);
    }
    grid_barrier(barrier);
    entries = (i64)relaxed(s.counts + ENTRIES);
    s.tail = source_count, step = 1;  // the counts of step 1 are still zero
  }
  u32 *reached = (u32*)(queue + n), *reached_now = reached + (n + 31) / 32;
  bool is_inward = false;
  i64 size = s.tail - head, spent = 0;
  while (size > 0 && level < last_level && (is_inward || spent < budget)) {
    label next = (label)(level + 1);
    s.counts = counts + step % 3 * COUNTS;
    if (thread_id() < COUNTS) counts[(step + 1) % 3 * COUNTS + thread_id()] = 0;
    spent += LEVEL_COSTS + (is_inward ? n : entries);
    if (!is_inward && inward && entries * alpha > all_entries - seen) {
      mark_reached(reached, s);
      grid_barrier(barrier);
      is_inward = true;
      spent += n;
    }
    if (is_inward) {
      inward_level(next, rows, reached, reached_now, &in_block, s);
      grid_barrier(barrier);
      u32* other = reached;
      reached = reached_now, reached_now = other;
    } else {
      outward(head, next, s);
      grid_barrier(barrier);
      head = s.tail, seen += entries;
    }
    // Load all three together: a level of a lattice takes little more time than a few such loads.
    i64 count = (i64)relaxed(s.counts + PIECES), found = (i64)relaxed(s.counts + FOUND);
    entries = (i64)relaxed(s.counts + ENTRIES);
    if (count) {
      outward_by_pieces(count, next, s);
      grid_barrier(barrier);
      found = (i64)relaxed(s.counts + FOUND), entries = (i64)relaxed(s.counts + ENTRIES);
    }
    bool grows = found > size;
    size = found;
    level++, step++;
    if (!is_inward) {
      s.tail += size;
    } else if (size > 0 && !grows && size * beta <= n) {  // list the frontier
      s.counts = counts + step % 3 * COUNTS, s.tail = 0;
      if (thread_id() < COUNTS) counts[(step + 1) % 3 * COUNTS + thread_id()] = 0;
      EACH_TOGETHER(v, n) append(v < n && distance[v] == next, v, s);
      grid_barrier(barrier);
      entries = (i64)relaxed(s.counts + ENTRIES), head = 0, s.tail = size;
      is_inward = false;
      step++;
    }
  }
  if (thread_id() == 0) {
    progress[HEAD] = head, progress[TAIL] = s.tail, progress[LEVEL] = level, progress[SEEN] = seen;
    progress[FRONTIER_ENTRIES] = entries, progress[STEP] = step, progress[STARTED] = 1;
    *frontier = level < last_level ? size : 0;
  }
}
