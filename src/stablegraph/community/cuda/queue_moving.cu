// Local moving of one vertex after another on a GPU; called by moving.py.
//
// Result and rule: as in ../moving.py. Vertices move as if one after another, in the order of their positions.
//
// Idea: in a round, many waiting vertices find their best moves at once. The move of a vertex v depends on the masses
// of the communities around it, including its own one and the one that has its name, and changes two of them. v is
// *clean* if none of these communities would be changed by the proposal of a waiting vertex before v. Two kinds of
// vertices move in a round; all other vertices wait for the next one:
//
// 1. All vertices before the first one that is not clean. By induction over their order, none of them is affected by
//    the moves before it.
// 2. A clean vertex v whose communities are around no waiting vertex before it. Such a vertex can get another community
//    around it only by the move of a vertex between them, which then has this community around it. So no vertex before
//    v can affect v, nor v one of them.
//
// Two vertices with a common edge have a common community, so they are active and become active as in the queue.
//
// State: for each community `claims`, the first vertex that has it around it, and `changes`, the first one that would
// change it, as keys: the position, below the number of remaining rounds. Keys of earlier rounds are larger, so they
// need not be cleared.
//
// Cost: two looks at each waiting vertex in each round. Work memory: 30 bytes per vertex.
//
// Source: the reservations are those of G. Blelloch, J. Fineman, P. Gibbons, J. Shun, "Internally Deterministic
// Parallel Algorithms Can Be Fast", PPoPP 2012.

struct Claim : BestMove {
  label* target;
  const i64* position;
  i64 round, *claims, *changes;
  DEVICE i64 mine() const { return round << 32 | position[v]; }
  DEVICE void consider(label c, i64 links) {
    atomicMin(claims + c, mine());
    BestMove::consider(c, links);
  }
  template <class Team> DEVICE void decide(const Team& team) {
    label chosen;
    double gain, slack;
    if (!choose(team, chosen, gain, slack)) return;
    atomicMin(claims + own, mine());
    atomicMin(claims + v, mine());
    target[v] = chosen == own ? EMPTY : chosen;
    if (chosen == own) return;
    atomicMin(changes + own, mine());
    atomicMin(changes + chosen, mine());
  }
};

#define CLAIM                                                                                                          \
  Claim { {mass, total, labels, __longlong_as_double(scale), crowds != 0}, target, position, round, claims, changes }

ROW_KERNELS(claim, CLAIM, const i64* mass, const label* labels, const i64* total, i64 scale, i64 crowds, label* target,
            const i64* position, i64 round, i64* claims, i64* changes)

// Find which vertices are clean, and which have the first claim on all communities around them.
KERNEL(6) check(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
                const vertex* indices, const label* labels, const i64* position, i64 round, const i64* claims,
                const i64* changes, u8* ready, i64* stop) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    i64 mine = round << 32 | position[v];
    bool clean = changes[labels[v]] >= mine && changes[v] >= mine;
    bool first = claims[labels[v]] >= mine && claims[v] >= mine;
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
      label c = labels[indices[e]];
      clean &= changes[c] >= mine, first &= claims[c] >= mine;
    }
    clean = !team.any(!clean), first = !team.any(!first);
    if (team.rank() != 0) return;
    ready[v] = clean && first;
    if (!clean) atomicMin(stop, mine);
  });
}

// Move the vertices whose turn it is; `waiting` becomes 0.
KERNEL(8) move_ready(i64 count, const i64* list, const i64* mass, label* labels, i64* total, const label* target,
                     const i64* position, i64 round, const u8* ready, const i64* stop, u8* waiting, u8* active,
                     i64* done) {
  i64 moves = 0, moved = 0;
  EACH(i, count) {
    i64 v = list[i];
    if (!ready[v] && (round << 32 | position[v]) >= *stop) continue;
    waiting[v] = active[v] = 0, moves++;
    label next = target[v], own = labels[v];
    if (next < 0) continue;
    atomicAdd(total + own, -mass[v]);
    atomicAdd(total + next, mass[v]);
    labels[v] = next, moved++;
  }
  moves = sum_of_lanes(moves), moved = sum_of_lanes(moved);
  if (lane_id() == 0 && moves) atomicAdd(done, moves);
  if (lane_id() == 0 && moved) atomicAdd(done + 1, moved);
}

// Activate the neighbors of the moved vertices outside their new communities.
KERNEL(6) wake(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
               const vertex* indices, const label* labels, const label* target, const u8* waiting, u8* active) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    if (waiting[v] || target[v] < 0) return;
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
      vertex u = indices[e];
      if (labels[u] != labels[v] && active[u] == 0) active[u] = 1;
    }
  });
}
