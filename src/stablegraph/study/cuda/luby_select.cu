// Luby's algorithm with random selection, with many rounds in one launch; the driver is luby_select.py.
//
// Result: the set of ../luby_select.py, on every schedule.
//
// Rule: v is drawn  <=>  hash32(v + hash32(seed + draw)) < 2^32 / (2 d(v)), with d the number of neighbors;
// v joins  <=>  v is drawn, and (d(v), v) > (d(u), u) for every neighbor u that is drawn; its neighbors are out.
//
// Idea: all blocks run concurrently and synchronize at a barrier after each step of a round: draw, choose, settle.
// Eight lanes read a row of up to SHORT entries, and a warp reads a longer one.
//
// State, one byte per vertex: 0 out, 1 undecided, 2 undecided and drawn, 255 in. Two lists of undecided vertices: one
// for this round and one for the next. The counts of a turn of the loop use one of three slots in rotation: one for
// this turn, one for the last turn, which threads may still read, and one for the next turn, which is being cleared.
// The launch ends when its budget of work is spent, and the next launch continues.
//
// Races, benign: in choose, a neighbor that joins may be read as drawn or as in; both count as drawn. In settle, a
// neighbor may be read as undecided or as out; neither is in. Other steps have no races.
//
// Cost: a few microseconds per round; a round reads the neighbors of each undecided vertex until one is in. Work
// memory: one byte and two ids per vertex.
//
// Sources: see ../luby_select.py.

#define OUT 0
#define LEFT 1
#define DRAWN 2
#define IN 255
#define MAX_EMPTY_DRAWS 64  // in a row, as on the CPU
#define SHORT 128
#define GROUP 8  // lanes per short row
#define GROUP_LANES 255u
#define TURN_COSTS (1ll << 17)  // the number of entries that could be read in the minimum time of a turn

enum { LISTED, SOME_DRAWN, COUNTS };  // counts of a turn
enum { TURN = 3 * COUNTS, ROUND, DRAW, EMPTY_DRAWS, REMAINING };  // places in `progress`

struct Prevails {  // whether u is in the selection and prevails over v
  const offset* degrees;
  const u8* state;
  int least;  // the smallest state of selected vertices
  DEVICE bool operator()(vertex u, vertex v) const {
    return state[u] >= least && (degrees[u] > degrees[v] || (degrees[u] == degrees[v] && u > v));
  }
};

struct IsIn {
  const u8* state;
  DEVICE bool operator()(vertex u, vertex) const { return state[u] == IN; }
};

// Return whether the vertex v of a lane has a neighbor that passes, if `wanted`; all lanes of a warp work together.
template <class Test>
DEVICE bool has_neighbor(bool wanted, vertex v, const offset* indptr, const vertex* indices, const Test& passes) {
  int in_group = lane_id() % GROUP;
  i64 start = 0, end = 0;
  if (wanted) start = indptr[v], end = indptr[v + 1];
  bool is_short = end - start <= SHORT, result = false;
  u32 short_ones = __ballot_sync(ALL_LANES, wanted && is_short);
  for (int first = 0; first < WARP; first += WARP / GROUP) {
    if (!(short_ones >> first & (1u << WARP / GROUP) - 1)) continue;
    int from = first + lane_id() / GROUP;
    i64 e = __shfl_sync(ALL_LANES, start, from) + in_group;
    i64 last = __shfl_sync(ALL_LANES, is_short ? end : start, from);
    vertex w = __shfl_sync(ALL_LANES, v, from);
    u32 found = 0;  // bits of lanes whose group has found such a neighbor
    for (; __any_sync(ALL_LANES, e < last); e += GROUP) {
      found |= __ballot_sync(ALL_LANES, e < last && passes(indices[e], w));
      if (found >> (lane_id() - in_group) & GROUP_LANES) last = e;
    }
    int group = lane_id() - first;
    if (group >= 0 && group < WARP / GROUP) result = found >> group * GROUP & GROUP_LANES;
  }
  for (u32 who = __ballot_sync(ALL_LANES, !is_short); who; who &= who - 1) {
    int leader = __ffs(who) - 1;
    i64 row = __shfl_sync(ALL_LANES, start, leader), row_end = __shfl_sync(ALL_LANES, end, leader);
    vertex w = __shfl_sync(ALL_LANES, v, leader);
    bool found = false;
    for (; row < row_end && !found; row += WARP) {
      bool mine = row + lane_id() < row_end && passes(indices[row + lane_id()], w);
      found = __any_sync(ALL_LANES, mine);
    }
    if (lane_id() == leader) result = found;
  }
  return result;
}

DEVICE void list_undecided(i64 n, const u8* state, vertex* list, u64* length) {
  EACH_TOGETHER(v, n) {
    bool listed = v < n && state[v] == LEFT;
    u64 place = place_in(length, listed);
    if (listed) list[place] = (vertex)v;
  }
}

// Run rounds until all vertices are decided or the budget is spent, and write the mask at the end; `left` becomes the
// number of undecided vertices. In the first launch, `progress` is zero. `state` is an input unless `fresh`; then it is
// initialized with all vertices that have neighbors undecided. `lists` has room for 2 n vertices. `budget` is the
// number of entries per launch.
KERNEL(1) rounds(i64 n, const offset* indptr, const vertex* indices, const offset* degrees, i64 seed, i64 adaptive,
                 i64 fresh, i64 budget, u8* state, vertex* lists, i64* progress, u8* mask, u32* barrier,
                 i64* left) {
  u64* all_counts = (u64*)progress;
  i64 turn = progress[TURN], round = progress[ROUND], draw = progress[DRAW], spent = 0;
  i64 empty_draws = progress[EMPTY_DRAWS], remaining = progress[REMAINING];
  if (turn == 0) {
    if (fresh) EACH(v, n) state[v] = degrees[v] > 0 ? LEFT : IN;
    grid_barrier(barrier);
    list_undecided(n, state, lists, all_counts + LISTED);
    grid_barrier(barrier);
    remaining = (i64)relaxed(all_counts + LISTED);
    turn = 1;  // the counts of turn 1 are still zero
  }
  for (; remaining > 0 && spent < budget; turn++) {
    u64* counts = all_counts + turn % 3 * COUNTS;
    if (thread_id() < COUNTS) all_counts[(turn + 1) % 3 * COUNTS + thread_id()] = 0;
    const vertex* list = lists + (round & 1) * n;
    vertex* next = lists + (1 - (round & 1)) * n;
    spent += TURN_COSTS + GROUP * remaining;
    int least = LEFT;
    if (!(adaptive && 2 * remaining < n) && empty_draws < MAX_EMPTY_DRAWS) {
      u32 draw_seed = hash32((u64)(seed + draw++));
      bool some = false;
      EACH(i, remaining) {
        vertex v = list[i];
        bool is_drawn = hash32((u64)v + draw_seed) <= 2147483647u / degrees[v];
        state[v] = is_drawn ? DRAWN : LEFT;
        some |= is_drawn;
      }
      if (some) store_relaxed(counts + SOME_DRAWN, (u64)1);
      grid_barrier(barrier);
      if (!relaxed(counts + SOME_DRAWN)) {
        empty_draws++;
        continue;
      }
      least = DRAWN;
    }
    EACH_TOGETHER(i, remaining) {
      vertex v = i < remaining ? list[i] : 0;
      bool chosen = i < remaining && state[v] >= least;
      bool stays = has_neighbor(chosen, v, indptr, indices, Prevails{degrees, state, least});
      if (chosen && !stays) state[v] = IN;
    }
    grid_barrier(barrier);
    EACH_TOGETHER(i, remaining) {
      vertex v = i < remaining ? list[i] : 0;
      bool waits = i < remaining && state[v] != IN;
      bool goes_out = has_neighbor(waits, v, indptr, indices, IsIn{state});
      if (goes_out) state[v] = OUT;
      bool listed = waits && !goes_out;
      u64 place = place_in(counts + LISTED, listed);
      if (listed) next[place] = v;
    }
    grid_barrier(barrier);
    remaining = (i64)relaxed(counts + LISTED);
    round++, empty_draws = 0;
  }
  if (remaining == 0) EACH(v, n) mask[v] = state[v] == IN;
  if (thread_id() == 0) {
    progress[TURN] = turn, progress[ROUND] = round, progress[DRAW] = draw;
    progress[EMPTY_DRAWS] = empty_draws, progress[REMAINING] = remaining;
    *left = remaining;
  }
}
