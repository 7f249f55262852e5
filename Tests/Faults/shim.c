/* Faults below a server: loaded by LD_PRELOAD, it stands between the program and the C library.
 *
 * It fails, delays or tears writes to files below FAULTS_DIRECTORY, kills the process at one of them, and moves the clock. What it does is
 * read from a page of shared memory, the file FAULTS_CONTROL, at every call, so that a test steers a running server.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { NONE, FULL, BROKEN, UNFLUSHED, SHORT, SLOW, KILLED, TORN, LOST };

/* servers.py writes it, in this order. */
struct control {
    volatile int64_t clock_offset; /* nanoseconds */
    volatile int32_t kind;
    volatile int32_t before; /* calls that pass before the first one that is met */
    volatile int32_t calls;  /* calls that are met */
    volatile int32_t delay;  /* milliseconds of SLOW */
    volatile int64_t fired;  /* calls that were met so far */
};

static struct control *control;
static const char *directory;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULTS_CONTROL");
    directory = getenv("FAULTS_DIRECTORY");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) control = page;
}

static int is_ours(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return directory && strncmp(path, directory, strlen(directory)) == 0;
}

/* What happens to a call: NONE, or the kind of the fault that it meets. */
static int met(int file, int is_flush) {
    if (!control || control->kind == NONE) return NONE;
    int kind = control->kind;
    if (is_flush ? (kind == FULL || kind == BROKEN || kind == SHORT || kind == TORN) : kind == UNFLUSHED) return NONE;
    if (!is_ours(file)) return NONE;
    if (__sync_sub_and_fetch(&control->before, 1) >= 0) return NONE;
    if (__sync_sub_and_fetch(&control->calls, 1) < 0) {
        control->kind = NONE;
        return NONE;
    }
    __sync_add_and_fetch(&control->fired, 1);
    if (kind == KILLED) kill(getpid(), SIGKILL);
    if (kind == SLOW) {
        struct timespec rest = {control->delay / 1000, control->delay % 1000 * 1000000L};
        nanosleep(&rest, NULL);
        return NONE;
    }
    return kind;
}

#define WRITE(name, parameters, whole, part)                       \
    ssize_t name parameters {                                      \
        static ssize_t(*real) parameters;                          \
        if (!real) real = dlsym(RTLD_NEXT, #name);                 \
        switch (met(file, 0)) {                                    \
        case FULL: errno = ENOSPC; return -1;                      \
        case BROKEN: errno = EIO; return -1;                       \
        case SHORT: return count > 1 ? real part : real whole;     \
        case TORN: real part; kill(getpid(), SIGKILL); return -1;  \
        case LOST: return (ssize_t)count;                          \
        default: return real whole;                                \
        }                                                          \
    }

WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count), (file, bytes, count / 2))
WRITE(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), (file, bytes, count / 2, at))
WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), (file, bytes, count / 2, at))

#define FLUSH(name)                                                \
    int name(int file) {                                           \
        static int (*real)(int);                                   \
        if (!real) real = dlsym(RTLD_NEXT, #name);                 \
        int kind = met(file, 1);                                   \
        if (kind == UNFLUSHED) {                                   \
            errno = EIO;                                           \
            return -1;                                             \
        }                                                          \
        return kind == LOST ? 0 : real(file);                      \
    }

FLUSH(fsync)
FLUSH(fdatasync)

static int64_t offset(void) { return control ? control->clock_offset : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && offset() != 0) {
        int64_t moved = time->tv_sec * 1000000000LL + time->tv_nsec + offset();
        time->tv_sec = moved / 1000000000LL;
        time->tv_nsec = moved % 1000000000LL;
    }
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
