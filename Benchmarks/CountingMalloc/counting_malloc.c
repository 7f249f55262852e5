// Counts allocations of a process that is started with this library in LD_PRELOAD. The allocator stays the one that the process
// would have used, whichever library it is in.

#define _GNU_SOURCE
#include "include/counting_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// For blocks that are asked for while the allocator is being found, because finding it may allocate.
#define EARLY_BYTES 65536

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} next;

static _Atomic(int) is_ready;
static __thread int is_finding __attribute__((tls_model("initial-exec")));

static unsigned char early[EARLY_BYTES] __attribute__((aligned(16)));
static _Atomic(size_t) early_used;

// Until the file is mapped, the counts are kept here and nobody reads them.
static struct counting_malloc_counts unmapped;
static struct counting_malloc_counts *_Atomic counts = &unmapped;

static void count(size_t bytes)
{
    struct counting_malloc_counts *current = atomic_load_explicit(&counts, memory_order_relaxed);
    __atomic_fetch_add(&current->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&current->bytes, bytes, __ATOMIC_RELAXED);
}

static void *early_allocate(size_t bytes)
{
    // Each block has its size in front, for realloc, and keeps the alignment of 16.
    size_t whole = ((bytes + 15) & ~(size_t)15) + 16;
    size_t start = atomic_fetch_add(&early_used, whole);
    if (start + whole > EARLY_BYTES)
        abort();
    *(size_t *)(early + start) = bytes;
    return early + start + 16;
}

static int is_early(const void *block)
{
    return (const unsigned char *)block >= early && (const unsigned char *)block < early + EARLY_BYTES;
}

// Whether the allocator's functions are there. Two threads may find them at once, and find the same.
static int find(void)
{
    if (atomic_load_explicit(&is_ready, memory_order_acquire))
        return 1;
    if (is_finding)
        return 0;
    is_finding = 1;
    next.calloc = dlsym(RTLD_NEXT, "calloc");
    next.malloc = dlsym(RTLD_NEXT, "malloc");
    next.realloc = dlsym(RTLD_NEXT, "realloc");
    next.memalign = dlsym(RTLD_NEXT, "memalign");
    next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    next.free = dlsym(RTLD_NEXT, "free");
    is_finding = 0;
    atomic_store_explicit(&is_ready, 1, memory_order_release);
    return 1;
}

__attribute__((constructor)) static void map_counts(void)
{
    find();
    const char *path = getenv("COUNTING_MALLOC_FILE");
    if (path == NULL)
        return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(struct counting_malloc_counts)) != 0)
        return;
    void *mapped = mmap(NULL, sizeof(struct counting_malloc_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        atomic_store(&counts, mapped);
}

void *malloc(size_t bytes)
{
    count(bytes);
    return find() ? next.malloc(bytes) : early_allocate(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    count(number * bytes);
    // The early memory is zero and is never used twice.
    return find() ? next.calloc(number, bytes) : early_allocate(number * bytes);
}

void *realloc(void *block, size_t bytes)
{
    if (is_early(block)) {
        size_t old = *(size_t *)((unsigned char *)block - 16);
        void *moved = malloc(bytes);
        if (moved != NULL)
            memcpy(moved, block, old < bytes ? old : bytes);
        return moved;
    }
    count(bytes);
    return find() ? next.realloc(block, bytes) : early_allocate(bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    count(bytes);
    return find() ? next.memalign(alignment, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count(bytes);
    return find() ? next.aligned_alloc(alignment, bytes) : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    count(bytes);
    return find() ? next.posix_memalign(block, alignment, bytes) : ENOMEM;
}

void free(void *block)
{
    if (!is_early(block) && find())
        next.free(block);
}
