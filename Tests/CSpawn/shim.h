#ifndef POSTERN_CSPAWN_SHIM_H
#define POSTERN_CSPAWN_SHIM_H

#include <spawn.h>
#include <time.h>

// The C library shows these only where _GNU_SOURCE is defined, and Swift's own modules are built without it.

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Processor time of a process in nanoseconds, -1 once it is gone. In Swift the members of `timespec` belong to another module in
// release builds than in debug builds.
static inline long long postern_processor_nanoseconds(int process)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return -1;
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

#endif
