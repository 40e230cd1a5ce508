// Jones-Plassmann coloring with shortcuts on a GPU, as in ECL-GC; called by jones_plassmann.py.
//
// Result: the first-fit coloring in the given order. It depends only on the graph and the order, not on the schedule.
//
// Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u adjacent to v and ahead of it}), with `is_ahead` of order.cuh.
// Vertices with a fixed color are ahead of all other vertices.
//
// Idea: as in ../../study/jones_plassmann.py. A vertex waits for its k neighbors ahead and starts with the colors 0 ..
// k. The colors of colored neighbors are removed from this set, and with w waits remaining only its lowest w + 1 colors
// matter. Two shortcuts: v takes its lowest color if no neighbor that it waits for may take this color; and a wait ends
// if the two vertices have no color in common. There are no ranks and no rounds: the order is compared once per edge,
// and each thread visits its vertices repeatedly. Outdated states cost time but are never wrong, because colors are
// only removed.
//
// A row of at most SHORT entries belongs to one thread: a bit for each entry says whether the vertex waits for that
// neighbor. A longer row belongs to a warp, which lists the neighbors that the vertex waits for. Reading all lists
// again in each turn would be too slow. Therefore each lane watches one neighbor of one such vertex: the first neighbor
// found that may take the vertex's lowest color. Only when this is no longer so, the whole warp reads the list. If long
// rows are ahead of short ones, they are colored first, in a separate step. Lists are built in chunks of CHUNK entries,
// so that a hub is divided among several warps.
//
// Without long rows, a thread remembers by a bit which of its vertices wait, and does not read colored ones again.
// With many vertices, the waiting vertices with short rows are listed for the next round, a few times. This avoids
// reading the states of all vertices in every turn.
//
// One launch runs all steps, with barriers between them. The macro HAS_LONG says whether there are long rows; without
// them, a thread needs fewer registers.
//
// State, a word per vertex, color 0 in the highest bit of a set:
//
//     no WAITS            colored: the color
//     WAITS and RANGE     the highest and the lowest color that it may take, 15 bits each; FAR: this color or higher
//     WAITS               the set of the colors that it may take, all of them below 30
//
// `words`: at position v, for a short row, its waits; from position n + indptr[v] / 16 on, for a long row, its
// remaining colors.
//
// Races, all benign: a thread may read an outdated state of another vertex, see above.
//
// Cost: a comparison for each entry; a few reads of each neighbor ahead. Work memory: 8 bytes per vertex, with many
// vertices also two ids per vertex; with long rows also an id and two bits per entry.
//
// Source: G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP
// 2020. Watching one neighbor and bounding the highest color by the remaining waits are extensions of this library.

#define WAITS (1u << 31)
#define RANGE (1u << 30)
#define FIRST (1u << 29)
#define SET_OF_ALL (RANGE - 1)
#define IN_SET 30
#define FAR 0x7fffu
#define SHORT 29  // entries, so that k + 1 colors fit into a set
#define CHUNK 1024  // entries, a multiple of 128
#define AT_ONCE 8  // entries compared together; some of them may be beyond the end of the row
#define PLACED 4  // times 32 vertices that get places in a list by one atomic operation

// Indices in `lengths`: the number of long rows, of chunks beyond the first of a row, and lengths of lists of waiting
// vertices.
enum { LISTED, EXTRA, WAITING };

// Return the set of colors from `lowest` to `highest`, limited to the size of a set.
DEVICE u32 between(u32 lowest, u32 highest) {
  return lowest >= IN_SET ? 0 : SET_OF_ALL >> lowest & SET_OF_ALL << (IN_SET - 1 - min(highest, (u32)IN_SET - 1));
}

// Properties of a state: the lowest and the highest color, the set of colors, and whether it may take (or has) a color.
DEVICE u32 lowest_in(u32 state) {
  return !(state & WAITS) ? state : state & RANGE ? state & FAR : __clz(state & SET_OF_ALL) - 2;
}
DEVICE u32 highest_in(u32 state) {
  return !(state & WAITS) ? state : state & RANGE ? state >> 15 & FAR : IN_SET - __ffs(state);
}
DEVICE u32 set_in(u32 state) {
  if (!HAS_LONG && state & WAITS) return state & SET_OF_ALL;  // only long rows have ranges
  if (!HAS_LONG) return state < IN_SET ? FIRST >> state : 0;
  bool is_set = (state & (WAITS | RANGE)) == WAITS;
  return is_set ? state & SET_OF_ALL : between(lowest_in(state), highest_in(state));
}
DEVICE bool may_take(u32 state, i64 color) {
  if (!(state & WAITS)) return color == (i64)state;
  if (state & RANGE) return (state & FAR) <= color && (color <= (state >> 15 & FAR) || (state >> 15 & FAR) == FAR);
  return color < IN_SET && (state & FIRST >> color);
}

// Return the index of the first word of a long row.
DEVICE i64 base_of(i64 n, i64 row) { return n + (row >> 4); }

// Set the initial states and the waits of short rows, and list the long rows and their extra chunks.
DEVICE void start(i64 n, const offset* indptr, const vertex* indices, const Order& order, u32* states, u32* words,
                  vertex* listed, vertex* watched, vertex* counts, vertex* extra, i64* lengths) {
  const int* fixed = order.fixed;
  EACH_TOGETHER(v, n) {
    bool is_long = false;
    i64 row = 0, length = 0;
    if (v < n) {
      row = indptr[v], length = indptr[v + 1] - row;
      if (fixed && fixed[v] >= 0) states[v] = fixed[v];
      else if (length > SHORT) is_long = true, states[v] = WAITS | RANGE | FAR << 15;
      else {
        u64 key = key_of(v, order);
        u32 waits = 0;
        for (int e = 0; e < length; e += AT_ONCE) {
          vertex u[AT_ONCE];
          for (int j = 0; j < AT_ONCE; j++) u[j] = e + j < length ? indices[row + e + j] : (vertex)v;
          for (int j = 0; j < AT_ONCE; j++) {
            if (e + j < length && is_ahead(u[j], v, key, order)) waits |= 1u << (e + j);
          }
        }
        states[v] = waits ? WAITS | between(0, __popc(waits)) : 0;
        if (waits) words[v] = waits;
      }
    }
    if (!HAS_LONG || !__any_sync(ALL_LANES, is_long)) continue;
    i64 place = place_in(lengths + LISTED, is_long);
    if (is_long) {
      listed[place] = watched[place] = (vertex)v;
      counts[place] = 0;
      i64 chunks = length / CHUNK;  // beyond the first
      if (chunks) {
        i64 at = atomicAdd(lengths + EXTRA, chunks);
        for (i64 chunk = 1; chunk <= chunks; chunk++, at++) {
          extra[2 * at] = (vertex)place, extra[2 * at + 1] = (vertex)chunk;
        }
      }
    }
  }
}

// List the neighbors that vertices of long rows wait for, and give these vertices all colors; one warp per chunk.
DEVICE void list_waits(i64 n, const offset* indptr, const vertex* indices, const Order& order, u32* words,
                       vertex* waits, const vertex* listed, vertex* counts, const vertex* extra, const i64* lengths) {
  int lane = lane_id();
  i64 first_ones = lengths[LISTED], all = first_ones + lengths[EXTRA];
  for (i64 item = warp_id(); item < all; item += warp_count()) {
    i64 place = item < first_ones ? item : (i64)extra[2 * (item - first_ones)];
    i64 chunk = item < first_ones ? 0 : (i64)extra[2 * (item - first_ones) + 1];
    i64 v = listed[place], row = indptr[v], length = indptr[v + 1] - row;
    i64 word = chunk * (CHUNK / 32) + lane, to = min(length, (chunk + 1) * CHUNK);
    if (word <= length >> 5) words[base_of(n, row) + word] = ~0u;
    u64 key = key_of(v, order);
    for (i64 e = chunk * CHUNK + lane; e - lane < to; e += 4 * WARP) {
      vertex u[4];
      bool ahead[4];
      u32 who[4];
      int total = 0;
      for (int j = 0; j < 4; j++) u[j] = e + j * WARP < to ? indices[row + e + j * WARP] : (vertex)v;
      for (int j = 0; j < 4; j++) ahead[j] = u[j] != v && is_ahead(u[j], v, key, order);
      for (int j = 0; j < 4; j++) who[j] = __ballot_sync(ALL_LANES, ahead[j]), total += __popc(who[j]);
      if (total == 0) continue;
      vertex at = 0;
      if (lane == 0) at = atomicAdd(counts + place, (vertex)total);
      at = __shfl_sync(ALL_LANES, at, 0);
      for (int j = 0; j < 4; j++) {
        if (ahead[j]) waits[row + at + __popc(who[j] & ((1u << lane) - 1))] = u[j];
        at += __popc(who[j]);
      }
    }
  }
}

// Try to color a vertex if its row is short; return whether it still waits.
DEVICE bool try_short(i64 v, const offset* indptr, const vertex* indices, u32* states, u32* words) {
  // These loads do not wait for each other, because nothing is tested before.
  u32 before = states[v], waits = words[v];
  i64 row = indptr[v], end = HAS_LONG ? indptr[v + 1] : row;
  if (!(before & WAITS) || end - row > SHORT) return false;
  u32 mine = before & SET_OF_ALL, theirs = 0, left = waits, ended = 0;
  while (left) {
    u32 bits[4], others[4];  // four loads at once
    for (int j = 0; j < 4; j++) bits[j] = left & -left, left &= left - 1;
    for (int j = 0; j < 4; j++) others[j] = bits[j] ? relaxed(states + indices[row + __ffs(bits[j]) - 1]) : 0;
    for (int j = 0; j < 4; j++) {
      if (bits[j] == 0) break;
      u32 other = set_in(others[j]), common = mine & other;
      if (!(others[j] & WAITS) || common == 0) {  // one color less is needed
        mine = common ? mine & ~common : mine & (mine - 1);
        ended |= bits[j];
      } else theirs |= other;
    }
  }
  int lowest = __clz(mine) - 2;
  bool takes = ended == waits || (theirs & FIRST >> lowest) == 0;
  if (takes) store_relaxed(states + v, (u32)lowest);
  else if (mine != (before & SET_OF_ALL)) store_relaxed(states + v, WAITS | mine);
  if (!takes && ended) words[v] = waits & ~ended;
  return !takes;
}

// Read the list of a vertex with a long row, with all lanes of a warp. Return the vertex to watch; -1 once it is
// colored.
DEVICE vertex try_long(i64 n, i64 v, const offset* indptr, u32* states, u32* words, vertex* waits, vertex* count) {
  int lane = lane_id();
  i64 row = indptr[v], length = indptr[v + 1] - row, room = ((length >> 5) + 1) * 32;
  u32 *colors = words + base_of(n, row), before = states[v], low = lowest_in(before), high = highest_in(before);
  vertex* list = waits + row;
  i64 listed = *count, kept = 0;
  // Remove the colors of colored neighbors; keep those neighbors that may take a color from `low` to `high`.
  for (i64 i = lane; i - lane < listed; i += 4 * WARP) {
    vertex u[4];
    u32 others[4];
    for (int j = 0; j < 4; j++) u[j] = i + j * WARP < listed ? list[i + j * WARP] : (vertex)v;
    for (int j = 0; j < 4; j++) others[j] = u[j] != v ? relaxed(states + u[j]) : ~WAITS;  // no color that counts
    __syncwarp();
    for (int j = 0; j < 4; j++) {
      bool stays = false;
      if (!(others[j] & WAITS)) {
        u32 color = others[j];
        if (color < room) atomicAnd(colors + (color >> 5), ~(1u << 31 >> (color & 31)));
      } else stays = lowest_in(others[j]) <= high && low <= highest_in(others[j]);
      u32 who = __ballot_sync(ALL_LANES, stays);
      if (stays) list[kept + __popc(who & ((1u << lane) - 1))] = u[j];
      kept += __popc(who);
    }
  }
  __syncwarp();
  // Find the lowest remaining color, and if it is near also the highest one that can still be needed.
  i64 word = low >> 5;
  u32 bits = 0, who = 0;
  for (;; word += WARP) {
    bits = (word + lane) * 32 < room ? relaxed(colors + word + lane) : 0;
    who = __ballot_sync(ALL_LANES, bits != 0);
    if (who) break;
  }
  int first = __ffs(who) - 1, size = __popc(bits), up_to = sum_up_to_lane(size);
  i64 lowest = (word + first) * 32 + __clz(__shfl_sync(ALL_LANES, bits, first)), highest = FAR;
  who = __ballot_sync(ALL_LANES, up_to > kept);
  if (who) {
    u32 rest = bits;
    for (i64 skip = kept - (up_to - size); skip > 0 && rest; skip--) rest &= ~(1u << 31 >> __clz(rest));
    int holder = __ffs(who) - 1;
    highest = (word + holder) * 32 + __shfl_sync(ALL_LANES, __clz(rest), holder);
  }
  // Watch a neighbor that may take the lowest color; if there is none, take this color.
  vertex watched = -1;
  for (i64 i = lane; i - lane < kept && watched < 0; i += WARP) {
    vertex u = i < kept ? list[i] : (vertex)v;
    who = __ballot_sync(ALL_LANES, i < kept && may_take(relaxed(states + u), lowest));
    if (who) watched = __shfl_sync(ALL_LANES, u, __ffs(who) - 1);
  }
  u32 from_first = __shfl_sync(ALL_LANES, bits, 0);
  if (lane == 0) {
    u32 state = WAITS | RANGE | (u32)min(highest, (i64)FAR) << 15 | (u32)min(lowest, (i64)FAR);
    if (watched < 0) state = (u32)lowest;
    else if (highest < IN_SET) state = WAITS | (from_first >> 2 & between((u32)lowest, (u32)highest));
    if (state != before) store_relaxed(states + v, state);
    *count = (vertex)kept;
  }
  __syncwarp();
  return watched;
}

// Try the short rows of the first `count` vertices, or of those in `list`; return whether vertices of this warp still
// wait. `eager`: if vertices of a warp wait for each other, try them again at once.
DEVICE bool turn_of_short(i64 count, const vertex* list, bool eager, const offset* indptr, const vertex* indices,
                          u32* states, u32* words) {
  bool some = false;
  EACH_TOGETHER(i, count) {
    i64 v = i < count && list ? (i64)list[i] : i;
    u32 before, after = eager ? __ballot_sync(ALL_LANES, i < count && states[v] & WAITS) : 0;
    do {
      before = after;
      after = __ballot_sync(ALL_LANES, i < count && try_short(v, indptr, indices, states, words));
    } while (eager && after && after != before);
    some |= after != 0;
  }
  return some;
}

// Try the vertices of this thread that wait; return whether some still do. Their bits are in `pending`; the last bit
// is set while any further vertex waits.
DEVICE bool turn_of_pending(i64 count, const vertex* list, u32& pending, const offset* indptr, const vertex* indices,
                            u32* states, u32* words) {
  for (u32 rest = pending; rest; rest &= rest - 1) {
    int bit = __ffs(rest) - 1;
    i64 i = thread_id() + bit * thread_count();
    bool some = false;
    do {
      some |= try_short(list ? (i64)list[i] : i, indptr, indices, states, words);
      i += thread_count();
    } while (bit == 31 && i < count);
    if (!some) pending &= ~(1u << bit);
  }
  return pending != 0;
}

// Visit the long rows; return whether vertices of this warp still wait.
DEVICE bool turn_of_long(i64 n, const offset* indptr, u32* states, u32* words, vertex* waits, const vertex* listed,
                         vertex* watched, vertex* counts, i64 long_rows) {
  i64 lane = lane_id();
  bool some = false;
  // Lanes take places of the list in turn, so that each warp gets an equal number.
  for (i64 i = warp_id() + lane * warp_count(); i - lane * warp_count() < long_rows; i += WARP * warp_count()) {
    vertex u = i < long_rows ? watched[i] : -1, v = u < 0 ? 0 : listed[i];
    bool ready = false;
    if (u >= 0) {
      u32 other = relaxed(states + u);
      ready = u == v || !(other & WAITS) || !may_take(other, lowest_in(states[v]));
      some |= !ready;
    }
    for (u32 who = __ballot_sync(ALL_LANES, ready); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 place = __shfl_sync(ALL_LANES, i, leader);
      vertex now = try_long(n, listed[place], indptr, states, words, waits, counts + place);
      if (lane == leader) watched[i] = now, some |= now >= 0;
    }
  }
  return __any_sync(ALL_LANES, some);
}

// Try each vertex of the list of this `round` once (all vertices in round 0), and list the vertices that still wait.
DEVICE void list_short(i64 n, i64 round, const offset* indptr, const vertex* indices, u32* states, u32* words,
                       const vertex* list, vertex* next, i64* lengths) {
  int lane = lane_id();
  i64 count = round ? lengths[WAITING + round - 1] : n;
  for (i64 first = warp_id() * PLACED * WARP; first < count; first += warp_count() * PLACED * WARP) {
    vertex v[PLACED];
    u32 who[PLACED];
    int total = 0;
    for (int k = 0; k < PLACED; k++) {
      i64 i = first + k * WARP + lane;
      v[k] = i < count && round ? list[i] : (vertex)i;
      who[k] = __ballot_sync(ALL_LANES, i < count && try_short(v[k], indptr, indices, states, words));
      total += __popc(who[k]);
    }
    if (total == 0) continue;
    i64 at = lane == 0 ? atomicAdd(lengths + WAITING + round, (i64)total) : 0;
    at = __shfl_sync(ALL_LANES, at, 0);
    for (int k = 0; k < PLACED; k++) {
      if (who[k] >> lane & 1) next[at + __popc(who[k] & ((1u << lane) - 1))] = v[k];
      at += __popc(who[k]);
    }
  }
}

#ifndef SEVERAL_CARDS  // the kernel of spread_coloring.cu follows instead
// Color all vertices. `first`: this is the first launch; another one, with the same arguments, continues if `left` has
// become 1, after `turns` turns. `apart`: no long row waits for a short one. After `rounds` lists of waiting vertices
// in the two halves of `waiting`, only the vertices of the last list are tried.
KERNEL(HAS_LONG ? 2 : 3) color(i64 n, const offset* indptr, const vertex* indices, i64 by, i64 hashed, i64 seed,
                               const offset* degree_ptr, i64 less, const u64* numbers, const int* fixed, i64 first,
                               i64 apart, i64 rounds, i64 turns, u32* states, u32* words, vertex* waits, vertex* listed,
                               vertex* watched, vertex* counts, vertex* extra, vertex* waiting, i64* lengths,
                               u32* barrier, i64* left) {
  Order order = {by, hashed, seed, degree_ptr, less, numbers, fixed};
  bool eager = !hashed;  // in order of ids, vertices mostly wait for vertices with close ids
  if (first) {
    if (HAS_LONG || rounds) {
      EACH(i, WAITING + rounds) lengths[i] = 0;
      grid_barrier(barrier);
    }
    start(n, indptr, indices, order, states, words, listed, watched, counts, extra, lengths);
    grid_barrier(barrier);
    if (HAS_LONG) {
      list_waits(n, indptr, indices, order, words, waits, listed, counts, extra, lengths);
      grid_barrier(barrier);
    }
  }
  i64 long_rows = HAS_LONG ? lengths[LISTED] : 0;
  bool some = HAS_LONG && apart;
  for (int turn = 0; turn < turns && some; turn++) {
    some = turn_of_long(n, indptr, states, words, waits, listed, watched, counts, long_rows);
  }
  if (some && lane_id() == 0) store_relaxed(left, (i64)1);
  if (HAS_LONG && apart) grid_barrier(barrier);
  for (i64 round = 0; first && round < rounds; round++) {
    vertex *list = waiting + (round + 1) % 2 * n, *next = waiting + round % 2 * n;
    list_short(n, round, indptr, indices, states, words, list, next, lengths);
    grid_barrier(barrier);
  }
  const vertex* list = rounds ? waiting + (rounds + 1) % 2 * n : 0;
  i64 count = rounds ? lengths[WAITING + rounds - 1] : n;
  i64 own = (count - thread_id() + thread_count() - 1) / thread_count();  // vertices of this thread
  u32 pending = own <= 0 ? 0 : own < 32 ? (1u << own) - 1 : ~0u;
  some = true;
  for (int turn = 0; turn < turns && some; turn++) {
    some = HAS_LONG && !apart && turn_of_long(n, indptr, states, words, waits, listed, watched, counts, long_rows);
    if (HAS_LONG || eager) some |= turn_of_short(count, list, eager, indptr, indices, states, words);
    else some = __any_sync(ALL_LANES, turn_of_pending(count, list, pending, indptr, indices, states, words));
  }
  if (some && lane_id() == 0) store_relaxed(left, (i64)1);
}
#endif
