// Maximal independent sets at distance two on several GPUs; called by spread_two.py.
//
// Result: the set of two.cu.
//
// Rule: as in two.cu, whose kernels run on the rows of each card.
//
// Idea: each card has the keys of all vertices, and T of all columns. Between the passes of a round, cards exchange
// what the next pass reads of other cards' vertices: T of columns, after the pass over the columns; the columns with a
// 0, after the first pass over the rows; and the vertices that are out, after the second. Both sets only grow. New keys
// are not sent, because each card draws them for all vertices. Members are not sent either: all columns around a member
// have a 0, and no card reads the key of the member again.
//
// Races, all benign: while a card copies T of another card's columns, these may become 0, as in `join`.
//
// Cost: for each round three exchanges, and two passes over n numbers.

// Draw new keys for vertices of other cards, before `first` or from `end` on, that are not out. `fixed`: in the first
// round of a fixed order, the keys of all vertices.
KERNEL(4) draw_others(i64 n, i64 first, i64 end, i64 hashed_round, i64 bits, i64 kept, const offset* degrees,
                      const key* fixed, key* keys) {
  RoundKeys round = {hashed_round, bits, kept, degrees};
  EACH(v, n) {
    bool is_other = v < first || v >= end;
    if (is_other && keys[v] != OUT) keys[v] = draw_key(v, round, fixed ? fixed[v] : keys[v]);
  }
}

// Report the T of own columns that have changed, except for 0.
KERNEL(4) report_least(i64 first, i64 count, const key* least, key* sent, vertex* ids, key* values, i64 room,
                       i64* counts) {
  i64 uncounted = 0;
  EACH_TOGETHER(i, count) {
    key now = i < count ? least[first + i] : 0;
    bool is_new = now != 0 && now != sent[i];
    post_state(is_new, now, i, first, sent, ids, values, room, counts, uncounted);
  }
  post_rest(uncounted, counts);
}

KERNEL(4) take_least(i64 count, const vertex* ids, const key* values, key* least) {
  EACH(i, count) least[ids[i]] = values[i];
}

// Report the vertices from `first` to `end` that have a key: 0, or the largest one if `is_out`.
KERNEL(4) report_keys(i64 first, i64 end, i64 is_out, const key* keys, i64 bit_words, u32* known, u32* bits,
                      vertex* list, i64 room, i64* counts) {
  Outbox out = {known, bits, list, room, counts};
  EACH_TOGETHER(word, bit_words) {
    i64 base = word - lane_id();
    u32 old = word < bit_words && 32 * word + 32 > first && 32 * word < end ? known[word] : ~0u, now = 0;
    for (int i = 0; i < WARP; i++) {
      if (__shfl_sync(ALL_LANES, old, i) == ~0u) continue;
      i64 v = 32 * (base + i) + lane_id();
      u32 found = __ballot_sync(ALL_LANES, first <= v && v < end && keys[v] == (is_out ? OUT : IN));
      if (lane_id() == i) now = found;
    }
    post(word < bit_words, word, now, out);
  }
}

KERNEL(4) take_bits(i64 bit_words, i64 messages, const u32* inbox, u32* known, i64 is_out, key* keys) {
  EACH(word, bit_words) {
    u32 bits = received(word, bit_words, messages, inbox);
    if (bits) known[word] |= bits;
    for (; bits; bits &= bits - 1) keys[32 * word + __ffs(bits) - 1] = is_out ? OUT : IN;
  }
}

KERNEL(4) take_list(i64 count, const vertex* list, u32* known, i64 is_out, key* keys) {
  EACH(i, count) {
    atomicOr(known + (list[i] >> 5), 1u << (list[i] & 31));
    keys[list[i]] = is_out ? OUT : IN;
  }
}
