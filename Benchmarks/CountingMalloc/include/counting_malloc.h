#ifndef POSTERN_COUNTING_MALLOC_H
#define POSTERN_COUNTING_MALLOC_H

#include <stdint.h>

// The contents of the file that COUNTING_MALLOC_FILE names, which the process keeps up to date.
struct counting_malloc_counts {
    // Calls of malloc and its relatives.
    uint64_t calls;
    // Bytes that they asked for.
    uint64_t bytes;
};

#endif
