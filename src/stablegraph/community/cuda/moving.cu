// Local moving in synchronous sub-rounds on a GPU; called by moving.py.
//
// Result, rule and passes: as in ../moving.py. The oracle of this file is that one.
//
// Idea: a vertex is looked at by a part of a warp, a warp or a block, by the length of its row (links.cuh). The kernels
// of a pass read what earlier passes have written, so the labels do not depend on the schedule. If there are only a few
// active vertices, each is a class of its own, and one block does all passes (`move_few`).
//
// State: as in ../moving.py. `moved` is indexed by the position in the list.
//
// Cost: a look reads a row, and once more after a move. Work memory: tables for long rows with many communities.
//
// Sources: see ../moving.py.

// ---- Propose --------------------------------------------------------------------------------------------------------

struct Proposal : BestMove {
  u8* active;
  label* target;
  i64* slack;
  double* gain;
  i64 *arrivals, *first;
  u32 salt;
  template <class Team> DEVICE void decide(const Team& team) {
    label chosen;
    double more, spare;
    if (!choose(team, chosen, more, spare)) return;
    active[v] = 0, slack[v] = (i64)spare, target[v] = chosen == own ? EMPTY : chosen;
    if (!crowds || chosen == own) return;
    gain[v] = more;
    atomicAdd(arrivals + chosen, mass[v]);
    atomicMin(first + chosen, turn(v, salt));
  }
};

#define PROPOSAL                                                                                                       \
  Proposal { {mass, total, labels, __longlong_as_double(scale), crowds != 0}, active, target, slack, gain, arrivals,  \
             first, (u32)salt }

ROW_KERNELS(propose, PROPOSAL, const i64* mass, const label* labels, const i64* total, u8* active, label* target,
            i64* slack, double* gain, i64* arrivals, i64* first, i64 scale, i64 crowds, i64 salt)

// ---- Relabel --------------------------------------------------------------------------------------------------------

DEVICE void move_to(i64 v, label next, const i64* mass, label* labels, i64* total, label* target) {
  label own = labels[v];
  atomicAdd(total + own, -mass[v]);
  atomicAdd(total + next, mass[v]);
  labels[v] = next, target[v] = own;
}

// Move the listed vertices that have made a proposal, or refuse to.
KERNEL(8) relabel(const i64* list, i64 list_first, i64 list_end, const i64* mass, label* labels, i64* total, u8* active,
                  label* target, const double* gain, const i64* arrivals, const i64* first, i64 scale, i64 crowds,
                  i64 salt, u8* moved) {
  EACH(k, list_end - list_first) {
    i64 i = list_first + k, v = list[i];
    label next = target[v];
    bool moves = next >= 0;
    if (moves && crowds && first[next] != turn(v, (u32)salt)) {
      double others = (double)(arrivals[next] - mass[v]), drawn = product((double)draw(v, (u32)salt), UNIT);
      double before = __dadd_rn(product(drawn, others), (double)mass[v]);
      moves = product(product(__longlong_as_double(scale), (double)mass[v]), before) < gain[v];
      if (!moves) active[v] = 1;
    }
    if (moves) move_to(v, next, mass, labels, total, target);
    moved[i] = moves;
  }
}

// ---- Wake -----------------------------------------------------------------------------------------------------------

// Reduce the slack of the inactive neighbors of v by what its move may cost them; activate those that have none left.
template <class Team>
DEVICE void disturb_neighbors(i64 v, label old, label next, const offset* indptr, const vertex* indices,
                              const i64* weights, const label* labels, u8* active, i64* slack, const Team& team) {
  for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
    vertex u = indices[e];
    label c = labels[u];
    if (c == next || *(volatile u8*)(active + u)) continue;
    i64 weight = weight_of(e, weights), loss = c == old ? 2 * weight : weight;
    if ((i64)atomicAdd((u64*)(slack + u), (u64)-loss) < loss) active[u] = 1;
  }
}

KERNEL(6) wake(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
               const vertex* indices, const i64* weights, const label* labels, u8* active, const label* target,
               i64* slack, i64* arrivals, i64* first, const u8* moved) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64 i, i64 v, RowTeam team) {
    if (arrivals && team.rank() == 0 && target[v] >= 0) {
      label next = moved[i] ? labels[v] : target[v];
      arrivals[next] = 0, first[next] = NEVER;
    }
    if (moved[i]) disturb_neighbors(v, target[v], labels[v], indptr, indices, weights, labels, active, slack, team);
  });
}

// ---- A few vertices -------------------------------------------------------------------------------------------------

struct Turn : BestMove {
  u8* active;
  label *target, *new_labels;
  i64 *slack, *new_total;
  const offset* indptr;
  const vertex* indices;
  const i64* weights;
  i64* done;
  template <class Team> DEVICE void decide(const Team& team) {
    label chosen;
    double gain, spare;
    if (choose(team, chosen, gain, spare)) {
      active[v] = 0, slack[v] = (i64)spare, target[v] = EMPTY;
      if (chosen != own) move_to(v, chosen, mass, new_labels, new_total, target), *done += 1;
    }
    __syncthreads();
    if (target[v] >= 0)
      disturb_neighbors(v, target[v], labels[v], indptr, indices, weights, labels, active, slack, team);
  }
};

#define FEW 128

// Let at most FEW vertices move one after another, in the random order of their turns. For one block.
KERNEL(1) move_few(const i64* list, i64 count, const offset* indptr, const vertex* indices, const i64* weights,
                   const i64* mass, label* labels, i64* total, u8* active, label* target, i64* slack, i64 scale,
                   i64 crowds, i64 salt, i64* done, i64 kinds, label* far_keys, i64* far_sums, i64 places) {
  __shared__ BlockTable near;
  __shared__ i64 in_turn[FEW];
  for (int k = threadIdx.x; k < count; k += BLOCK) {
    int place = 0;
    for (int i = 0; i < count; i++) place += turn(list[i], (u32)salt) < turn(list[k], (u32)salt);
    in_turn[place] = list[k];
  }
  __syncthreads();
  Turn job = {{mass, total, labels, __longlong_as_double(scale), crowds != 0}, active, target, labels, slack, total,
              indptr, indices, weights, done};
  look_at_long_rows(job, in_turn, 0, count, indptr, indices, weights, kinds, far_keys, far_sums, places, &near);
}
