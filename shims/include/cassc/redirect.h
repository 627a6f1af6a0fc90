/* Where a statically linked CUDA runtime stands in a program. C ABI of libcassc_redirect, version 1. */
#ifndef CASSC_REDIRECT_H
#define CASSC_REDIRECT_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CASSC_REDIRECT_ABI 1
uint32_t cassc_redirect_abi(void);

/* Looks through a linked ELF file of `size` bytes. `tables` are the paths of signature tables, separated by colons, for
 * files without a symbol table; it may be null. Writes a NUL-ended text of at most `capacity` bytes to `out`:
 *   major 13
 *   cudaMalloc 0x1234 0x50        (name, address as linked, bytes that may be overwritten)
 * and returns the length that the whole text has; 0 where the file holds no static CUDA runtime, -1 where it is not a
 * linked ELF64 file for x86-64, -2 where it holds one that no table describes. */
int64_t cassc_redirect_entries(const void *file, uint64_t size, const char *tables, char *out, uint64_t capacity);

#ifdef __cplusplus
}
#endif
#endif
