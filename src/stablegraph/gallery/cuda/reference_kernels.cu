// One sweep over the entries of a graph on a GPU: a lower bound for every algorithm that reads all entries.
//
// Each thread has four loads of 16 bytes in flight. The sum is written to memory only so that the compiler does not
// remove the loads.

KERNEL(8) sum_entries(i64 entries, const vertex* indices, vertex* total) {
  constexpr int AT_ONCE = 16 / sizeof(vertex);
  struct alignas(16) Several { vertex of[AT_ONCE]; };
  const Several* several = (const Several*)indices;
  vertex sum = 0;
  EACH(i, entries / AT_ONCE) {
    Several loaded = several[i];
    for (int k = 0; k < AT_ONCE; k++) sum += loaded.of[k];
  }
  if (thread_id() == 0) for (i64 i = entries / AT_ONCE * AT_ONCE; i < entries; i++) sum += indices[i];
  if (sum == -1) *total = sum;  // almost never
}
