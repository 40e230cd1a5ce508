// The base of all CUDA sources for communities: rules, lists of rows by their lengths, and sums of links by community.
//
// Result: as in ../rules.py.
//
// Idea: a list has its rows in four tiers. Up to 8 lanes of a warp read a TINY row, a warp a SHORT one: a lane has one
// entry, and compares its key with those of all other lanes. A warp sums the links of a MEDIUM row in a hash table in
// shared memory, and a block those of a LONG row. If a long row has too many keys for shared memory, the table of the
// block in global memory is used; each table is left empty.
//
// Sums are integers, so they do not depend on the order of additions. Gains are computed by intrinsics that the
// compiler does not combine to fused multiply-adds.
//
// MEDIUM_ROW: the maximum number of entries of a row that a warp sums in a table of WARP_SLOTS places, at least twice
// as many. SLOTS: the places of the table of a block. All are powers of two.

typedef int label;  // a community, or a part

#define EMPTY ((label)-1)
#define TINY_ROW 8
#define SHORT_ROW WARP
#define WARPS (BLOCK / WARP)
#define LIMIT (SLOTS - SLOTS / 4 - BLOCK)  // keys in the table of a block; each thread may add one more
enum Tier { TINY, SHORT, MEDIUM, LONG, TIERS };

// ---- Rules (../rules.py) --------------------------------------------------------------------------------------------

#define TINY_GAIN 9.094947017729282e-13  // 2**-40
#define THETA 0.1
#define NEVER 0x7fffffffffffffffll
#define UNIT 2.3283064365386963e-10  // 2**-32

DEVICE double product(double x, double y) { return __dmul_rn(x, y); }
DEVICE double difference(double x, double y) { return __dadd_rn(x, -y); }
DEVICE double worth(i64 links, double rate, i64 mass) { return difference((double)links, product(rate, (double)mass)); }
DEVICE bool is_gain(double gain, i64 links, double rate, i64 masses) {
  return gain > product(TINY_GAIN, __dadd_rn((double)links, product(rate, (double)masses)));
}
DEVICE u32 draw(i64 x, u32 salt) { return hash32(hash32((u64)x) ^ salt); }
DEVICE i64 turn(i64 v, u32 salt) { return ((i64)(draw(v, salt) >> 5) << 36) | v; }
DEVICE double varied(double value, label part, i64 v, u32 salt) {
  double drawn = product((double)draw(part, salt ^ hash32((u64)v)), UNIT);
  return product(value, difference(1.0, product(THETA, drawn)));
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

DEVICE int tier_of(i64 length) {
  return length <= TINY_ROW ? TINY : length <= SHORT_ROW ? SHORT : length <= MEDIUM_ROW ? MEDIUM : LONG;
}
DEVICE i64 weight_of(i64 e, const i64* weights) { return weights ? weights[e] : 1; }

// The threads that read a row: a block, a warp or TINY_ROW lanes.
struct RowTeam {
  int threads;
  u64* word;  // in the shared memory of the block
  DEVICE int size() const { return threads; }
  DEVICE int rank() const { return threadIdx.x % threads; }
  DEVICE i64 sum(i64 x) const {
    if (threads == BLOCK) return OneBlock{word}.sum(x);
    return threads == WARP ? OneWarp().sum(x) : PartOfWarp<TINY_ROW>().sum(x);
  }
  DEVICE bool any(bool p) const {
    if (threads == BLOCK) return OneBlock{word}.any(p);
    return threads == WARP ? OneWarp().any(p) : PartOfWarp<TINY_ROW>().any(p);
  }
};

// Call `use(i, v, team)` for the listed vertices v at positions first <= i < end. Tiny rows end at `short_first`, and
// long rows start at `long_first`.
template <class Use>
DEVICE void each_row(const i64* list, i64 first, i64 short_first, i64 long_first, i64 end, u64* word, Use use) {
  for (i64 i = long_first + blockIdx.x; i < end; i += gridDim.x) use(i, list[i], RowTeam{BLOCK, word});
  for (i64 i = short_first + warp_id(); i < long_first; i += warp_count()) use(i, list[i], RowTeam{WARP, word});
  for (i64 i = first + thread_id() / TINY_ROW; i < short_first; i += thread_count() / TINY_ROW)
    use(i, list[i], RowTeam{TINY_ROW, word});
}

// ---- The best key ---------------------------------------------------------------------------------------------------

// Map a number to an integer above 0 with the same order; it is neither NaN nor -0.0.
DEVICE u64 in_order(double x) {
  i64 bits = __double_as_longlong(x);
  return (u64)(bits < 0 ? ~bits : bits ^ (1ll << 63));
}

struct Best {
  label key;
  double value, second;  // the value of the key, and the largest one of all other keys, at least 0
  u32 tie;
  i64 links;
  DEVICE void clear() { key = EMPTY, value = second = 0.0, tie = ~0u, links = 0; }
  DEVICE void consider(label other, double its_value, u32 its_tie, i64 its_links) {
    if (key == EMPTY || its_value > value || (its_value == value && its_tie < tie)) {
      if (key != EMPTY) second = fmax(second, value);
      key = other, value = its_value, tie = its_tie, links = its_links;
    } else {
      second = fmax(second, its_value);
    }
  }
  // Return whether this thread has the best key of the team. If no thread has a key, it is the first thread.
  template <class Team> DEVICE bool is_first_of(const Team& team) const {
    u64 order = key == EMPTY ? 0 : in_order(value), most = ~team.least(~order);
    u32 least = team.least(order == most ? tie : ~0u);
    return most == 0 ? team.rank() == 0 : order == most && tie == least;
  }
  // Return the second value of the team, if `is_first` is the result of `is_first_of`.
  template <class Team> DEVICE double second_of(const Team& team, bool is_first) const {
    double mine = is_first || key == EMPTY ? second : fmax(second, value);
    return __longlong_as_double((i64)~team.least(~(u64)__double_as_longlong(mine)));
  }
};

// ---- Sums of links --------------------------------------------------------------------------------------------------

// Add to a 64-bit sum by atomic operations of 32 bits, which are faster in shared memory.
DEVICE void add_to_sum(i64* sum, i64 weight) {
  u32 low = (u32)weight, high = (u32)(weight >> 32), *halves = (u32*)sum;
  u32 before = atomicAdd(halves, low);
  high += (u32)(before + low) < low;
  if (high) atomicAdd(halves + 1, high);
}

struct Table {
  label* keys;
  i64* sums;
  u32 mask;  // the number of places - 1
  // Add a weight to the sum of a key; return whether the key is new.
  DEVICE bool add(label key, i64 weight) const {
    u32 place = (u32)key * 0x9E3779B1u;
    for (place = (place ^ place >> 15) & mask;; place = (place + 1) & mask) {
      label seen = *(volatile label*)(keys + place);
      if (seen == EMPTY) seen = atomicCAS(keys + place, EMPTY, key);
      if (seen != EMPTY && seen != key) continue;
      add_to_sum(sums + place, weight);
      return seen == EMPTY;
    }
  }
  // Call `use(key, sum)` for each place, with EMPTY as the key of an empty one, and clear the table.
  template <class Team, class Use> DEVICE void take_all(const Team& team, Use use) const {
    for (u64 place = team.rank(); place <= mask; place += team.size()) {
      label key = keys[place];
      use(key, sums[place]);
      if (key != EMPTY) keys[place] = EMPTY, sums[place] = 0;
    }
  }
  template <class Team> DEVICE void clear(const Team& team) const {
    for (u64 place = team.rank(); place <= mask; place += team.size()) keys[place] = EMPTY, sums[place] = 0;
  }
};

// Return the mask of a table for some keys.
DEVICE u32 mask_of(i64 keys) { return keys <= WARP ? 2 * WARP - 1 : (u32)((1ull << (64 - __clzll(2 * keys - 1))) - 1); }

struct WarpTables {
  label keys[WARPS][WARP_SLOTS];
  i64 sums[WARPS][WARP_SLOTS];
  DEVICE Table table(i64 length) { int warp = threadIdx.x / WARP; return {keys[warp], sums[warp], mask_of(length)}; }
  DEVICE void clear() {
    table(WARP_SLOTS / 2).clear(OneWarp());
    __syncwarp();
  }
};

struct BlockTable {
  label keys[SLOTS];
  i64 sums[SLOTS];
  u64 word;
  u32 distinct;
  DEVICE Table table() { return {keys, sums, SLOTS - 1}; }
  DEVICE void clear() {
    if (threadIdx.x == 0) distinct = 0;
    table().clear(OneBlock{&word});
    __syncthreads();
  }
  // Add a weight to the sum of a key; return false if there were already too many keys.
  DEVICE bool add(label key, i64 weight) {
    if (*(volatile u32*)&distinct > LIMIT) return false;
    if (table().add(key, weight)) atomicAdd(&distinct, 1u);
    return true;
  }
};

// A table in shared memory, or one in global memory.
struct Sink {
  BlockTable* near;
  Table far;
  bool is_far;
  DEVICE bool add(label key, i64 weight) const {
    if (!is_far) return near->add(key, weight);
    far.add(key, weight);
    return true;
  }
};

// Return the table that has the sums of all keys, after all threads of the block have called `fill(sink)`, which calls
// `sink.add` until it returns false.
template <class Fill> DEVICE Table filled(BlockTable* near, const Table& far, Fill fill) {
  fill(Sink{near, far, false});
  __syncthreads();
  bool fits = near->distinct <= LIMIT;
  __syncthreads();
  if (threadIdx.x == 0) near->distinct = 0;
  if (fits) return near->table();
  near->table().clear(OneBlock{&near->word});
  fill(Sink{near, far, true});
  __syncthreads();
  return far;
}

// Look at rows: a job has a key for each neighbor, considers the sum of the links of each key, and decides. `begin`
// returns false if a vertex is skipped.

template <int LANES, class Job>
DEVICE void look_at_short_rows(Job job, const i64* list, i64 first, i64 end, const offset* indptr,
                               const vertex* indices, const i64* weights) {
  PartOfWarp<LANES> team;
  for (i64 i = first + thread_id() / LANES; i < end; i += thread_count() / LANES) {
    i64 v = list[i];
    if (!job.begin(v)) continue;
    i64 e = (i64)indptr[v] + team.rank();
    bool is_entry = e < (i64)indptr[v + 1];
    label key = is_entry ? job.key(indices[e]) : EMPTY;
    i64 weight = is_entry ? weight_of(e, weights) : 0, links = 0;
    bool is_first = key != EMPTY;
    for (int lane = 0; lane < LANES; lane++) {
      label other = team.from(key, lane);
      i64 its_weight = team.from(weight, lane);
      if (other == key) links += its_weight, is_first &= lane >= team.rank();
    }
    if (is_first) job.consider(key, links);
    job.decide(team);
  }
}

template <class Job>
DEVICE void look_at_medium_rows(Job job, const i64* list, i64 first, i64 end, const offset* indptr,
                                const vertex* indices, const i64* weights, WarpTables* tables) {
  tables->clear();
  for (i64 i = first + warp_id(); i < end; i += warp_count()) {
    i64 v = list[i], start = indptr[v], stop = indptr[v + 1];
    if (!job.begin(v)) continue;
    Table table = tables->table(stop - start);
    for (i64 e = start + lane_id(); e < stop; e += WARP) {
      label key = job.key(indices[e]);
      if (key != EMPTY) table.add(key, weight_of(e, weights));
    }
    __syncwarp();
    table.take_all(OneWarp(), [&](label key, i64 links) { if (key != EMPTY) job.consider(key, links); });
    __syncwarp();
    job.decide(OneWarp());
  }
}

// `far_keys` and `far_sums` have a table of `places` places for each block, enough for `kinds` keys or the longest row.
template <class Job>
DEVICE void look_at_long_rows(Job job, const i64* list, i64 first, i64 end, const offset* indptr,
                              const vertex* indices, const i64* weights, i64 kinds, label* far_keys, i64* far_sums,
                              i64 places, BlockTable* near) {
  near->clear();
  for (i64 i = first + blockIdx.x; i < end; i += gridDim.x) {
    i64 v = list[i], start = indptr[v], stop = indptr[v + 1];
    if (!job.begin(v)) continue;
    Table far = {far_keys + blockIdx.x * places, far_sums + blockIdx.x * places, mask_of(min(stop - start, kinds))};
    Table table = filled(near, far, [&](Sink sink) {
      for (i64 e = start + threadIdx.x; e < stop; e += BLOCK) {
        label key = job.key(indices[e]);
        if (key != EMPTY && !sink.add(key, weight_of(e, weights))) break;
      }
    });
    table.take_all(OneBlock{&near->word}, [&](label key, i64 links) { if (key != EMPTY) job.consider(key, links); });
    job.decide(OneBlock{&near->word});
    __syncthreads();
  }
}

// Define the kernels NAME_tiny, NAME_short, NAME_medium and NAME_long: a job looks at the listed rows of one tier. The
// first parameters are the list and the rows.
#define LISTED_ROWS                                                                                                    \
  const i64 *list, i64 list_first, i64 list_end, const offset *indptr, const vertex *indices, const i64 *weights
#define ROW_KERNELS(NAME, JOB, ...)                                                                                    \
  KERNEL(4) NAME##_tiny(LISTED_ROWS, __VA_ARGS__) {                                                                    \
    look_at_short_rows<TINY_ROW>(JOB, list, list_first, list_end, indptr, indices, weights);                           \
  }                                                                                                                    \
  KERNEL(4) NAME##_short(LISTED_ROWS, __VA_ARGS__) {                                                                   \
    look_at_short_rows<SHORT_ROW>(JOB, list, list_first, list_end, indptr, indices, weights);                          \
  }                                                                                                                    \
  KERNEL(4) NAME##_medium(LISTED_ROWS, __VA_ARGS__) {                                                                  \
    __shared__ WarpTables tables;                                                                                      \
    look_at_medium_rows(JOB, list, list_first, list_end, indptr, indices, weights, &tables);                           \
  }                                                                                                                    \
  KERNEL(4) NAME##_long(LISTED_ROWS, __VA_ARGS__, i64 kinds, label* far_keys, i64* far_sums, i64 places) {             \
    __shared__ BlockTable near;                                                                                        \
    look_at_long_rows(JOB, list, list_first, list_end, indptr, indices, weights, kinds, far_keys, far_sums, places,    \
                      &near);                                                                                          \
  }
