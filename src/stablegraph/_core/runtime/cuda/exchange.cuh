// Vertices that cards report to each other (exchange.py): as a set of bits, and as a list if it is not longer.
//
// State: bit v % 32 of word v / 32 belongs to vertex v. `known`: vertices that this card has reported or received.
// counts: [0] the number of newly reported vertices.

struct Outbox {
  u32* known;
  u32* bits;
  vertex* list;
  i64 room;  // for the list
  i64* counts;
};

// Report the vertices whose bits are in `now`, for word `word`, unless they are known. All lanes of a warp must call it
// together; a lane whose word does not exist passes is_word = false. Returns the reported bits.
DEVICE u32 post(bool is_word, i64 word, u32 now, const Outbox& out) {
  u32 known = is_word ? out.known[word] : 0, fresh = now & ~known;
  if (is_word) out.bits[word] = fresh;
  if (fresh) out.known[word] = known | fresh;
  int own = __popc(fresh), upto = sum_up_to_lane(own), all = __shfl_sync(ALL_LANES, upto, WARP - 1);
  if (all == 0) return 0;
  i64 place = lane_id() == 0 ? atomicAdd(out.counts, (i64)all) : 0;
  place = __shfl_sync(ALL_LANES, place, 0) + upto - own;
  for (u32 rest = fresh; rest && place < out.room; rest &= rest - 1) {
    out.list[place++] = (vertex)(32 * word + __ffs(rest) - 1);
  }
  return fresh;
}

// Assign a place in a list to each lane that has `found` a vertex, by all lanes of a warp together. When the list is
// full, the vertices of a warp are only counted, and `post_rest` adds their number at the end.
DEVICE i64 place_of(bool found, i64 room, i64* counts, i64& uncounted) {
  u32 who = __ballot_sync(ALL_LANES, found);
  if (who == 0) return room;
  i64 listed = lane_id() == 0 ? relaxed(counts) : 0;
  if (__shfl_sync(ALL_LANES, listed, 0) <= room) return place_in(counts, found);
  uncounted += __popc(who);
  return room;
}
DEVICE void post_rest(i64 uncounted, i64* counts) {
  if (uncounted && lane_id() == 0) atomicAdd(counts, uncounted);
}

// Send the state of the i-th own row as a pair, if it `is_new`. All lanes of a warp must call it together.
template <typename STATE>
DEVICE void post_state(bool is_new, STATE now, i64 i, i64 first, STATE* sent, vertex* ids, STATE* states, i64 room,
                       i64* counts, i64& uncounted) {
  i64 place = place_of(is_new, room, counts, uncounted);
  if (is_new) sent[i] = now;
  if (is_new && place < room) ids[place] = (vertex)(first + i), states[place] = now;
}

// How long a warp continues in a kernel that decides vertices without an exchange. It is in shared memory, which leaves
// registers to the kernel.
struct Pace {
  i64 waiting, seen, idle;
};

#define PRODUCTIVE 8  // a turn is, if it decides at least one of this number of waiting vertices
#define CHEAP 32  // waiting vertices of a warp, which it tries in less time than an exchange takes

// Return the pace of this warp, given the number of its waiting vertices, negative if they have not been counted.
DEVICE Pace& pace_from(i64 waiting) {
  __shared__ Pace paces[BLOCK / WARP];
  Pace& pace = paces[threadIdx.x / WARP];
  if (lane_id() == 0) pace = {waiting, -1, 0};
  return pace;
}

// Return whether a warp takes another turn, after which `waiting` of its vertices wait. With many of them it does after
// a productive turn, because each turn tries all of them; with few, until no warp of the card has decided anything in
// `calm` of its turns. `moves`: how often a warp of this card has decided something in a turn. All lanes of a warp must
// call it together; the first one decides.
DEVICE bool continues(i64 waiting, i64 calm, i64* moves, Pace& pace) {
  bool result = false;
  if (lane_id() == 0) {
    bool is_productive = pace.waiting < 0 || PRODUCTIVE * (pace.waiting - waiting) >= pace.waiting;
    i64 now = waiting != pace.waiting ? atomicAdd(moves, (i64)1) + 1 : relaxed(moves);
    pace = {waiting, now, now == pace.seen ? pace.idle + 1 : 0};
    result = waiting <= CHEAP ? pace.idle < calm : is_productive;
  }
  return __shfl_sync(ALL_LANES, (int)result, 0);
}

// Return the union of the words of all messages.
DEVICE u32 received(i64 word, i64 words, i64 messages, const u32* inbox) {
  u32 bits = 0;
  for (i64 m = 0; m < messages; m++) bits |= inbox[m * words + word];
  return bits;
}

// Copy the number of reported vertices to the host, and set it to zero for the next message.
KERNEL(1) hand_in(i64* counts, i64* report) {
  if (thread_id() == 0) report[1] = counts[0], counts[0] = 0;
}

// Hand in a message, and the length of a list of three parts (row_lists.cuh).
KERNEL(1) hand_in_rows(const i64* lengths, i64* counts, i64* report) {
  if (thread_id() == 0) report[0] = lengths[0] + lengths[1] + lengths[2], report[1] = counts[0], counts[0] = 0;
}
