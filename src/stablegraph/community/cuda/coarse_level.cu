// The next level of the hierarchy on a GPU; called by rows.py.
//
// Result: as in ../coarse_level.py; the order of the entries in a row may vary, and no later step depends on it.
//
// Idea: the rows of a part's members are one row, which a warp sums in shared memory if it is short. A block sums a
// long one as in links.cuh. A group of `lanes` lanes reads the row of a member, and the whole block reads rows that are
// much longer, if there are few.
//
// Cost: one look at each entry, and a copy of the coarse ones. Work memory: as in ../coarse_level.py.

#define WAITING 64  // rows of a part for the whole block
#define FEW_ENTRIES 1024

// Write each vertex to a place of its part; `filled` is initially 0.
KERNEL(8) list_members(i64 n, const label* part, const i64* starts, int* filled, i64* members) {
  EACH(v, n) {
    label p = part[v];
    members[starts[p] + atomicAdd(filled + p, 1)] = v;
  }
}

struct Parts {
  const i64 *starts, *members;  // the vertices of each part
  const offset* indptr;
  const vertex* indices;
  const i64* weights;
  const label* part;
  DEVICE bool has_many(i64 v) const { return (i64)indptr[v + 1] - (i64)indptr[v] > FEW_ENTRIES; }
  // Add the links of a row to other parts, until the sink has too many keys; then return false.
  DEVICE bool add_row(label p, i64 v, int rank, int step, const Sink& sink) const {
    for (i64 e = (i64)indptr[v] + rank, end = indptr[v + 1]; e < end; e += step) {
      label q = part[indices[e]];
      if (q != p && !sink.add(q, weight_of(e, weights))) return false;
    }
    return true;
  }
};

// Write the sums in a table to the places from `first` on, and count them.
template <class Team>
DEVICE void write_sums(const Table& table, i64 first, u32* count, label* new_indices, i64* new_weights, Team team) {
  table.take_all(team, [&](label key, i64 sum) {
    i64 place = first + place_in(count, key != EMPTY);
    if (key != EMPTY) new_indices[place] = key, new_weights[place] = sum;
  });
}

#define PARTS_PARAMETERS                                                                                               \
  const i64 *list, i64 list_first, i64 list_end, i64 lanes, const i64 *starts, const i64 *members,                    \
      const offset *indptr, const vertex *indices, const i64 *weights, const label *part, const i64 *room,            \
      label *new_indices, i64 *new_weights, i64 *lengths
#define PARTS Parts{starts, members, indptr, indices, weights, part}

KERNEL(4) sum_short(PARTS_PARAMETERS) {
  __shared__ WarpTables tables;
  __shared__ u32 counts[WARPS];
  tables.clear();
  Parts parts = PARTS;
  u32* count = counts + threadIdx.x / WARP;
  int step = (int)lanes;
  for (i64 i = list_first + warp_id(); i < list_end; i += warp_count()) {
    i64 p = list[i], first = room[p];
    Table table = tables.table(room[p + 1] - first);
    if (lane_id() == 0) *count = 0;
    for (i64 m = starts[p] + lane_id() / step; m < starts[p + 1]; m += WARP / step)
      parts.add_row((label)p, members[m], lane_id() % step, step, Sink{nullptr, table, true});
    __syncwarp();
    write_sums(table, first, count, new_indices, new_weights, OneWarp());
    __syncwarp();
    if (lane_id() == 0) lengths[p] = *count;
    __syncwarp();
  }
}

KERNEL(4) sum_long(PARTS_PARAMETERS, i64 kinds, label* far_keys, i64* far_sums, i64 places) {
  __shared__ BlockTable near;
  __shared__ i64 waiting[WAITING];
  __shared__ u32 count, waits;
  near.clear();
  Parts parts = PARTS;
  int step = (int)lanes;
  for (i64 i = list_first + blockIdx.x; i < list_end; i += gridDim.x) {
    i64 p = list[i], first = room[p], length = room[p + 1] - first;
    if (threadIdx.x == 0) count = 0;
    Table far = {far_keys + blockIdx.x * places, far_sums + blockIdx.x * places, mask_of(min(length, kinds))};
    Table table = filled(&near, far, [&](Sink sink) {
      if (threadIdx.x == 0) waits = 0;
      __syncthreads();
      bool fits = true;
      for (i64 m = starts[p] + threadIdx.x / step; fits && m < starts[p + 1]; m += BLOCK / step) {
        if (parts.has_many(members[m])) {
          u32 place = threadIdx.x % step == 0 ? atomicAdd(&waits, 1u) : WAITING;
          if (place < WAITING) waiting[place] = members[m];
        } else fits = parts.add_row((label)p, members[m], threadIdx.x % step, step, sink);
      }
      __syncthreads();
      if (waits <= WAITING) {
        for (u32 w = 0; fits && w < waits; w++) fits = parts.add_row((label)p, waiting[w], threadIdx.x, BLOCK, sink);
      } else {
        for (i64 m = starts[p] + threadIdx.x / step; fits && m < starts[p + 1]; m += BLOCK / step)
          if (parts.has_many(members[m])) fits = parts.add_row((label)p, members[m], threadIdx.x % step, step, sink);
      }
    });
    write_sums(table, first, &count, new_indices, new_weights, OneBlock{&near.word});
    __syncthreads();
    if (threadIdx.x == 0) lengths[p] = count;
    __syncthreads();
  }
}

// Copy rows to their final places.
KERNEL(6) copy_rows(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const i64* room,
                    const i64* new_indptr, const label* from_indices, const i64* from_weights, label* new_indices,
                    i64* new_weights) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 p, RowTeam team) {
    i64 from = room[p] - new_indptr[p];
    for (i64 e = new_indptr[p] + team.rank(), end = new_indptr[p + 1]; e < end; e += team.size())
      new_indices[e] = from_indices[e + from], new_weights[e] = from_weights[e + from];
  });
}
