// Local moving in synchronous sub-rounds on a GPU; called by moving.py.
//
// Result, rule and passes: as in ../moving.py. The oracle of this file is that one.
//
// Idea: a vertex is looked at by a part of a warp, a warp or a block, by the length of its row (links.cuh). The kernels
// of a pass read what earlier passes have written, so the labels do not depend on the schedule.
//
// State: as in ../moving.py. `accepted` is indexed by the position in the list.
//
// Cost: a look reads a row up to three times. Work memory: tables for long rows with many communities.
//
// Sources: see ../moving.py.

// ---- Propose --------------------------------------------------------------------------------------------------------

struct Proposal : BestMove {
  u8* active;
  label* target;
  double* gain;
  i64 *arrivals, *first;
  u32 salt;
  template <class Team> DEVICE void decide(const Team& team) {
    label chosen;
    double more;
    if (!choose(team, chosen, more)) return;
    active[v] = 0;
    if (chosen == own) return;
    gain[v] = more, target[v] = chosen;
    if (crowds) {
      atomicAdd(arrivals + chosen, mass[v]);
      atomicMin(first + chosen, turn(v, salt));
    }
  }
};

#define PROPOSAL                                                                                                       \
  Proposal { {mass, total, labels, __longlong_as_double(scale), crowds != 0}, active, target, gain, arrivals, first,  \
             (u32)salt }

ROW_KERNELS(propose, PROPOSAL, const i64* mass, const label* labels, const i64* total, u8* active, label* target,
            double* gain, i64* arrivals, i64* first, i64 scale, i64 crowds, i64 salt)

// ---- Accept ---------------------------------------------------------------------------------------------------------

// Decide on the proposals of a class.
KERNEL(4) accept(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
                 const vertex* indices, const i64* weights, const i64* mass, const label* labels, const i64* total,
                 const label* target, const double* gain, const i64* arrivals, const i64* first, i64 scale_bits,
                 i64 crowds, i64 salt, u8* accepted) {
  __shared__ u64 word;
  double scale = __longlong_as_double(scale_bits);
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64 i, i64 v, RowTeam team) {
    label next = target[v], own = labels[v];
    bool moves = next >= 0;
    double rate = product(scale, (double)mass[v]);
    if (moves && crowds && first[next] != turn(v, (u32)salt)) {
      double others = (double)(arrivals[next] - mass[v]), drawn = product((double)draw(v, (u32)salt), UNIT);
      double before = __dadd_rn(product(drawn, others), (double)mass[v]);
      moves = product(rate, before) < gain[v];
    }
    if (moves) {
      bool changed = false;
      i64 own_links = 0, next_links = 0, own_mass = 0, next_mass = 0;
      for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
        i64 u = indices[e], weight = weight_of(e, weights);
        label c = labels[u], to = target[u];
        if (to >= 0 && precedes(gain[u], u, gain[v], v)) {
          changed = true;
          if (c == own) own_mass -= mass[u];
          if (c == next) next_mass -= mass[u];
          c = to;
          if (c == own) own_mass += mass[u];
          if (c == next) next_mass += mass[u];
        }
        if (c == own) own_links += weight;
        if (c == next) next_links += weight;
      }
      if (team.any(changed)) {
        own_links = team.sum(own_links), next_links = team.sum(next_links);
        own_mass = team.sum(own_mass) + total[own] - mass[v], next_mass = team.sum(next_mass) + total[next];
        moves = worth(next_links, rate, next_mass) > worth(own_links, rate, own_mass);
      }
    }
    if (team.rank() == 0) accepted[i] = moves;
  });
}

// ---- Wake -----------------------------------------------------------------------------------------------------------

// Forget the proposals of a class. Activate the neighbors of a moved vertex outside its new community, or a refused
// vertex.
KERNEL(6) wake(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
               const vertex* indices, const label* labels, u8* active, label* target, i64* arrivals, i64* first,
               const u8* accepted) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64 i, i64 v, RowTeam team) {
    if (team.rank() == 0 && target[v] >= 0) {
      if (arrivals) arrivals[target[v]] = 0, first[target[v]] = NEVER;
      target[v] = EMPTY;
      if (!accepted[i]) active[v] = 1;
    }
    if (!accepted[i]) return;
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
      vertex u = indices[e];
      if (labels[u] != labels[v] && active[u] == 0) active[u] = 1;
    }
  });
}
