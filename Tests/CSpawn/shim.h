#ifndef POSTERN_CSPAWN_SHIM_H
#define POSTERN_CSPAWN_SHIM_H

#include <spawn.h>

// The C library shows these only where _GNU_SOURCE is defined, and Swift's own modules are built without it.

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#endif
