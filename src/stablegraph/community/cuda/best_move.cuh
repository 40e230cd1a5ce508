// The best community for a vertex on a GPU: the rule of local moving, in sub-rounds and in a queue (../rules.py).

struct BestMove {
  const i64 *mass, *total;
  const label* labels;
  double scale;
  bool crowds;
  // of the vertex
  i64 v, own_links;
  label own;
  u32 tie;
  double rate;
  Best best;

  DEVICE bool begin(i64 vertex_id) {
    v = vertex_id, own = labels[v], own_links = 0, rate = product(scale, (double)mass[v]);
    tie = crowds ? hash32((u64)v) & 1 : 0;
    best.clear();
    return true;
  }
  DEVICE label key(vertex u) const { return labels[u]; }
  DEVICE void consider(label c, i64 links) {
    if (c == own) own_links = links;
    else best.consider(c, worth(links, rate, total[c]), draw(c, tie), links);
  }
  // Return whether this thread of the team decides; then also the community that v should move to, the gain and the
  // slack.
  template <class Team> DEVICE bool choose(const Team& team, label& chosen, double& gain, double& slack) {
    own_links = team.sum(own_links);
    bool decides = best.is_first_of(team);
    double second = best.second_of(team, decides);
    if (!decides) return false;
    i64 own_mass = total[own] - mass[v], links = 0, there = 0;
    double stay = worth(own_links, rate, own_mass), value = stay;
    chosen = own;
    if (best.key != EMPTY && best.value > stay) {
      second = fmax(second, stay);
      chosen = best.key, value = best.value, links = best.links, there = total[chosen];
    } else if (best.key != EMPTY) {
      second = fmax(second, best.value);
    }
    if (value < 0.0 && total[v] == 0) chosen = (label)v, value = 0.0, links = 0, there = 0;
    gain = difference(value, stay), slack = fmax(difference(value, second), 0.0);
    if (chosen == own || is_gain(gain, own_links + links, rate, own_mass + there)) return true;
    chosen = own, slack = 0.0;
    return true;
  }
};
