/* The C part of the library of compiled kernels: a thread pool, and the call of a kernel from Python.

   Result: `launch(threads, workers, *arguments)`, a built-in function per kernel, runs workers 0 .. workers - 1 of that
   kernel on up to `threads` threads and returns when all are done. No header of Python or NumPy is used, so one library
   works with all their versions.

   Idea of the pool: a launch divides its workers into shares, one per thread. Share 0 is intended for the calling
   thread and share h for helper thread h, so a thread works on the same data in each launch. A thread that has finished
   its share then claims any share that is still open. So the caller waits only for shares that another thread has
   begun, never for a thread that the system does not schedule.

   State: one word per share. It is EMPTY, ASLEEP (helper h sleeps until the word changes), or an offer: the number of
   the launch in which the share is open. Races are harmless because every change of a word is one atomic operation:
   - An offer becomes EMPTY when a thread claims the share, by compare-and-swap: exactly one thread succeeds.
   - EMPTY becomes ASLEEP by a compare-and-swap of the helper. It fails if there is an offer, which the helper then
     takes.
   - EMPTY or ASLEEP becomes an offer by an exchange of the caller, which then wakes a helper that was ASLEEP. If the
     helper is about to sleep, the system call finds that the word is no longer ASLEEP and returns at once.
   A thread reads `job` only between its claim of a share and its increment of `finished` for that share. The caller
   changes `job` only when all shares of the previous launch are counted. A needless wake-up only makes the helper read
   the word once more. A late claim, even after the launch numbers have wrapped around, takes an open share or fails.

   There is one pool. If it is busy because another Python thread is in a launch, a launch runs its workers in order. */

#define _GNU_SOURCE /* for syscall and the affinity functions */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `words` are the number of workers and the arguments, see `pack`. `codes` are the element types of a form's arrays.
   `kinds` has a letter for each argument: i int64, f double, b bool, 1 or 2 an array with that number of dimensions,
   (...) a tuple. */
typedef void (*Entry)(int64_t worker, const int64_t *words);
enum { LEVELS = 3 }; /* of processors: on x86-64 v2, v3 and v4; one level on other processors */
typedef struct { const uint8_t *codes; Entry entries[LEVELS]; } Form; /* NULL for levels that were not compiled */
typedef struct { const char *name, *kinds; int form_count; const Form *forms; } Kernel;

#include "table.h" /* generated: kernels, kernel_count, source_hash, MAX_WORDS, MAX_ARRAYS */

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* ---- The operating system ---- */

static void help(int number);

#if defined(_WIN32)
#include <windows.h>
static void sleep_while(_Atomic uint32_t *word, uint32_t value) {
    WaitOnAddress((volatile void *)word, &value, sizeof value, INFINITE);
}
static void wake(_Atomic uint32_t *word) { WakeByAddressSingle((void *)word); }
static int64_t microseconds(void) {
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    return (int64_t)(1e6 * (double)ticks.QuadPart / (double)per_second.QuadPart);
}
static DWORD WINAPI helper(LPVOID number) { help((int)(intptr_t)number); return 0; }
static int start_helper(int number) {
    HANDLE thread = CreateThread(NULL, 0, helper, (LPVOID)(intptr_t)number, 0, NULL);
    return thread && CloseHandle(thread);
}
#else
#include <pthread.h>
#include <signal.h>
#include <time.h>
#if defined(__APPLE__)
extern int __ulock_wait(uint32_t operation, void *address, uint64_t value, uint32_t microseconds);
extern int __ulock_wake(uint32_t operation, void *address, uint64_t value);
static void sleep_while(_Atomic uint32_t *word, uint32_t value) { __ulock_wait(1, word, value, 0); }
static void wake(_Atomic uint32_t *word) { __ulock_wake(1, word, 0); }
#else
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
static void sleep_while(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
static void wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }
static int current_processor(void) { return sched_getcpu(); }
/* Exclude a processor from the affinity of this thread; allow *left, the previously excluded one, again. */
static void leave_processor(int processor, int *left) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return;
    if (*left >= 0) CPU_SET(*left, &allowed);
    CPU_CLR(processor, &allowed);
    if (!sched_setaffinity(0, sizeof allowed, &allowed)) *left = processor; /* fails if there is no other processor */
}
#endif
static int64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
static void *helper(void *number) { help((int)(intptr_t)number); return NULL; }
static int start_helper(int number) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL}; /* delivered to the thread that causes them */
    sigset_t blocked, before;
    pthread_t thread;
    sigfillset(&blocked);
    for (int i = 0; i < 4; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before); /* the new thread inherits the mask */
    int failed = pthread_create(&thread, NULL, helper, (void *)(intptr_t)number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) pthread_detach(thread);
    return !failed;
}
#endif
#if !defined(__linux__)
static int current_processor(void) { return -1; } /* unknown: helpers stay on the processors that the system chooses */
static void leave_processor(int processor, int *left) { (void)processor, (void)left; }
#endif

/* ---- The pool ---- */

/* How long a thread polls a word before it sleeps: about as long as it takes to wake a thread (benchmarks/native). */
#ifndef SPIN_MICROSECONDS
#define SPIN_MICROSECONDS 50
#endif
enum { MAX_THREADS = 256 }; /* of one launch */
enum { EMPTY, ASLEEP, FIRST_LAUNCH };
#define CALLER_ASLEEP 0x80000000u

typedef struct { Entry entry; const int64_t *words; int64_t workers; int shares; } Job;
typedef struct { _Alignas(128) _Atomic uint32_t word; } Padded; /* a word in a cache line of its own */

static Padded shares[MAX_THREADS];
static Padded finished;                     /* number of finished shares of this launch; and CALLER_ASLEEP */
static _Alignas(128) Job job;
static _Atomic int caller_processor;        /* the processor that ran the caller of the last launch */
static atomic_flag busy = ATOMIC_FLAG_INIT; /* held by the launch that uses the pool and the next two variables */
static uint32_t launch_number;
static int helpers;                         /* threads 1 .. helpers have been started */

/* Wait a short time for a word to change; return whether it has. */
static int changes_soon(_Atomic uint32_t *word, uint32_t value) {
    int64_t start = 0;
    for (unsigned looks = 1;; looks++) {
        if (atomic_load_explicit(word, memory_order_relaxed) != value) return 1;
#if defined(__x86_64__)
        __builtin_ia32_pause(); /* 40 to 140 cycles */
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#endif
        if (looks % 32) continue;
        int64_t now = microseconds();
        if (!start) start = now;
        if (now - start >= SPIN_MICROSECONDS) return 0;
    }
}

/* Claim and run open shares of a launch, beginning with `own`. `count` is a lower bound of their number. */
static void run_shares(int own, int count, uint32_t offer) {
    for (int i = 0; i < count; i++) {
        int share = (own + i) % count;
        uint32_t seen = atomic_load_explicit(&shares[share].word, memory_order_relaxed);
        if (seen != offer || !atomic_compare_exchange_strong(&shares[share].word, &seen, EMPTY)) continue;
        Job now = job;
        for (int64_t worker = share; worker < now.workers; worker += now.shares) now.entry(worker, now.words);
        uint32_t before = atomic_fetch_add(&finished.word, 1);
        if (before + 1 == ((uint32_t)now.shares | CALLER_ASLEEP)) wake(&finished.word);
        count = now.shares;
    }
}

/* Run a helper thread until the process ends. A helper on the caller's processor would only alternate with the caller.
   Linux often wakes it on that processor, in virtual machines even if another processor is idle; such a helper moves to
   another processor. */
static void help(int number) {
    _Atomic uint32_t *word = &shares[number].word;
    int left = -1;
    for (;;) {
        uint32_t seen = atomic_load_explicit(word, memory_order_relaxed);
        if (seen >= FIRST_LAUNCH) run_shares(number, number + 1, seen);
        int processor = current_processor();
        if (processor >= 0 && processor == atomic_load_explicit(&caller_processor, memory_order_relaxed))
            leave_processor(processor, &left);
        else if (changes_soon(word, EMPTY))
            continue;
        uint32_t expected = EMPTY;
        if (!atomic_compare_exchange_strong(word, &expected, ASLEEP)) continue;
        while (atomic_load_explicit(word, memory_order_relaxed) == ASLEEP) sleep_while(word, ASLEEP);
    }
}

/* Run the workers on the helpers 1 .. count - 1 and this thread. */
static void run_on_pool(Entry entry, const int64_t *words, int64_t workers, int count) {
    atomic_store_explicit(&caller_processor, current_processor(), memory_order_relaxed);
    job = (Job){entry, words, workers, count};
    if (++launch_number < FIRST_LAUNCH) launch_number = FIRST_LAUNCH;
    atomic_store_explicit(&finished.word, 0, memory_order_relaxed);
    for (int share = 0; share < count; share++)
        if (atomic_exchange(&shares[share].word, launch_number) == ASLEEP) wake(&shares[share].word);
    run_shares(0, count, launch_number);
    uint32_t seen;
    while (((seen = atomic_load(&finished.word)) & ~CALLER_ASLEEP) != (uint32_t)count)
        if (!changes_soon(&finished.word, seen) &&
            atomic_compare_exchange_strong(&finished.word, &seen, seen | CALLER_ASLEEP))
            sleep_while(&finished.word, seen | CALLER_ASLEEP);
}

EXPORT void sg_run(Entry entry, const int64_t *words, int64_t workers, int64_t threads) {
    int count = (int)(threads < workers ? threads < MAX_THREADS ? threads : MAX_THREADS
                                        : workers < MAX_THREADS ? workers : MAX_THREADS);
    if (count > 1 && !atomic_flag_test_and_set(&busy)) {
        while (helpers + 1 < count && start_helper(helpers + 1)) helpers++;
        run_on_pool(entry, words, workers, count < helpers + 1 ? count : helpers + 1);
        atomic_flag_clear(&busy);
    } else {
        for (int64_t worker = 0; worker < workers; worker++) entry(worker, words);
    }
}

/* Reset the pool in the child of a fork: it has no helper threads, and starts its own. */
#if !defined(_WIN32)
static void forget_helpers(void) {
    helpers = 0;
    for (int share = 0; share < MAX_THREADS; share++) atomic_store(&shares[share].word, EMPTY);
    atomic_flag_clear(&busy);
}
#endif

/* ---- From Python ----

   ctypes starts the library and passes functions of Python's stable ABI. A kernel is then called like any other
   built-in function. The array objects are read according to the layout of NumPy 2 (its ABI, on which compiled
   extensions rely). The loader checks this layout with a known array, see `sg_describe`. */

static struct PythonFunctions {
    intptr_t header;   /* size of the object header in bytes: object.__basicsize__ */
    void *array_class; /* numpy.ndarray */
    void *none;
    long long (*as_integer)(void *);          /* PyLong_AsLongLong */
    double (*as_double)(void *);              /* PyFloat_AsDouble */
    int (*is_true)(void *);                   /* PyObject_IsTrue */
    void *(*error)(void);                     /* PyErr_Occurred */
    void *(*release_gil)(void);               /* PyEval_SaveThread */
    void (*take_gil)(void *);                 /* PyEval_RestoreThread */
    void (*add_reference)(void *);            /* Py_IncRef */
    void (*clear_error)(void);                /* PyErr_Clear */
    intptr_t (*tuple_size)(void *);           /* PyTuple_Size */
    void *(*tuple_item)(void *, intptr_t);    /* PyTuple_GetItem, a borrowed reference */
} python;

typedef struct { char *data; int ndim; intptr_t *shape, *strides; void *base, *descr; int flags; } Array;
typedef struct { void *class; char kind, letter, byte_order, unused; int number; } Descr;
enum { C_CONTIGUOUS = 1, ALIGNED = 0x100 }; /* in the flags of an array */

/* The codes of element types, by NumPy's numbers: kind * 16 + bytes % 16; kinds: 1 int, 2 uint, 3 bool, 4 float,
   5 complex. 0: no kernel supports such arrays.
       bool 31   int8 11   int16 12   int32 14   int64 18   float16 42   complex64  58
                 uint8 21  uint16 22  uint32 24  uint64 28  float32 44   complex128 50   float64 48 (hexadecimal) */
static const uint8_t codes_by_number[24] = {
    [0] = 0x31, [1] = 0x11, [2] = 0x21, [3] = 0x12, [4] = 0x22, [5] = 0x14, [6] = 0x24,
    [7] = 0x10 + sizeof(long), [8] = 0x20 + sizeof(long), [9] = 0x18, [10] = 0x28,
    [11] = 0x44, [12] = 0x48, [14] = 0x58, [15] = 0x50, [23] = 0x42};

_Static_assert(sizeof(void *) == 8, "only 64-bit systems");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays with byte order '>' count as swapped");

/* Return the array, or NULL if the object is not an ndarray that kernels support. `code` gets its element code. */
static const Array *array_of(char *object, uint8_t *code) {
    if (((void **)(object + python.header))[-1] != python.array_class) return NULL; /* its class: subclasses differ */
    const Array *array = (const Array *)(object + python.header);
    const Descr *descr = (const Descr *)((char *)array->descr + python.header);
    int usable = (array->flags & C_CONTIGUOUS) && (array->flags & ALIGNED) && descr->byte_order != '>';
    *code = usable && (unsigned)descr->number < sizeof codes_by_number ? codes_by_number[descr->number] : 0;
    return *code ? array : NULL;
}

static int level; /* the level of this processor */

typedef struct { int64_t *word; uint8_t *code; } Packed; /* the places of the next word and the next code */

/* Append the words of one argument: a number, the data pointer and shape of an array, or the words of a tuple's
   members. Return 1, or 0 if it does not match its kind or Python has raised an error. `kind` is advanced past the
   argument. */
static int pack(const char **kind, void *argument, Packed *packed) {
    switch (*(*kind)++) {
    case 'x':
        return 1;
    case 'i':
        *packed->word = python.as_integer(argument);
        return *packed->word++ != -1 || !python.error();
    case 'f': {
        double value = python.as_double(argument);
        memcpy(packed->word++, &value, sizeof value);
        return value != -1 || !python.error();
    }
    case 'b':
        *packed->word = python.is_true(argument);
        return *packed->word++ != -1;
    case '(': {
        intptr_t size = python.tuple_size(argument), i = 0;
        if (size < 0) python.clear_error(); /* not a tuple */
        for (; **kind != ')'; i++)
            if (i >= size || !pack(kind, python.tuple_item(argument, i), packed)) return 0;
        ++*kind;
        return i == size;
    }
    default: {
        int ndim = (*kind)[-1] - '0';
        const Array *array = array_of(argument, packed->code++);
        if (!array || array->ndim != ndim) return 0;
        *packed->word++ = (int64_t)(intptr_t)array->data;
        for (int d = 0; d < ndim; d++) *packed->word++ = array->shape[d];
        return 1;
    }
    }
}

/* launch(threads, workers, *arguments), a METH_FASTCALL function whose `self` is the address of a Kernel. Return None,
   or `self` if nothing was run because no form of the kernel fits the arguments, or NULL with an error set. */
static void *launch(void *self, void *const *arguments, intptr_t count) {
    const Kernel *kernel = (const Kernel *)(intptr_t)python.as_integer(self);
    int64_t words[MAX_WORDS], threads = 0;
    uint8_t codes[MAX_ARRAYS + 1];
    Packed threads_packed = {&threads, NULL}, packed = {words, codes};
    const char *kind = kernel->kinds, *two = "ii";
    int fits = count >= 2 && pack(&two, arguments[0], &threads_packed) && pack(&two, arguments[1], &packed);
    for (intptr_t i = 2; i < count && fits; i++) fits = *kind && pack(&kind, arguments[i], &packed);
    fits = fits && !*kind;
    if (!fits && python.error()) return NULL;
    const Form *form = kernel->forms, *end = fits ? form + kernel->form_count : form;
    while (form < end && memcmp(form->codes, codes, (size_t)(packed.code - codes))) form++;
    if (form < end) {
        void *state = python.release_gil();
        int best = level;
        while (!form->entries[best]) best--;
        sg_run(form->entries[best], words, words[0], threads);
        python.take_gil(state);
    }
    void *result = form < end ? python.none : self;
    python.add_reference(result);
    return result;
}

/* Set the level to the highest one that this processor supports, at most `limit`, and return it. */
EXPORT int sg_limit_level(int limit) {
    level = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
#define HAS(feature) __builtin_cpu_supports(feature)
    if (HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("fma")) level = 1; /* processors with these have all of v3 */
    if (level && HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl")) level = 2;
#endif
    if (level > limit) level = limit;
    return level;
}

EXPORT int sg_start(const struct PythonFunctions *functions) {
    if (python.header) return 0; /* already started */
    python = *functions;
    sg_limit_level(LEVELS - 1);
#if defined(_WIN32)
    return 0;
#else
    return pthread_atfork(NULL, NULL, forget_helpers);
#endif
}

EXPORT void *sg_method(void) { return (void *)launch; }
EXPORT const Kernel *sg_kernel(int i) { return i < kernel_count ? kernels + i : NULL; }
EXPORT const char *sg_sources(void) { return source_hash; }

/* Write the properties of an array that are used: element code, ndim, data, shape, checked flags. Return whether
   kernels support it. For arrays of at most two dimensions; for other objects nothing is written. */
EXPORT int sg_describe(void *object, int64_t *out) {
    uint8_t code;
    const Array *array = array_of(object, &code);
    if (!array || array->ndim > 2) return 0;
    *out++ = code;
    *out++ = array->ndim;
    *out++ = (int64_t)(intptr_t)array->data;
    for (int d = 0; d < array->ndim; d++) *out++ = array->shape[d];
    *out = array->flags & (C_CONTIGUOUS | ALIGNED);
    return 1;
}
