// Matchings in rounds on several GPUs; called by spread_rounds.py.
//
// Result: the partners of rounds.cu, with the same undecided vertices after each round.
//
// Rule: as in rounds.cu, whose kernels run on the rows of each card.
//
// Idea: each card has the pointers of all vertices, and which of them are free. In a round, the card renews the
// pointers of its vertices, and cards exchange the pointers that have changed. Then each card finds out for all
// vertices whose pointers are mutual, so decisions are not sent.
//
// Cost: for each round an exchange, and a pass over the free vertices of other cards.

// Make the vertices of other cards free and point to themselves.
KERNEL(8) begin_others(i64 n, i64 first, i64 end, u8* free, int* best) {
  EACH(v, n) if (v < first || v >= end) free[v] = 1, best[v] = (int)v;
}

// Report the pointers that have changed.
KERNEL(4) report_pointers(i64 first, i64 count, const int* best, int* sent, vertex* ids, int* values, i64 room,
                          i64* counts) {
  i64 uncounted = 0;
  EACH_TOGETHER(i, count) {
    int now = i < count ? best[first + i] : 0;
    bool is_new = i < count && now != sent[i];
    post_state(is_new, now, i, first, sent, ids, values, room, counts, uncounted);
  }
  post_rest(uncounted, counts);
}

KERNEL(8) take_pointers(i64 count, const vertex* ids, const int* values, int* best) {
  EACH(i, count) best[ids[i]] = values[i];
}

// Decide the vertices of other cards whose pointers are mutual.
KERNEL(8) settle_others(i64 n, i64 first, i64 end, u8* free, const int* best) {
  EACH(v, n) if ((v < first || v >= end) && free[v] && best[best[v]] == v) free[v] = 0;
}
