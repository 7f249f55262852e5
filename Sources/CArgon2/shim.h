#include <argon2.h>

#ifdef __linux__
/* Gives back what the C library keeps of the memory that hashes needed. */
#include <malloc.h>
#endif
