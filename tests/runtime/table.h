/* The table of test kernels, in the form that build_kernels generates; pool_test.c defines the kernels. */

#define EACH_CODE(X) \
    X(0x31) X(0x11) X(0x12) X(0x14) X(0x18) X(0x21) X(0x22) X(0x24) X(0x28) X(0x42) X(0x44) X(0x48) X(0x58) X(0x50)

void copy_words(int64_t worker, const int64_t *words);
void wait_for_flag(int64_t worker, const int64_t *words);
void count_workers(int64_t worker, const int64_t *words);
#define DECLARE(code) void write_##code(int64_t worker, const int64_t *words);
EACH_CODE(DECLARE)

static const uint8_t one_int64[] = {0x18}, int64_int32_float64[] = {0x18, 0x14, 0x48}, two_int64[] = {0x18, 0x18};
#define CODES(code) static const uint8_t codes_##code[] = {0x18, code};
EACH_CODE(CODES)

static const Form numbers_forms[] = {{one_int64, {copy_words}}};
static const Form pair_forms[] = {{two_int64, {copy_words}}};
static const Form tuples_forms[] = {{int64_int32_float64, {copy_words}}};
static const Form wait_forms[] = {{one_int64, {wait_for_flag}}};
static const Form count_forms[] = {{one_int64, {count_workers}}};
#define FORM(code) {codes_##code, {write_##code}},
static const Form types_forms[] = {EACH_CODE(FORM)};

static const Kernel kernels[] = {
    {"numbers", "1ifb", 1, numbers_forms},
    {"tuple", "(1i)f", 1, numbers_forms},
    {"tuples", "1(1(i2)b)i", 1, tuples_forms},
    {"pair", "(11)i", 1, pair_forms},
    {"types", "11", sizeof types_forms / sizeof *types_forms, types_forms},
    {"wait", "1", 1, wait_forms},
    {"count", "1", 1, count_forms},
};
static const int kernel_count = sizeof kernels / sizeof *kernels;
static const char source_hash[] = "the hash of the sources";

#define MAX_WORDS 16
#define MAX_ARRAYS 3
