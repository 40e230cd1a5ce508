/* Times of launches: the thread pool of build_kernels/runtime.c, GNU OpenMP, and one thread. run_pool_latency.sh
   compiles this program and runs the variants alternately.

   pool_latency pool|openmp|alone THREADS SECONDS, with about SECONDS for each case. One line per case, times in us:
   wall time per launch (minimum, median, mean), CPU time of the process per launch, the percentage of launches in which
   another thread ran a worker, and the number of cores that other processes used meanwhile. On a busy machine the
   median without the other values is misleading: a pool that lets the caller continue without the helper makes many
   launches while the helper does not run, but OpenMP waits for the helper and makes few. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void (*Entry)(int64_t worker, const int64_t *words);
void sg_run(Entry entry, const int64_t *words, int64_t workers, int64_t threads);
int sg_start(const void *functions);

enum { MAX_SAMPLES = 1000000, LEVELS = 2044 };
static double samples[MAX_SAMPLES];
static pthread_t caller;
static struct { _Alignas(128) int launch; } last_helped[256]; /* by worker */
static int launch;

static double microseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* CPU time that all processes have used since the machine started. */
static double used_by_all(void) {
    long user, nice, system;
    FILE *file = fopen("/proc/stat", "r");
    int found = file ? fscanf(file, "cpu %ld %ld %ld", &user, &nice, &system) : 0;
    if (file) fclose(file);
    return found == 3 ? (double)(user + nice + system) * 1e6 / (double)sysconf(_SC_CLK_TCK) : 0;
}

static struct { double wall, cpu, all; } begin;

static void start_clocks(void) {
    begin.all = used_by_all();
    begin.cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    begin.wall = microseconds(CLOCK_MONOTONIC);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Print the times of a case; `launches` since the clocks were started, `unit` in microseconds. */
static void report(const char *variant, const char *name, int count, int launches, double helped, double unit) {
    double wall = microseconds(CLOCK_MONOTONIC) - begin.wall, cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu;
    double others = (used_by_all() - begin.all - cpu) / wall, sum = 0;
    for (int i = 0; i < count; i++) sum += samples[i];
    qsort(samples, (size_t)count, sizeof *samples, ascending);
    printf("%-7s %-24s min %8.2f median %8.2f mean %8.2f cpu %8.2f helped %3.0f of %7d others %5.2f\n", variant, name,
           samples[0] / unit, samples[count / 2] / unit, sum / count / unit, cpu / launches / unit, 100 * helped, count,
           others);
    fflush(stdout);
}

static void compute(int64_t loops) {
    double x = 1;
    for (int64_t i = 0; i < loops; i++) x = x * 1.0000001 + 1e-9;
    *(volatile double *)&x = x;
}

static void work(int64_t worker, const int64_t *words) {
    compute(words[1]);
    if (!pthread_equal(pthread_self(), caller)) last_helped[worker].launch = launch;
}

static void run(const char *variant, const int64_t *words, int threads) {
    launch++;
    if (variant[0] == 'p') {
        sg_run(work, words, threads, threads);
    } else if (variant[0] == 'o') {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int worker = 0; worker < threads; worker++) work(worker, words);
    } else {
        for (int worker = 0; worker < threads; worker++) work(worker, words);
    }
}

static double loops_per_microsecond(void) {
    double least = 1e9;
    for (int i = 0; i < 300; i++) {
        double start = microseconds(CLOCK_MONOTONIC);
        compute(100000);
        double time = microseconds(CLOCK_MONOTONIC) - start;
        if (time < least) least = time;
    }
    return 100000 / least;
}

static int last_was_helped(int threads) {
    for (int worker = 0; worker < threads; worker++)
        if (last_helped[worker].launch == launch) return 1;
    return 0;
}

/* Launches with `work` us per worker; before each the caller computes for `serial` us and sleeps for `pause` ms. */
static void measure(const char *variant, int threads, double seconds, const char *name, double work, double serial,
                    double pause, double per_us) {
    int64_t words[] = {threads, (int64_t)(work * per_us)};
    int count = 0, helped = 0;
    for (int i = 0; i < 20; i++) run(variant, words, threads);
    start_clocks();
    for (; count < 20 || (count < MAX_SAMPLES && microseconds(CLOCK_MONOTONIC) - begin.wall < seconds * 1e6); count++) {
        if (pause) usleep((useconds_t)(pause * 1000));
        compute((int64_t)(serial * per_us));
        double start = microseconds(CLOCK_MONOTONIC);
        run(variant, words, threads);
        samples[count] = microseconds(CLOCK_MONOTONIC) - start;
        helped += last_was_helped(threads);
    }
    report(variant, name, count, count, (double)helped / count, 1);
}

/* A search with many levels: launches of 10 us of work each (with one thread), with 2 us of other work before each. */
static void search(const char *variant, int threads, double seconds, double per_us) {
    int64_t words[] = {threads, (int64_t)(10 * per_us / threads)};
    int count = 0, helped = 0;
    start_clocks();
    for (; count < 3 || microseconds(CLOCK_MONOTONIC) - begin.wall < seconds * 1e6; count++) {
        double start = microseconds(CLOCK_MONOTONIC);
        for (int level = 0; level < LEVELS; level++) {
            compute((int64_t)(2 * per_us));
            run(variant, words, threads);
            helped += last_was_helped(threads);
        }
        samples[count] = microseconds(CLOCK_MONOTONIC) - start;
    }
    report(variant, "2,044 levels (in ms)", count, count, (double)helped / count / LEVELS, 1000);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    static const char no_functions[256];
    const char *variant = arguments[1];
    int threads = atoi(arguments[2]);
    double seconds = atof(arguments[3]), per_us = loops_per_microsecond();
    caller = pthread_self();
    sg_start(no_functions);
    static const struct { const char *name; double work, serial, pause_ms; } cases[] = {
        {"empty", 0, 0, 0},         {"empty, after 1 ms", 0, 0, 1},  {"empty, after 20 ms", 0, 0, 20},
        {"5 us", 5, 0, 0},          {"20 us", 20, 0, 0},             {"50 us", 50, 0, 0},
        {"200 us", 200, 0, 0},      {"50 us, 10 us apart", 50, 10, 0}, {"50 us, 30 us apart", 50, 30, 0}, {"50 us, 60 us apart", 50, 60, 0}, {"50 us, 100 us apart", 50, 100, 0},
        {"50 us, after 1 ms", 50, 0, 1}, {"200 us, after 1 ms", 200, 0, 1}, {"200 us, after 20 ms", 200, 0, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        measure(variant, threads, seconds, cases[i].name, cases[i].work, cases[i].serial, cases[i].pause_ms, per_us);
    search(variant, threads, seconds, per_us);
    return 0;
}
