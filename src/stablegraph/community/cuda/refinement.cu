// Refinement (Leiden) on a GPU; called by refinement.py.
//
// Result, rule and passes: as in ../refinement.py. The other passes, which read no rows, are the kernels of that file.
//
// Idea, state and cost: as in moving.cu and ../refinement.py.
//
// Source: see ../refinement.py.

struct Choice {
  const i64 *mass, *total, *inner, *part_mass, *cut;
  const label *labels, *part;
  const int* size;
  label* target;
  i64 *chosen_links, *wanted;
  double scale;
  u32 salt;
  // of the vertex
  i64 v, whole;
  label own;
  double rate;
  Best best;

  DEVICE bool begin(i64 vertex_id) {
    v = vertex_id, own = labels[v], whole = total[own], rate = product(scale, (double)mass[v]);
    best.clear();
    return size[v] == 1 && part[v] == v && worth(inner[v], rate, whole - mass[v]) >= 0.0;
  }
  DEVICE label key(vertex u) const { return labels[u] == own ? part[u] : EMPTY; }
  DEVICE void consider(label p, i64 links) {
    double value = worth(links, rate, part_mass[p]);
    if (value >= 0.0 && worth(cut[p], product(scale, (double)part_mass[p]), whole - part_mass[p]) >= 0.0)
      best.consider(p, varied(value, p, v, salt), draw(p, salt), links);
  }
  // Write the choice, and record the turn of the vertex at the single vertex that it chose.
  template <class Team> DEVICE void decide(Team team) {
    if (!best.is_first_of(team) || best.key == EMPTY) return;
    target[v] = best.key, chosen_links[v] = best.links;
    if (size[best.key] == 1) atomicMin(wanted + best.key, turn(v, salt));
  }
};

#define CHOICE                                                                                                         \
  Choice { mass, total, inner, part_mass, cut, labels, part, size, target, chosen_links, wanted,                      \
           __longlong_as_double(scale), (u32)salt, 0, 0, 0, 0.0, {} }

ROW_KERNELS(choose, CHOICE, const i64* mass, const label* labels, const i64* total, const i64* inner, const label* part,
            const int* size, const i64* part_mass, const i64* cut, label* target, i64* chosen_links, i64* wanted,
            i64 scale, i64 salt)

// Update the cut of the part that each accepted vertex of a class has joined. Links between vertices of the class are
// subtracted by both ends.
KERNEL(6) recut(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end, const offset* indptr,
                const vertex* indices, const i64* weights, const i64* inner, const label* part, const label* target,
                const i64* chosen_links, const int* joined, const u8* accepted, i64* cut) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    if (!accepted[v]) return;
    label p = part[v];
    i64 among = 0;
    if (joined[p] > 1) {
      for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
        vertex u = indices[e];
        if (part[u] == p && target[u] >= 0 && accepted[u]) among += weight_of(e, weights);
      }
      among = team.sum(among);
    }
    if (team.rank() == 0) atomicAdd(cut + p, inner[v] - 2 * chosen_links[v] - among);
  });
}
