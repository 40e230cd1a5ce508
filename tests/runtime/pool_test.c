/* Tests of the thread pool in build_kernels/runtime.c, and the kernels of table.h that test_runtime.py calls.

   pool_test MODE N makes at least N launches and prints its counts; it exits with 1 after the first failure. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct PythonFunctions;
typedef void (*Entry)(int64_t worker, const int64_t *words);
void sg_run(Entry entry, const int64_t *words, int64_t workers, int64_t threads);
int sg_start(const struct PythonFunctions *functions);

enum { MAX_WORKERS = 20, SECONDS = 60 };

static void fail(const char *text, long a, long b) {
    fprintf(stderr, "%s: %ld, %ld\n", text, a, b);
    _exit(1);
}

static void check_time(time_t start, const char *text) {
    if (time(NULL) - start > SECONDS) fail(text, SECONDS, 0);
    sched_yield();
}

/* ---- Kernels of the table: words[1] is the data of an int64 array ---- */

void copy_words(int64_t worker, const int64_t *words) {
    if (worker == 0) memcpy((void *)words[1], words, 8 * (size_t)words[2]); /* the size of the array */
}

#define WRITE(code) \
    void write_##code(int64_t worker, const int64_t *words) { ((int64_t *)words[1])[worker] = code; }
WRITE(0x31) WRITE(0x11) WRITE(0x12) WRITE(0x14) WRITE(0x18) WRITE(0x21) WRITE(0x22) WRITE(0x24) WRITE(0x28)
WRITE(0x42) WRITE(0x44) WRITE(0x48) WRITE(0x58) WRITE(0x50)

void wait_for_flag(int64_t worker, const int64_t *words) {
    volatile int64_t *flag = (int64_t *)words[1];
    (void)worker;
    for (time_t start = time(NULL); !*flag;) check_time(start, "nobody set the flag");
}

void count_workers(int64_t worker, const int64_t *words) { ((int64_t *)words[1])[worker]++; }

/* ---- Every worker runs exactly once ---- */

static _Atomic long launched, helped; /* launches, and workers that helper threads ran */
static _Atomic int forking;

/* The counters are not atomic: the pool must order the accesses of one launch before those of the next. */
static void count_and_compute(int64_t worker, const int64_t *words) {
    ((int64_t *)words[1])[worker]++;
    if (!pthread_equal(*(pthread_t *)words[2], pthread_self())) atomic_fetch_add_explicit(&helped, 1, memory_order_relaxed);
    for (volatile int64_t i = 0; i < words[3]; i++) continue;
}

static void *launch_often(void *launches) {
    int64_t ran[MAX_WORKERS];
    pthread_t self = pthread_self();
    long i = 0;
    for (; i < (long)launches || atomic_load_explicit(&forking, memory_order_relaxed); i++) {
        int64_t workers = i * 7 % (MAX_WORKERS + 1), words[] = {workers, (int64_t)ran, (int64_t)&self, i % 1000};
        memset(ran, 0, sizeof ran);
        sg_run(count_and_compute, words, workers, 1 + i % 8);
        for (int64_t w = 0; w < MAX_WORKERS; w++)
            if (ran[w] != (w < workers)) fail("a worker did not run exactly once: worker, count", w, ran[w]);
    }
    atomic_fetch_add(&launched, i);
    return NULL;
}

static void start_threads(pthread_t threads[4], long launches) {
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, launch_often, (void *)(launches / 4))) fail("no thread", i, 0);
}

static void join_threads(pthread_t threads[4]) {
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

/* ---- All threads work at the same time ---- */

static _Atomic long begun, ended;

static void meet(int64_t worker, const int64_t *words) {
    (void)worker;
    atomic_fetch_add(&begun, 1);
    for (time_t start = time(NULL); atomic_load(&begun) < words[0];) check_time(start, "a helper thread did not come");
}

static void check_that_all_threads_work(int64_t threads) {
    atomic_store(&begun, 0);
    sg_run(meet, &threads, threads, threads);
}

/* ---- Fork ---- */

/* ThreadSanitizer reports an error if a thread of the child gets the stack of a thread of the parent. Such a stack is
   not used for a thread that needs a larger one, so the stack size increases with each generation. */
static void set_stack_size(int generation) {
#if defined(__SANITIZE_THREAD__)
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)(4 + generation) << 18);
    if (pthread_setattr_default_np(&attributes)) fail("no stack size", generation, 0);
#endif
    (void)generation;
}

static void check_child(int generations) {
    static int generation;
    pid_t child = fork();
    if (child < 0) fail("fork failed", 0, 0);
    if (!child) {
        atomic_store(&forking, 0);
        alarm(SECONDS);
        set_stack_size(++generation);
        check_that_all_threads_work(4);
        launch_often((void *)100L);
        check_that_all_threads_work(8);
        if (generations > 1) check_child(generations - 1);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) fail("a forked child failed: status", status, 0);
}

/* ---- Orders ---- */

/* Workers take turns in the order in which they have begun. */
static void take_turns(int64_t worker, const int64_t *words) {
    (void)worker, (void)words;
    long turn = atomic_fetch_add(&begun, 1);
    for (time_t start = time(NULL); atomic_load(&ended) != turn;) check_time(start, "a worker that began did not end");
    atomic_fetch_add(&ended, 1);
}

static void note_order(int64_t worker, const int64_t *words) {
    pthread_t *caller = (pthread_t *)words[1];
    long turn = atomic_fetch_add(&begun, 1);
    if (turn != worker) fail("one thread ran workers out of order: turn, worker", turn, worker);
    if (!pthread_equal(*caller, pthread_self())) fail("another thread ran worker", worker, 0);
}

static void check_order(int64_t workers, int64_t threads) {
    pthread_t self = pthread_self();
    int64_t words[] = {workers, (int64_t)&self};
    atomic_store(&begun, 0);
    sg_run(note_order, words, workers, threads);
    if (atomic_load(&begun) != workers) fail("workers that ran, workers", atomic_load(&begun), workers);
}

static _Atomic int64_t occupied, released;

static void occupy(int64_t worker, const int64_t *words) {
    (void)worker, (void)words;
    atomic_store(&occupied, 1);
    for (time_t start = time(NULL); !atomic_load(&released);) check_time(start, "a launch waited for another one");
}

static void *occupy_pool(void *unused) {
    sg_run(occupy, NULL, 3, 3);
    return unused;
}

static void check_busy_pool(void) {
    pthread_t other;
    atomic_store(&occupied, 0);
    atomic_store(&released, 0);
    pthread_create(&other, NULL, occupy_pool, NULL);
    while (!atomic_load(&occupied)) sched_yield();
    check_order(9, 3);
    atomic_store(&released, 1);
    pthread_join(other, NULL);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    const char *mode = arguments[1];
    long launches = atol(arguments[2]);
    pthread_t threads[4];
    set_stack_size(0);
    static const char no_functions[256];
    if (sg_start((const void *)no_functions)) fail("sg_start failed", 0, 0);
    if (!strcmp(mode, "launches")) {
        launch_often((void *)launches);
        for (int threads = 1; threads <= 8; threads++) check_that_all_threads_work(threads);
    } else if (!strcmp(mode, "concurrent")) {
        start_threads(threads, launches);
        join_threads(threads);
    } else if (!strcmp(mode, "fork")) {
        check_child(2); /* the parent has no helpers yet */
        check_that_all_threads_work(3);
        check_child(3); /* the helpers wait for work */
        usleep(2000);
        check_child(3); /* the helpers sleep */
#if defined(__SANITIZE_THREAD__)
        check_that_all_threads_work(8); /* its lock, held while a thread starts, would stay locked in a child */
#endif
        atomic_store(&forking, 1); /* the threads make at least `launches` launches, until all forks are made */
        start_threads(threads, launches);
        for (long i = 0; i < launches / 1000; i++) check_child(1);
        atomic_store(&forking, 0);
        join_threads(threads);
        printf("%ld forks while four threads launched\n", launches / 1000);
        check_that_all_threads_work(8);
    } else if (!strcmp(mode, "order")) {
        for (long i = 0; i < launches; i++) {
            int64_t workers = 1 + i % MAX_WORKERS;
            atomic_store(&begun, 0);
            atomic_store(&ended, 0);
            sg_run(take_turns, &workers, workers, 1 + i % 8);
            check_order(workers, 1);
        }
        for (int i = 0; i < 20; i++) check_busy_pool();
        atomic_store(&launched, 2 * launches);
    } else {
        return 2;
    }
    printf("%ld launches, helper threads ran %ld workers\n", atomic_load(&launched), atomic_load(&helped));
    return 0;
}
