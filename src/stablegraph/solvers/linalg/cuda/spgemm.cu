// Values of products of sparse matrices of blocks on a GPU, in known patterns; launched by device_matrix.py.
//
// Result: that of ../block_csr.py, with the same bits (on small dense levels without blocks only up to rounding, with
// the same bits from run to run): sums have the same order, and products and sums are not fused.
//
// State: blocks of the left factor have HEIGHT x MIDDLE values, those of the right factor MIDDLE x WIDTH. LANES or TEAM
// lanes of a warp work on a row without blocks, each with shared memory for ROOM entries.
//
// Idea without blocks: the lanes keep the columns and the sums of the product's row in shared memory. They traverse the
// left row entry by entry and share the entries of the right row. Each is added to its sum, which a binary search
// finds.
//
// If this row does not fit in shared memory, a lane has an entry of it. It traverses the left row and finds its column
// in the right factor's row by binary search. If there are few rows, a warp has the entry, and each of its lanes
// processes a part of the left row.
//
// Idea with blocks: a warp has a block of the product. Each lane searches the right factor's row for one entry of the
// left row. Then the lanes, each of which has a value of the block in a register, add the products of all blocks found,
// in the order of the left row.
//
// In long rows of hubs this would take far too many steps. A block of threads then traverses the left row together, and
// adds each entry of a right row to its position in memory.
//
// Cost without blocks: for a left row with l entries, l steps per LANES entries of a right row, each with log(m) reads
// of shared memory. (If each lane had its own column, l m log(r) / LANES steps would be necessary, and most would find
// nothing: 750 searches for 225 products on a 7-point grid.) With blocks: for each block of the product, l log(r) / 32
// steps of a warp, where r is the length of a right row, and MIDDLE steps per pair of blocks. For rows of hubs: one
// step per pair of entries, and l barriers.

// Return the position of a column in a row with ascending columns, or -1.
DEVICE i64 place_of(vertex column, i64 first, i64 end, const vertex* indices) {
  while (first < end) {
    i64 middle = (first + end) / 2;
    vertex there = indices[middle];
    if (there == column) return middle;
    if (there < column) first = middle + 1;
    else end = middle;
  }
  return -1;
}

// Set sum += a b, as two operations.
DEVICE void add_product(double& sum, double a, double b) { sum = __dadd_rn(sum, __dmul_rn(a, b)); }

#define FACTORS                                                                                              \
  const offset *left_indptr, const vertex *left_indices, const double *left, const offset *right_indptr,    \
      const vertex *right_indices, const double *right
#define PRODUCT const offset *indptr, const vertex *indices, double *data

DEVICE bool is_long(i64 left_length, i64 length) { return left_length * length > MAX_STEPS; }

#if HEIGHT * MIDDLE * WIDTH == 1
#define AT_ONCE 2  // right rows
#define LARGEST ((vertex)(~(u64)0 >> (65 - 8 * sizeof(vertex))))

// Compute rows of the product, one per LANES lanes.
template <int LANES>
DEVICE void add_rows(vertex* all_columns, double* all_sums, i64 n, FACTORS, PRODUCT, vertex* longs,
                     i64* longs_length) {
  const PartOfWarp<LANES> team;
  vertex* columns = all_columns + threadIdx.x / LANES * ROOM * LANES;
  double* sums = all_sums + threadIdx.x / LANES * ROOM * LANES;
  for (i64 u = thread_id() / LANES; u < n; u += thread_count() / LANES) {
    i64 start = indptr[u], length = indptr[u + 1] - start;
    if (length > ROOM * LANES) {
      if (team.rank() == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    int size = LANES;
    while (size < length) size *= 2;
    for (int i = team.rank(); i < size; i += LANES) columns[i] = i < length ? indices[start + i] : LARGEST, sums[i] = 0;
    team.meet();
    for (i64 base = left_indptr[u], left_end = left_indptr[u + 1]; base < left_end; base += LANES) {
      // Each lane loads an entry of the left row.
      i64 e = base + team.rank();
      offset first = 0, end = 0;
      double factor = 0;
      if (e < left_end) {
        vertex k = left_indices[e];
        first = right_indptr[k], end = right_indptr[k + 1], factor = left[e];
      }
      int fetched = (int)min((i64)LANES, left_end - base);
      for (int i = 0; i < fetched; i += AT_ONCE) {
        offset at[AT_ONCE], stop[AT_ONCE];
        vertex column[AT_ONCE];
        double value[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {  // load the first entries of several right rows together
          int from = min(i + j, fetched - 1);
          at[j] = team.from(first, from) + team.rank(), stop[j] = team.from(end, from);
          if (i + j >= fetched) stop[j] = at[j];
          if (at[j] < stop[j]) column[j] = right_indices[at[j]], value[j] = right[at[j]];
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
          double a = team.from(factor, min(i + j, fetched - 1));
          while (at[j] < stop[j]) {
            int place = 0;
            for (int step = size / 2; step; step /= 2)
              if (columns[place + step] <= column[j]) place += step;
            add_product(sums[place], a, value[j]);
            at[j] += LANES;
            if (at[j] < stop[j]) column[j] = right_indices[at[j]], value[j] = right[at[j]];
          }
          team.meet();
        }
      }
    }
    for (int i = team.rank(); i < length; i += LANES) data[start + i] = sums[i];
    team.meet();
  }
}

#define WITH_LANES(LANES)                                                                                            \
  KERNEL(5) add_rows_##LANES(i64 n, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {                            \
    __shared__ vertex columns[BLOCK * ROOM];                                                                         \
    __shared__ double sums[BLOCK * ROOM];                                                                            \
    add_rows<LANES>(columns, sums, n, left_indptr, left_indices, left, right_indptr, right_indices, right, indptr,   \
                    indices, data, longs, longs_length);                                                             \
  }

WITH_LANES(4)
WITH_LANES(8)
WITH_LANES(16)
WITH_LANES(32)
// Return the sum of the terms of entries first, first + step, .. of the left row in a column.
DEVICE double sum_of_terms(i64 first, i64 end, i64 step, vertex column, const vertex* left_indices, const double* left,
                           const offset* right_indptr, const vertex* right_indices, const double* right) {
  double sum = 0;
  for (i64 e = first; e < end; e += step) {
    vertex k = left_indices[e];
    i64 f = place_of(column, right_indptr[k], right_indptr[k + 1], right_indices);
    if (f >= 0) add_product(sum, left[e], right[f]);
  }
  return sum;
}

// Compute rows of the product, one per TEAM lanes.
KERNEL(3) multiply_short(i64 n, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {
  for (i64 u = thread_id() / TEAM; u < n; u += thread_count() / TEAM) {
    i64 first = left_indptr[u], end = left_indptr[u + 1], start = indptr[u], length = indptr[u + 1] - start;
    if (is_long(end - first, length)) {
      if (threadIdx.x % TEAM == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    for (i64 g = start + threadIdx.x % TEAM; g < start + length; g += TEAM)
      data[g] = sum_of_terms(first, end, 1, indices[g], left_indices, left, right_indptr, right_indices, right);
  }
}

// Compute entries of the product, one per warp. `rows` are the rows of the entries.
KERNEL(3) multiply_few(i64 entries, const vertex* rows, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {
  for (i64 g = warp_id(); g < entries; g += warp_count()) {
    i64 u = rows[g], first = left_indptr[u], end = left_indptr[u + 1];
    if (is_long(end - first, indptr[u + 1] - indptr[u])) {
      if (lane_id() == 0 && g == indptr[u]) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    double sum = sum_of_lanes(sum_of_terms(first + lane_id(), end, WARP, indices[g], left_indices, left, right_indptr,
                                           right_indices, right));
    if (lane_id() == 0) data[g] = sum;
  }
}
#else

// Compute blocks of the product, one per warp. `rows` are the rows of the blocks.
KERNEL(3) multiply_blocks(i64 blocks, const vertex* rows, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {
  const int size = HEIGHT * WIDTH, share = (size + WARP - 1) / WARP;
  for (i64 g = warp_id(); g < blocks; g += warp_count()) {
    i64 u = rows[g], end = left_indptr[u + 1];
    if (is_long(end - left_indptr[u], indptr[u + 1] - indptr[u])) {
      if (lane_id() == 0 && g == indptr[u]) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    vertex column = indices[g];
    double sums[share] = {};
    for (i64 base = left_indptr[u]; base < end; base += WARP) {
      i64 e = base + lane_id(), f = -1;
      if (e < end) {
        vertex k = left_indices[e];
        f = place_of(column, right_indptr[k], right_indptr[k + 1], right_indices);
      }
      for (u32 found = __ballot_sync(ALL_LANES, f >= 0); found; found &= found - 1) {
        int lane = __ffs(found) - 1;
        const double* a = left + (base + lane) * HEIGHT * MIDDLE;
        const double* b = right + __shfl_sync(ALL_LANES, f, lane) * MIDDLE * WIDTH;
#pragma unroll
        for (int i = 0; i < share; i++) {
          int place = lane_id() + i * WARP, s = place / WIDTH, c = place % WIDTH;
          if (place >= size) break;
#pragma unroll
          for (int m = 0; m < MIDDLE; m++) add_product(sums[i], a[s * MIDDLE + m], b[m * WIDTH + c]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < share; i++) {
      int place = lane_id() + i * WARP;
      if (place < size) data[g * size + place] = sums[i];
    }
  }
}
#endif

// Compute the listed rows, one per block of threads.
KERNEL(4) multiply_long(const vertex* longs, const i64* longs_length, FACTORS, PRODUCT) {
  i64 count = *longs_length;
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    vertex u = longs[i];
    i64 start = indptr[u], end = indptr[u + 1];
    const i64 size = HEIGHT * WIDTH;
    for (i64 g = start * size + threadIdx.x; g < end * size; g += BLOCK) data[g] = 0;
    __syncthreads();
    for (i64 e = left_indptr[u], stop = left_indptr[u + 1]; e < stop; e++) {
      vertex k = left_indices[e];
      i64 first = right_indptr[k];
      for (i64 g = threadIdx.x; g < (right_indptr[k + 1] - first) * WIDTH; g += BLOCK) {
        i64 f = first + g / WIDTH, c = g % WIDTH, place = place_of(right_indices[f], start, end, indices);
        for (int m = 0; m < MIDDLE; m++)
          for (int s = 0; s < HEIGHT; s++)
            add_product(data[(place * HEIGHT + s) * WIDTH + c], left[(e * HEIGHT + s) * MIDDLE + m],
                        right[(f * MIDDLE + m) * WIDTH + c]);
      }
      __syncthreads();
    }
  }
}
