// Maximal independent set by fixed priorities on several GPUs; called by spread_sets.py.
//
// Result: the set of ../greedy/priority.py.
//
// Rule: as in priority.cu, whose `attempt` decides.
//
// Idea: each card has the states of all vertices, and decides the vertices of its own rows. A member puts all of its
// neighbors out, also those of other cards, in the states of its own card. The cards report the vertices that are out.
// Members need no report: all neighbors of a member are out, and no other vertex reads its state.
//
// Every state that is not "undecided" is that of the final set, on every card. So cards may decide from outdated
// states, and in any order: a vertex whose neighbors ahead are not known to be out only waits. The first undecided
// vertex of the whole order never waits after an exchange, because all vertices ahead of it are decided.
//
// State, races and source: as in priority.cu. Cost of an exchange: a pass over the states.

// Decide the vertices from `first` to `end`, until an exchange is better than another turn (exchange.cuh); `left`
// becomes 1 if some still wait. `watched`: a neighbor for which each vertex waits; until this one is out, the row is
// not read.
KERNEL(2) decide_rows(i64 first, i64 end, const offset* indptr, const vertex* indices, i64 seed,
                      const offset* degree_ptr, i64 less, const u64* values, u32* words, vertex* watched, i64 calm,
                      i64* moves, i64* left) {
  Order order = {seed, degree_ptr, less, values};
  Pace& pace = pace_from(-1);
  i64 waits = 0;
  for (int turn = 0; turn < MAX_TURNS; turn++) {
    waits = 0;
    for (i64 v = first + thread_id(); v - lane_id() < end; v += thread_count()) {
      bool is_tried = v < end && is_undecided(byte_of(words, v));
      vertex u = is_tried ? watched[v - first] : -1;
      bool still = u >= 0 && byte_of(words, u) != OUT;
      if (attempt(is_tried && !still ? (vertex)v : -1, indptr, indices, words, order, u)) {
        still = true;
        watched[v - first] = u;
      }
      waits += still;
    }
    waits = sum_of_lanes(waits);
    if (waits == 0 || !continues(waits, calm, moves, pace)) break;
  }
  if (waits && lane_id() == 0) store_relaxed(left, (i64)1);
}

// Report the vertices that are out.
KERNEL(4) report_out(i64 n, i64 bit_words, const u32* words, u32* known, u32* bits, vertex* list, i64 room,
                     i64* counts) {
  Outbox out = {known, bits, list, room, counts};
  EACH_TOGETHER(word, bit_words) {
    u32 now = 0;
    for (int k = 0; k < 8 && 32 * word + 4 * k < n; k++) {
      u32 states = words[8 * word + k];
      for (int i = 0; i < 4 && 32 * word + 4 * k + i < n; i++) {
        now |= (u32)((states >> 8 * i & 255u) == OUT) << (4 * k + i);
      }
    }
    post(word < bit_words, word, now, out);
  }
}

// Put the received vertices out.
KERNEL(4) take_bits(i64 bit_words, i64 messages, const u32* inbox, u32* known, u32* words) {
  EACH(word, bit_words) {
    u32 bits = received(word, bit_words, messages, inbox);
    if (bits == 0) continue;
    known[word] |= bits;
    for (int k = 0; k < 8; k++, bits >>= 4) {
      u32 four = (bits & 1u) | (bits & 2u) << 7 | (bits & 4u) << 14 | (bits & 8u) << 21;
      if (four) words[8 * word + k] &= ~(four * 255u);
    }
  }
}

KERNEL(4) take_list(i64 count, const vertex* list, u32* known, u32* words) {
  EACH(i, count) {
    vertex v = list[i];
    atomicOr(known + (v >> 5), 1u << (v & 31));
    put_out(words, v);
  }
}
