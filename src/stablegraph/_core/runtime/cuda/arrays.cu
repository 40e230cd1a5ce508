// Operations on whole arrays on a GPU; launched by arrays.py; see ../arrays.py.
//
// Result: exact, so it does not depend on the number of threads or their order. Maxima are taken of unsigned integers
// that have the order of the numbers.
//
// Idea: CuPy compiles a kernel for each operation and type in its first call. This takes 0.1 s, and seconds for sums,
// `all` and `any`. The kernels of this file are in the archive of GPU code.
//
// State: the suffixes of kernel names are types: i4 is int, i8 is i64, f4 and f8 are float and double. Where only
// equality matters, unsigned integers are read as signed ones of the same size.
//
// Cost: one pass over the arrays; two passes for positions and running sums.

// Map an integer to an unsigned one with the same order.
DEVICE u64 in_order(i64 x) { return (u64)x ^ (1ull << 63); }
DEVICE u64 in_order(int x) { return in_order((i64)x); }
DEVICE u64 in_order(u64 x) { return x; }
// Map a number to an integer with the order of absolute values; NaN comes after infinity.
DEVICE u64 in_order(double x) { return (u64)__double_as_longlong(fabs(x)); }

#define CONVERT(NAME, FROM, TO)                                                                                        \
  KERNEL(8) convert_##NAME(i64 n, const FROM* from, TO* to) { EACH(i, n) to[i] = (TO)from[i]; }

CONVERT(i4_i8, int, i64)
CONVERT(i8_i4, i64, int)
CONVERT(f8_f4, double, float)
CONVERT(f4_f8, float, double)

// Write the largest number, mapped by `in_order`, to `result`, which is initially 0.
#define LARGEST(NAME, T)                                                                                               \
  KERNEL(8) largest_##NAME(i64 n, const T* values, u64* result) {                                                      \
    u64 largest = 0;                                                                                                   \
    EACH(i, n) largest = max(largest, in_order(values[i]));                                                            \
    for (int step = WARP / 2; step; step /= 2) largest = max(largest, __shfl_xor_sync(ALL_LANES, largest, step));      \
    if (lane_id() == 0) atomicMax(result, largest);                                                                    \
  }

LARGEST(i4, int)
LARGEST(i8, i64)
LARGEST(u8, u64)
LARGEST(f8, double)

#define NEW(NAME, T)                                                                                                   \
  KERNEL(8) fill_##NAME(i64 n, i64 value, T* values) { EACH(i, n) values[i] = (T)value; }                              \
  KERNEL(8) count_up_##NAME(i64 n, T* values) { EACH(i, n) values[i] = (T)i; }                                         \
  KERNEL(8) subtract_neighbors_##NAME(i64 n, i64 less, const T* ends, T* differences) {                                \
    EACH(i, n) differences[i] = ends[i + 1] - ends[i] - (T)less;                                                       \
  }

NEW(i4, int)
NEW(i8, i64)

// Running sums, see running_sums.cuh.

#define SUMS(NAME, T)                                                                                                  \
  KERNEL(8) sum_shares_##NAME(i64 n, i64 shares, const T* values, i64* sums) {                                         \
    for (i64 share = warp_id(); share < shares; share += warp_count()) {                                               \
      i64 end = n * (share + 1) / shares, sum = 0;                                                                     \
      for (i64 i = n * share / shares + lane_id(); i < end; i += WARP) sum += values[i];                               \
      sum = sum_of_lanes(sum);                                                                                         \
      if (lane_id() == 0) sums[share] = sum;                                                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL(8) write_offsets_##NAME(i64 n, i64 shares, const T* values, const i64* sums, i64* offsets) {                  \
    for (i64 share = warp_id(); share < shares; share += warp_count()) {                                               \
      i64 end = n * (share + 1) / shares, total = share ? sums[share - 1] : 0;                                         \
      if (share == 0 && lane_id() == 0) offsets[0] = 0;                                                                \
      for (i64 first = n * share / shares; first < end; first += WARP) {                                               \
        i64 i = first + lane_id(), sum = sum_up_to_lane<i64>(i < end ? values[i] : 0) + total;                         \
        if (i < end) offsets[i + 1] = sum;                                                                             \
        total = __shfl_sync(ALL_LANES, sum, WARP - 1);                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
  }

SUMS(i4, int)
SUMS(i8, i64)

// Find the positions of a value, also in shares.
#define COMPARE(NAME, T)                                                                                               \
  KERNEL(8) compare_##NAME(i64 n, const T* values, i64 value, u8* mask) {                                              \
    EACH(i, n) mask[i] = values[i] == (T)value;                                                                        \
  }                                                                                                                    \
  KERNEL(8) find_##NAME(i64 n, const T* values, i64 value, i64* found) {                                               \
    EACH(i, n) if (values[i] == (T)value) *found = 1;                                                                  \
  }                                                                                                                    \
  KERNEL(8) differ_##NAME(i64 n, const T* first, const T* second, i64* found) {                                        \
    EACH(i, n) if (first[i] != second[i]) *found = 1;                                                                  \
  }                                                                                                                    \
  KERNEL(8) count_places_##NAME(i64 n, i64 shares, const T* values, i64 value, i64* counts) {                          \
    for (i64 share = warp_id(); share < shares; share += warp_count()) {                                               \
      i64 start = n * share / shares, end = n * (share + 1) / shares;                                                  \
      u32 found = 0;                                                                                                   \
      for (i64 i = start + lane_id(); i < end; i += WARP) found += values[i] == (T)value;                              \
      found = sum_of_lanes(found);                                                                                     \
      if (lane_id() == 0) counts[share] = found;                                                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL(8) write_places_##NAME(i64 n, i64 shares, const T* values, i64 value, const i64* sums, i64* places) {         \
    for (i64 share = warp_id(); share < shares; share += warp_count()) {                                               \
      i64 end = n * (share + 1) / shares, place = share ? sums[share - 1] : 0;                                         \
      for (i64 first = n * share / shares; first < end; first += WARP) {                                               \
        i64 i = first + lane_id();                                                                                     \
        u32 who = __ballot_sync(ALL_LANES, i < end && values[i] == (T)value);                                          \
        if (who >> lane_id() & 1) places[place + __popc(who & ((1u << lane_id()) - 1))] = i;                           \
        place += __popc(who);                                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
  }

COMPARE(i4, int)
COMPARE(i8, i64)

KERNEL(8) copy_column(i64 n, i64 columns, i64 j, const double* matrix, i64 new_columns, i64 new_j, double* result) {
  EACH(i, n) result[i * new_columns + new_j] = matrix[i * columns + j];
}

// Find out whether a number is not finite.
KERNEL(8) find_infinite(i64 n, const double* values, i64* found) {
  EACH(i, n) if (!(fabs(values[i]) < __longlong_as_double(0x7ff0000000000000ll))) *found = 1;
}

// Write identity matrices of `width` rows, one below the other.
KERNEL(8) stack_identities(i64 n, i64 width, double* values) {
  EACH(g, n * width) values[g] = g / width % width == g % width;
}
