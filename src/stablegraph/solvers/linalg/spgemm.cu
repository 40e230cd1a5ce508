// Values of products of sparse matrices of blocks on a GPU, in known patterns; device_matrix.py launches them.
//
// Result: that of block_csr.py, up to rounding; the same bits from run to run. Without blocks it is that of
// block_csr.py bit for bit (on small levels only if they are not dense): sums have its order, and no product is fused
// with a sum.
//
// State: blocks of the left factor have HEIGHT x MIDDLE values, those of the right one MIDDLE x WIDTH. TEAM lanes of a
// warp work on a row of blocks, LANES on one without blocks, with room in shared memory for ROOM entries each.
//
// Idea without blocks: the lanes keep the columns and the sums of the product's row in shared memory, go through the
// left row entry by entry, and share the entries of the right row, each of which is added to its place, which is found
// by bisection.
//
// Idea with blocks, for which a search costs little compared with the products: a lane has a block of the product's
// row, or a column of the block. It goes through the left row and looks for its column in the right factor's row by
// bisection. So sums stay in registers, and no lane waits for another. If there are few rows, a warp has the block, and
// each of its lanes a part of the left row.
//
// Where that would be far too many steps, in long rows of hubs, a block of threads goes through the left row together,
// and each entry of a right row is added to its place in memory.
//
// Cost without blocks: for a row with l entries on the left, l steps for each LANES entries of a right row, of log(m)
// reads of shared memory. (Each lane with a column of its own, as with blocks, would take l m log(r) / LANES steps,
// most of which find nothing: 750 searches for 225 products on a 7-point grid.) With blocks: for m blocks in the
// product's row l m log(r) steps of a lane, r the length of a right row; for rows of hubs, one for each pair of
// entries, and l barriers.

// The place of a column in a row with ascending columns, or -1.
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

// sum += a b, as two operations.
DEVICE void add_product(double& sum, double a, double b) { sum = __dadd_rn(sum, __dmul_rn(a, b)); }

#define FACTORS                                                                                              \
  const offset *left_indptr, const vertex *left_indices, const double *left, const offset *right_indptr,    \
      const vertex *right_indices, const double *right
#define PRODUCT const offset *indptr, const vertex *indices, double *data

DEVICE bool is_long(i64 left_length, i64 length) { return left_length * length > MAX_STEPS; }

// Add to column c of a block of the product the terms of entries first, first + step, .. of the left row.
DEVICE void add_terms(i64 first, i64 end, i64 step, vertex column, i64 c, const vertex* left_indices,
                      const double* left, const offset* right_indptr, const vertex* right_indices, const double* right,
                      double (&sums)[HEIGHT]) {
  for (i64 e = first; e < end; e += step) {
    vertex k = left_indices[e];
    i64 f = place_of(column, right_indptr[k], right_indptr[k + 1], right_indices);
    if (f < 0) continue;
#pragma unroll
    for (int m = 0; m < MIDDLE; m++) {
      double value = right[(f * MIDDLE + m) * WIDTH + c];
#pragma unroll
      for (int s = 0; s < HEIGHT; s++) add_product(sums[s], left[(e * HEIGHT + s) * MIDDLE + m], value);
    }
  }
}

#if HEIGHT * MIDDLE * WIDTH == 1
#define LARGEST ((vertex)(~(u64)0 >> (65 - 8 * sizeof(vertex))))

// A row of the product for each LANES lanes.
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
      // Each lane fetches an entry of the left row.
      i64 e = base + team.rank();
      offset first = 0, end = 0;
      double factor = 0;
      if (e < left_end) {
        vertex k = left_indices[e];
        first = right_indptr[k], end = right_indptr[k + 1], factor = left[e];
      }
      int fetched = (int)min((i64)LANES, left_end - base);
      for (int i = 0; i < fetched; i++) {
        offset stop = team.from(end, i);
        double a = team.from(factor, i);
        for (i64 f = (i64)team.from(first, i) + team.rank(); f < stop; f += LANES) {
          vertex column = right_indices[f];
          int place = 0;
          for (int step = size / 2; step; step /= 2)
            if (columns[place + step] <= column) place += step;
          add_product(sums[place], a, right[f]);
        }
        team.meet();
      }
    }
    for (int i = team.rank(); i < length; i += LANES) data[start + i] = sums[i];
    team.meet();
  }
}

#define WITH_LANES(LANES)                                                                                            \
  KERNEL(6) add_rows_##LANES(i64 n, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {                            \
    __shared__ vertex columns[BLOCK * ROOM];                                                                         \
    __shared__ double sums[BLOCK * ROOM];                                                                            \
    add_rows<LANES>(columns, sums, n, left_indptr, left_indices, left, right_indptr, right_indices, right, indptr,   \
                    indices, data, longs, longs_length);                                                             \
  }

WITH_LANES(4)
WITH_LANES(8)
WITH_LANES(16)
WITH_LANES(32)
#endif

// A row of blocks of the product for each TEAM lanes.
KERNEL(3) multiply_short(i64 n, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {
  for (i64 u = thread_id() / TEAM; u < n; u += thread_count() / TEAM) {
    i64 left_start = left_indptr[u], left_end = left_indptr[u + 1], start = indptr[u], length = indptr[u + 1] - start;
    if (is_long(left_end - left_start, length)) {
      if (threadIdx.x % TEAM == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    for (i64 g = threadIdx.x % TEAM; g < length * WIDTH; g += TEAM) {
      i64 place = start + g / WIDTH, c = g % WIDTH;
      vertex column = indices[place];
      double sums[HEIGHT] = {};
      add_terms(left_start, left_end, 1, column, c, left_indices, left, right_indptr, right_indices, right, sums);
#pragma unroll
      for (int s = 0; s < HEIGHT; s++) data[(place * HEIGHT + s) * WIDTH + c] = sums[s];
    }
  }
}

// A column of a block of the product for each warp. `rows` are the rows of the blocks.
KERNEL(3) multiply_few(i64 blocks, const vertex* rows, FACTORS, PRODUCT, vertex* longs, i64* longs_length) {
  for (i64 g = warp_id(); g < blocks * WIDTH; g += warp_count()) {
    i64 place = g / WIDTH, c = g % WIDTH, u = rows[place];
    i64 first = left_indptr[u], end = left_indptr[u + 1];
    if (is_long(end - first, indptr[u + 1] - indptr[u])) {
      if (lane_id() == 0 && place == indptr[u] && c == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    double sums[HEIGHT] = {};
    add_terms(first + lane_id(), end, WARP, indices[place], c, left_indices, left, right_indptr, right_indices, right,
              sums);
#pragma unroll
    for (int s = 0; s < HEIGHT; s++) {
      sums[s] = sum_of_lanes(sums[s]);
      if (lane_id() == s % WARP) data[(place * HEIGHT + s) * WIDTH + c] = sums[s];
    }
  }
}

// Listed rows, a block of threads each.
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
