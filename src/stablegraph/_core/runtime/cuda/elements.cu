// NumPy's operations for arrays on a GPU; launched by elements.py and functions.py.
//
// Result: that of NumPy, exactly, for booleans, integers and floating-point numbers. Sums of integers, extremes and
// counts do not depend on the number of threads.
//
// Idea: CuPy compiles a kernel for each operation and combination of types in its first call. These kernels get the
// operation and the types as arguments. All threads take the same branch, and such kernels wait for memory anyway.
//
// State: an operand is an address, the number of its type, and a step: 1 for an array, 0 for a single element in
// memory, and -1 for a number that is passed instead of the address, as the bits of the type of the calculation.
//
// Cost: one pass over the arrays; two passes for positions and running sums.

// The order of elements.py.
enum Type { BOOL, I1, U1, I2, U2, I4, U4, I8, U8, F4, F8 };
enum Operation {
  ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, MINIMUM, MAXIMUM, AND, OR, XOR, LEFT, RIGHT,
  EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LOGICAL_AND, LOGICAL_OR, LDEXP, COPYSIGN,
  NEGATIVE, ABSOLUTE, INVERT, LOGICAL_NOT, SQRT, RINT, FLOOR, ISNAN, ISFINITE
};

template <class T> DEVICE T load(i64 from, i64 type, i64 i) {
  switch (type) {
    case BOOL: case U1: return (T)((const u8*)from)[i];
    case I1: return (T)((const signed char*)from)[i];
    case I2: return (T)((const short*)from)[i];
    case U2: return (T)((const u16*)from)[i];
    case I4: return (T)((const int*)from)[i];
    case U4: return (T)((const u32*)from)[i];
    case I8: return (T)((const i64*)from)[i];
    case U8: return (T)((const u64*)from)[i];
    case F4: return (T)((const float*)from)[i];
    default: return (T)((const double*)from)[i];
  }
}

template <class T> DEVICE void store(i64 to, i64 type, i64 i, T x) {
  switch (type) {
    case BOOL: ((u8*)to)[i] = x != 0; break;
    case I1: case U1: ((u8*)to)[i] = (u8)(i64)x; break;
    case I2: case U2: ((u16*)to)[i] = (u16)(i64)x; break;
    case I4: case U4: ((u32*)to)[i] = (u32)(i64)x; break;
    case I8: ((i64*)to)[i] = (i64)x; break;
    case U8: ((u64*)to)[i] = (u64)x; break;
    case F4: ((float*)to)[i] = (float)x; break;
    default: ((double*)to)[i] = (double)x;
  }
}

DEVICE i64 of_bits(i64 bits, i64) { return bits; }
DEVICE u64 of_bits(i64 bits, u64) { return (u64)bits; }
DEVICE double of_bits(i64 bits, double) { return __longlong_as_double(bits); }

template <class T> DEVICE T element(i64 from, i64 type, i64 step, i64 i) {
  return step < 0 ? of_bits(from, T()) : load<T>(from, type, i * step);
}

// Calculations on integers, and on doubles, which also serve for floats: rounding twice is harmless for +, -, * and /.
template <class T> DEVICE T calculated(i64 operation, T a, T b) {
  switch (operation) {
    case ADD: return (T)((u64)a + (u64)b);
    case SUBTRACT: return (T)((u64)a - (u64)b);
    case MULTIPLY: return (T)((u64)a * (u64)b);
    case FLOOR_DIVIDE: return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
    case REMAINDER: return b == 0 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    case MINIMUM: return a < b ? a : b;
    case MAXIMUM: return a > b ? a : b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case LEFT: return (u64)b < 64 ? (T)((u64)a << b) : 0;
    case RIGHT: return a >> ((u64)b < 64 ? b : 63);
    case EQUAL: return a == b;
    case NOT_EQUAL: return a != b;
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case LOGICAL_AND: return a != 0 && b != 0;
    case LOGICAL_OR: return a != 0 || b != 0;
    case NEGATIVE: return (T)(0 - (u64)a);
    case ABSOLUTE: return a < 0 ? (T)(0 - (u64)a) : a;
    case INVERT: return ~a;
    case LOGICAL_NOT: return a == 0;
    case ISNAN: return 0;
    default: return 1;  // ISFINITE
  }
}

DEVICE double calculated(i64 operation, double a, double b) {
  switch (operation) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case MINIMUM: return a != a || a < b ? a : b;
    case MAXIMUM: return a != a || a > b ? a : b;
    case EQUAL: return a == b;
    case NOT_EQUAL: return a != b;
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case LOGICAL_AND: return a != 0 && b != 0;
    case LOGICAL_OR: return a != 0 || b != 0;
    case LDEXP: return ldexp(a, (int)b);
    case COPYSIGN: return copysign(a, b);
    case NEGATIVE: return -a;
    case ABSOLUTE: return fabs(a);
    case LOGICAL_NOT: return a == 0;
    case SQRT: return sqrt(a);
    case RINT: return rint(a);
    case FLOOR: return floor(a);
    case ISNAN: return a != a;
    default: return fabs(a) < __longlong_as_double(0x7ff0000000000000ll);  // ISFINITE
  }
}

template <class T> DEVICE bool comes_before(T a, T b) { return a < b || (b != b && a == a); }  // NaN is last

#define CALCULATE(NAME, T)                                                                                             \
  KERNEL(4) calculate_##NAME(i64 operation, i64 n, i64 a, i64 type_a, i64 step_a, i64 b, i64 type_b, i64 step_b,       \
                             i64 to, i64 type) {                                                                       \
    EACH(i, n)                                                                                                         \
      store<T>(to, type, i,                                                                                            \
               calculated(operation, element<T>(a, type_a, step_a, i), element<T>(b, type_b, step_b, i)));             \
  }                                                                                                                    \
  KERNEL(4) choose_##NAME(i64 n, i64 which, i64 type_w, i64 step_w, i64 a, i64 type_a, i64 step_a, i64 b, i64 type_b,  \
                          i64 step_b, i64 to, i64 type) {                                                              \
    EACH(i, n)                                                                                                         \
      store<T>(to, type, i,                                                                                            \
               element<i64>(which, type_w, step_w, i) ? element<T>(a, type_a, step_a, i)                               \
                                                      : element<T>(b, type_b, step_b, i));                             \
  }                                                                                                                    \
  /* Copy between arrays of up to three dimensions with any strides; the first operand may also be one number. */      \
  KERNEL(4) copy_##NAME(i64 n, i64 rows, i64 columns, i64 from, i64 type_f, i64 step, i64 f0, i64 f1, i64 f2, i64 to,  \
                        i64 type, i64 t0, i64 t1, i64 t2) {                                                            \
    EACH(i, n) {                                                                                                       \
      i64 x = i / (rows * columns), y = i / columns % rows, z = i % columns;                                           \
      store<T>(to, type, x * t0 + y * t1 + z * t2, element<T>(from, type_f, step, x * f0 + y * f1 + z * f2));          \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Find where values belong in a sorted array: before equal elements, or behind them. */                             \
  KERNEL(8) search_##NAME(i64 n, i64 m, i64 sorted, i64 type_s, i64 behind, i64 values, i64 type_v, i64 step,         \
                          i64* to) {                                                                                   \
    EACH(i, n) {                                                                                                       \
      T x = element<T>(values, type_v, step, i);                                                                       \
      i64 low = 0, high = m;                                                                                           \
      while (low < high) {                                                                                             \
        i64 middle = low + (high - low) / 2;                                                                           \
        T y = load<T>(sorted, type_s, middle);                                                                         \
        if (comes_before(y, x) || (behind && !comes_before(x, y))) low = middle + 1; else high = middle;               \
      }                                                                                                                \
      to[i] = low;                                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Find the largest or smallest element as a word, initially 0, and its first position as the distance to n. */      \
  KERNEL(8) extreme_##NAME(i64 n, i64 values, i64 type, i64 smallest, u64* word) {                                     \
    u64 best = 0;                                                                                                      \
    EACH(i, n) best = max(best, in_order(load<T>(values, type, i), smallest));                                         \
    for (int step = WARP / 2; step; step /= 2) best = max(best, __shfl_xor_sync(ALL_LANES, best, step));               \
    if (lane_id() == 0 && best) atomicMax(word, best);                                                                 \
  }                                                                                                                    \
  KERNEL(8) first_extreme_##NAME(i64 n, i64 values, i64 type, i64 smallest, const u64* word, u64* place) {             \
    EACH(i, n) if (in_order(load<T>(values, type, i), smallest) == *word) atomicMax(place, (u64)(n - i));              \
  }                                                                                                                    \
  KERNEL(8) write_extreme_##NAME(i64 smallest, const u64* word, i64 to, i64 type) {                                    \
    if (thread_id() == 0) store<T>(to, type, 0, from_order(*word, smallest, T()));                                     \
  }

// Map a number to a word with the same order, or the reverse order; NaN gets the largest word in both.
DEVICE u64 in_order(u64 x, i64 reverse) { return reverse ? ~x : x; }
DEVICE u64 in_order(i64 x, i64 reverse) { return in_order((u64)x ^ (1ull << 63), reverse); }
DEVICE u64 in_order(double x, i64 reverse) {
  if (x != x) return ~0ull;
  u64 bits = (u64)__double_as_longlong(x);
  return in_order(bits >> 63 ? ~bits : bits | 1ull << 63, reverse);
}
DEVICE u64 from_order(u64 word, i64 reverse, u64) { return reverse ? ~word : word; }
DEVICE i64 from_order(u64 word, i64 reverse, i64) { return (i64)(from_order(word, reverse, 0ull) ^ (1ull << 63)); }
DEVICE double from_order(u64 word, i64 reverse, double) {
  u64 x = word == ~0ull ? word : from_order(word, reverse, 0ull);
  return __longlong_as_double((i64)(x == ~0ull ? 0x7ff8000000000000ull : x >> 63 ? x & ~(1ull << 63) : ~x));
}

CALCULATE(i8, i64)
CALCULATE(u8, u64)
CALCULATE(f8, double)

// Write the integers with the order of floating-point numbers: zeros are equal, NaN is the largest.
KERNEL(8) order_numbers(i64 n, i64 values, i64 type, i64* to) {
  EACH(i, n) to[i] = (i64)(in_order(load<double>(values, type, i) + 0.0, 0) ^ (1ull << 63));
}

KERNEL(8) count_up(i64 n, i64 start, i64 step, i64 to, i64 type) {
  EACH(i, n) store<i64>(to, type, i, start + i * step);
}

// Sum integers, or count the elements that are not zero.
KERNEL(8) sum_elements(i64 n, i64 values, i64 type, i64 step, i64 are_counted, u64* sum) {
  u64 own = 0;
  if (type == F4 || type == F8) {
    EACH(i, n) own += load<double>(values, type, i * step) != 0;
  } else {
    EACH(i, n) {
      i64 x = load<i64>(values, type, i * step);
      own += are_counted ? (u64)(x != 0) : (u64)x;
    }
  }
  own = sum_of_lanes(own);
  if (lane_id() == 0 && own) atomicAdd(sum, own);
}

// Copy rows of elements of `size` bytes from places, or to places; negative places count from the end.
#define MOVE(SIZE, T)                                                                                                  \
  KERNEL(8) gather_##SIZE(i64 n, i64 width, i64 rows, const T* values, i64 places, i64 type, T* to) {                  \
    EACH(g, n * width) {                                                                                               \
      i64 place = load<i64>(places, type, g / width);                                                                  \
      to[g] = values[(place < 0 ? place + rows : place) * width + g % width];                                          \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL(8) scatter_##SIZE(i64 n, i64 width, i64 rows, const T* values, i64 step, i64 places, i64 type, T* to) {       \
    EACH(g, n * width) {                                                                                               \
      i64 place = load<i64>(places, type, g / width);                                                                  \
      to[(place < 0 ? place + rows : place) * width + g % width] = values[g * step];                                   \
    }                                                                                                                  \
  }

MOVE(1, u8)
MOVE(2, u16)
MOVE(4, u32)
MOVE(8, u64)

// Add numbers, or take maxima, at places that may repeat.
KERNEL(8) add_at(i64 n, i64 places, i64 type, i64 values, i64 type_v, i64 step, i64* to) {
  EACH(i, n) atomicAdd(to + load<i64>(places, type, i), element<i64>(values, type_v, step, i));
}

// Positions of elements that are not zero, and running sums, in shares, see running_sums.cuh.
DEVICE i64 counted(i64 values, i64 type, i64 i, i64 are_counted) {
  if (type == F4 || type == F8) return load<double>(values, type, i) != 0;
  i64 x = load<i64>(values, type, i);
  return are_counted ? x != 0 : x;
}
KERNEL(8) sum_shares(i64 n, i64 shares, i64 values, i64 type, i64 are_counted, i64* sums) {
  for (i64 share = warp_id(); share < shares; share += warp_count()) {
    i64 end = n * (share + 1) / shares, sum = 0;
    for (i64 i = n * share / shares + lane_id(); i < end; i += WARP) sum += counted(values, type, i, are_counted);
    sum = sum_of_lanes(sum);
    if (lane_id() == 0) sums[share] = sum;
  }
}
KERNEL(8) write_sums(i64 n, i64 shares, i64 values, i64 type, i64 are_places, const i64* sums, i64 to, i64 type_t) {
  for (i64 share = warp_id(); share < shares; share += warp_count()) {
    i64 end = n * (share + 1) / shares, total = share ? sums[share - 1] : 0;
    for (i64 first = n * share / shares; first < end; first += WARP) {
      i64 i = first + lane_id(), own = i < end ? counted(values, type, i, are_places) : 0;
      i64 sum = sum_up_to_lane(own) + total;
      if (i < end && !are_places) store<i64>(to, type_t, i, sum);
      if (i < end && are_places && own) store<i64>(to, type_t, sum - 1, i);
      total = __shfl_sync(ALL_LANES, sum, WARP - 1);
    }
  }
}
