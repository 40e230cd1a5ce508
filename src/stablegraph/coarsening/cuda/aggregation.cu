// Aggregation around distance-2 independent sets on a GPU; called by aggregation.py.
//
// Result and state: as in ../aggregation.py. LABEL is the type of labels.
//
// Rule: roots take their free neighbors. Each remaining vertex joins the aggregate with the highest worth for it: the
// most links, then the smallest size. ../aggregation.py has the complete rule.
//
// Idea: roots are numbered by ranges (shares) of the vertices: first the roots of each share are counted, then
// numbered. Phases 1 and 2 assign a warp to a root, or a block if its row is long. In phase 3 a warp counts the labels
// of a row in its lanes: one lane for each of up to MAX_KINDS aggregates. This is enough for Kokkos Kernels, which
// tracks eight, and for almost all rows. Rows with more labels are listed, and a block counts them in a hash table in
// shared memory. For a long row several blocks each count a part of the labels, such that the table has space for them.
// Nothing is counted in global memory.
//
// Races: none. No two roots of one phase have a common neighbor, and phase 3 reads one array of labels and writes
// another.
//
// Cost: the rows of roots, of candidates, of the remaining vertices, and of those that may move. Work memory: three or
// four labels and three ids per vertex.
//
// Sources: see `aggregate`.

// LONG_ROW: the maximum number of entries of a root's row that a warp reads. SLOTS: size of the hash table, a power of
// two. SMALLEST and TRACKED: as in ../aggregation.py.
typedef LABEL label;

#define FREE ((label)-1)
#define FIRST_ENTRIES 32  // the entries that a thread reads before its warp helps

// ---- Roots ----------------------------------------------------------------------------------------------------------

// Count the members in each share of the vertices.
KERNEL(8) count_members(i64 n, const u8* members, i64 shares, i64* counts) {
  __shared__ u64 shared;
  i64 size = (n + shares - 1) / shares;
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 found = 0;
    for (i64 v = share * size + threadIdx.x, end = min(n, (share + 1) * size); v < end; v += BLOCK) found += members[v];
    found = OneBlock{&shared}.sum(found);
    if (threadIdx.x == 0) counts[share] = found;
  }
}

// Make the members roots, numbered in order from `first` (0 if null) on; `total` is the number after the last one.
KERNEL(8) number_members(i64 n, const u8* members, i64 shares, const i64* counts, const i64* first, i64* total,
                         vertex* roots) {
  __shared__ u64 shared;
  __shared__ u32 in_warps[BLOCK / WARP];
  i64 size = (n + shares - 1) / shares;
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 before = 0;
    for (i64 other = threadIdx.x; other < share; other += BLOCK) before += counts[other];
    before = OneBlock{&shared}.sum(before);
    for (i64 start = share * size, end = min(n, start + size); start < end; start += BLOCK) {
      i64 v = start + threadIdx.x;
      bool member = v < end && members[v];
      u32 who = __ballot_sync(ALL_LANES, member);
      if (lane_id() == 0) in_warps[threadIdx.x / WARP] = __popc(who);
      __syncthreads();
      i64 place = before + __popc(who & ((1u << lane_id()) - 1));
      for (int warp = 0; warp < BLOCK / WARP; warp++) {
        if (warp < (int)threadIdx.x / WARP) place += in_warps[warp];
        before += in_warps[warp];
      }
      if (member) roots[place] = (vertex)v;
      __syncthreads();
    }
    if (share == shares - 1 && threadIdx.x == 0) *total = before + (first ? *first : 0);
  }
}

// Make an aggregate of a root and its free neighbors. If `movers` is not null, also record the neighbors that are in
// another aggregate, and this aggregate as the one to which they might move.
template <class Team>
DEVICE void gather_around(vertex root, label own, const offset* indptr, const vertex* indices, label* labels,
                          label* sizes, vertex* movers, label* targets, i64* movers_length, Team team) {
  i64 size = 0, end = indptr[root + 1];
  for (i64 first = indptr[root]; first < end; first += team.size()) {
    i64 e = first + team.rank();
    vertex v = e < end ? indices[e] : root;
    bool is_free = v != root && labels[v] == FREE;
    if (is_free) labels[v] = own;
    size += is_free;
    if (movers) {
      bool may_move = v != root && !is_free;
      i64 place = place_in(movers_length, may_move);
      if (may_move) movers[place] = v, targets[place] = own;
    }
  }
  size = team.sum(size);
  if (team.rank() == 0) labels[root] = own, sizes[own] = (label)(size + 1);
}

KERNEL(5) gather(const i64* first, const i64* total, const vertex* roots, const offset* indptr, const vertex* indices,
                 label* labels, label* sizes, vertex* movers, label* targets, i64* movers_length) {
  __shared__ u64 shared;
  const int warps = BLOCK / WARP;
  i64 before = first ? *first : 0, count = *total - before;
  for (i64 tile = blockIdx.x; tile * warps < count; tile += gridDim.x) {
    i64 i = tile * warps + threadIdx.x / WARP;
    vertex root = i < count ? roots[i] : 0;
    bool is_long = i < count && indptr[root + 1] - indptr[root] > LONG_ROW;
    if (i < count && !is_long)
      gather_around(root, (label)(before + i), indptr, indices, labels, sizes, movers, targets, movers_length,
                    OneWarp());
    if (!__syncthreads_or(is_long)) continue;
    for (i = tile * warps; i < min(count, (tile + 1) * warps); i++) {
      root = roots[i];
      if (indptr[root + 1] - indptr[root] <= LONG_ROW) continue;
      gather_around(root, (label)(before + i), indptr, indices, labels, sizes, movers, targets, movers_length,
                    OneBlock{&shared});
    }
  }
}

// Remove members with too few free neighbors.
KERNEL(6) keep_large(i64 n, const offset* indptr, const vertex* indices, const label* labels, u8* members) {
  EACH_TOGETHER(v, n) {
    bool wanted = v < n && members[v];
    i64 start = wanted ? (i64)indptr[v] : 0, end = wanted ? (i64)indptr[v + 1] : 0;
    int found = 1;
    i64 e = start;
    for (i64 stop = min(end, start + FIRST_ENTRIES); e < stop && found < SMALLEST; e++)
      found += indices[e] != v && labels[indices[e]] == FREE;
    for (u32 who = __ballot_sync(ALL_LANES, e < end && found < SMALLEST); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 of = __shfl_sync(ALL_LANES, v, leader), last = __shfl_sync(ALL_LANES, end, leader);
      int so_far = __shfl_sync(ALL_LANES, found, leader);
      for (i64 f = __shfl_sync(ALL_LANES, e, leader); f < last && so_far < SMALLEST; f += WARP) {
        i64 g = f + lane_id();
        bool is_free = g < last && indices[g] != of && labels[indices[g]] == FREE;
        so_far += __popc(__ballot_sync(ALL_LANES, is_free));
      }
      if (lane_id() == leader) found = so_far;
    }
    if (wanted && found < SMALLEST) members[v] = 0;
  }
}

// ---- Remaining vertices ---------------------------------------------------------------------------------------------

// Copy the labels, and list the free vertices.
KERNEL(8) list_left(i64 n, const label* labels, label* after, vertex* left, i64* left_length) {
  EACH_TOGETHER(v, n) {
    label own = v < n ? labels[v] : 0;
    i64 place = place_in(left_length, own == FREE);
    if (own == FREE) left[place] = (vertex)v;
    if (v < n) after[v] = own;
  }
}

// Add each free vertex to the aggregate of its first neighbor that has one.
KERNEL(6) join_first(i64 n, const offset* indptr, const vertex* indices, const label* labels, label* after) {
  EACH_TOGETHER(v, n) {
    label joined = v < n ? labels[v] : 0;
    bool is_left = joined == FREE;
    i64 e = is_left ? (i64)indptr[v] : 0, end = is_left ? (i64)indptr[v + 1] : 0;
    for (i64 stop = min(end, e + FIRST_ENTRIES); e < stop && joined == FREE; e++) joined = labels[indices[e]];
    for (u32 who = __ballot_sync(ALL_LANES, e < end && joined == FREE); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 last = __shfl_sync(ALL_LANES, end, leader);
      for (i64 f = __shfl_sync(ALL_LANES, e, leader); f < last; f += WARP) {
        label there = f + lane_id() < last ? labels[indices[f + lane_id()]] : FREE;
        u32 having = __ballot_sync(ALL_LANES, there != FREE);
        if (having == 0) continue;
        there = __shfl_sync(ALL_LANES, there, __ffs(having) - 1);
        if (lane_id() == leader) joined = there;
        break;
      }
    }
    if (v < n) after[v] = joined;
  }
}

// Return the worth of an aggregate for a vertex: the number of links decides, then the smaller size.
DEVICE i64 worth_of(i64 links, label kind, const label* sizes) { return (links << 32) - (i64)sizes[kind]; }

// Count the labels of a row, except `own` and FREE, in the lanes of a warp. In order of first occurrence, `kind` and
// `links` of lane i are the i-th label and its number of occurrences, for i < `kinds`. Counting stops before the entry
// whose label would need more than `most` lanes. Return the position of this entry, or the end of the row.
DEVICE i64 tally(i64 start, i64 end, label own, int most, const vertex* indices, const label* labels, label& kind,
                 i64& links, int& kinds) {
  kind = FREE, links = 0, kinds = 0;
  for (i64 base = start; base < end; base += WARP) {
    i64 e = base + lane_id();
    label here = e < end ? labels[indices[e]] : FREE;
    u32 pending = __ballot_sync(ALL_LANES, here != FREE && here != own);
    while (pending) {
      int leader = __ffs(pending) - 1;
      label x = __shfl_sync(ALL_LANES, here, leader);
      u32 same = __ballot_sync(ALL_LANES, here == x);
      u32 known = __ballot_sync(ALL_LANES, lane_id() < kinds && kind == x);
      if (known == 0) {
        if (kinds == most) {  // subtract entries after this one, which have already been counted
          for (int i = 0; i < kinds; i++) {
            u32 those = __ballot_sync(ALL_LANES, here == __shfl_sync(ALL_LANES, kind, i));
            if (lane_id() == i) links -= __popc((those & ~pending) >> leader);
          }
          return base + leader;
        }
        if (lane_id() == kinds) kind = x;
        known = 1u << kinds++;
      }
      if (known >> lane_id() & 1) links += __popc(same);
      pending &= ~same;
    }
  }
  return end;
}

// Return the best of the lanes' labels: the one with the highest worth, then with the lowest `tie`.
DEVICE label best_of(i64 worth, i64 tie, label kind) {
  i64 most = worth, least = tie;
  for (int step = WARP / 2; step; step /= 2) {
    i64 other = __shfl_xor_sync(ALL_LANES, most, step), its_tie = __shfl_xor_sync(ALL_LANES, least, step);
    if (other > most || (other == most && its_tie < least)) most = other, least = its_tie;
  }
  return __shfl_sync(ALL_LANES, kind, __ffs(__ballot_sync(ALL_LANES, worth == most && tie == least)) - 1);
}

// Add each remaining vertex to the aggregate with most of its neighbors; in a tie, to the smallest of these aggregates.
// If their sizes are equal, the smallest label is chosen. If only the first few are `tracked`, the first in the row is
// chosen. A row with more labels than lanes is added to `tasks`, once for each part of its labels.
DEVICE i64 parts_of(i64 length) { return length / (SLOTS / 2) + 1; }

KERNEL(6) join_most_linked(const vertex* left, const i64* left_length, i64 tracked, const offset* indptr,
                           const vertex* indices, const label* labels, const label* sizes, label* after, vertex* tasks,
                           vertex* parts, i64* tasks_length) {
  i64 count = *left_length;
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    vertex v = left[i];
    i64 start = indptr[v], end = indptr[v + 1], links;
    label kind;
    int kinds;
    i64 stop = tally(start, end, FREE, tracked ? TRACKED : MAX_KINDS, indices, labels, kind, links, kinds);
    if (stop < end && !tracked) {
      i64 more = parts_of(end - start), place = 0;
      if (lane_id() == 0) place = atomicAdd(tasks_length, more);
      place = __shfl_sync(ALL_LANES, place, 0);
      for (i64 part = lane_id(); part < more; part += WARP) tasks[place + part] = v, parts[place + part] = (vertex)part;
      continue;
    }
    i64 worth = lane_id() < kinds ? worth_of(links, kind, sizes) : 0;
    label best = best_of(worth, tracked ? (i64)lane_id() : (i64)kind, kind);
    if (lane_id() == 0) after[v] = best;
  }
}

// Find the best label of one part of a row's labels, and its worth. A part with more labels than the table has space
// for is divided again.
KERNEL(4) count_parts(const vertex* tasks, const vertex* parts, const i64* tasks_length, const offset* indptr,
                      const vertex* indices, const label* labels, const label* sizes, i64* worths, label* bests) {
  __shared__ label kinds[SLOTS];
  __shared__ u32 links[SLOTS];
  __shared__ i64 worth_in[BLOCK / WARP];
  __shared__ label best_in[BLOCK / WARP];
  i64 count = *tasks_length;
  for (i64 task = blockIdx.x; task < count; task += gridDim.x) {
    vertex v = tasks[task];
    i64 start = indptr[v], end = indptr[v + 1], most = 0;
    label best = 0;
    u32 all = (u32)parts_of(end - start), divided = 1;
    for (u32 part = 0; part < divided; part++) {
      u32 modulus = all * divided, wanted = (u32)parts[task] + all * part;
      for (int slot = threadIdx.x; slot < SLOTS; slot += BLOCK) kinds[slot] = FREE, links[slot] = 0;
      __syncthreads();
      bool too_many = false;
      for (i64 e = start + threadIdx.x; e < end; e += BLOCK) {
        label kind = labels[indices[e]];
        u32 hash = hash32((u64)kind);
        if (kind == FREE || (hash >> 8) % modulus != wanted) continue;
        int probes = 0;
        for (u32 slot = hash % SLOTS; probes < SLOTS; probes++, slot = (slot + 1) % SLOTS) {
          label there = atomicCAS(kinds + slot, FREE, kind);
          if (there != FREE && there != kind) continue;
          atomicAdd(links + slot, 1u);
          break;
        }
        too_many |= probes == SLOTS;
      }
      if (__syncthreads_or(too_many)) {  // start again with smaller parts
        divided *= 2, part = ~0u, most = 0, best = 0;
        continue;
      }
      for (int slot = threadIdx.x; slot < SLOTS; slot += BLOCK) {
        label kind = kinds[slot];
        if (kind == FREE) continue;
        i64 worth = worth_of(links[slot], kind, sizes);
        if (worth > most || (worth == most && kind < best)) most = worth, best = kind;
      }
      __syncthreads();
    }
    best = best_of(most, best, best);
    most = -OneWarp().least(-most);
    if (lane_id() == 0) worth_in[threadIdx.x / WARP] = most, best_in[threadIdx.x / WARP] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int warp = 1; warp < BLOCK / WARP; warp++) {
        i64 worth = worth_in[warp];
        if (worth > most || (worth == most && best_in[warp] < best)) most = worth, best = best_in[warp];
      }
      worths[task] = most, bests[task] = best;
    }
    __syncthreads();
  }
}

// Choose the best label of all parts. A warp takes a task; the task of the first part processes the row.
KERNEL(6) choose_part(const vertex* tasks, const vertex* parts, const i64* tasks_length, const offset* indptr,
                      const i64* worths, const label* bests, label* after) {
  i64 count = *tasks_length;
  for (i64 task = warp_id(); task < count; task += warp_count()) {
    if (parts[task] != 0) continue;
    vertex v = tasks[task];
    i64 most = 0, all = parts_of(indptr[v + 1] - indptr[v]);
    label best = 0;
    for (i64 part = lane_id(); part < all; part += WARP) {
      i64 worth = worths[task + part];
      label kind = bests[task + part];
      if (worth > most || (worth == most && kind < best)) most = worth, best = kind;
    }
    best = best_of(most, best, best);
    if (lane_id() == 0) after[v] = best;
  }
}

// Move a phase-1 neighbor of a phase-2 root to the root's aggregate under two conditions: by the tracked links it is
// worth more to the neighbor than its own aggregate, and a tracked link leads to the root. (By all links it is worth at
// least as much, so the rule's condition on all links need not be checked. In rows of at most TRACKED entries all links
// are tracked.) A warp processes one neighbor.
KERNEL(6) move(const vertex* movers, const label* targets, const i64* movers_length, const i64* first,
               const vertex* roots, const offset* indptr, const vertex* indices, const label* labels,
               const label* sizes, label* after) {
  i64 count = *movers_length;
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    vertex v = movers[i];
    label here = labels[v], there = targets[i], kind;
    i64 start = indptr[v], end = indptr[v + 1], links;
    int kinds;
    i64 stop = tally(start, end, here, TRACKED, indices, labels, kind, links, kinds);
    u32 which = __ballot_sync(ALL_LANES, lane_id() < kinds && kind == there);
    if (which == 0) continue;  // no tracked links; the vertex is adjacent to its own root, which is worth more
    links = __shfl_sync(ALL_LANES, links, __ffs(which) - 1);
    vertex root = roots[there - *first];
    bool adjacent = false;
    for (i64 e = start; e < stop && !adjacent; e += WARP)
      adjacent = __any_sync(ALL_LANES, e + lane_id() < stop && indices[e + lane_id()] == root);
    if (!adjacent) continue;
    i64 links_here = 0;
    for (i64 e = start; e < end && links_here <= links; e += WARP) {
      vertex u = e + lane_id() < end ? indices[e + lane_id()] : v;
      links_here += __popc(__ballot_sync(ALL_LANES, u != v && labels[u] == here));
    }
    if (worth_of(links, there, sizes) > worth_of(links_here, here, sizes) && lane_id() == 0) after[v] = there;
  }
}
