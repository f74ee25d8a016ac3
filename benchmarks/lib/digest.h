/* The one digest routine of every measurement: xxh3-64, called from C++ directly and from Python through ctypes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_DIGEST_API __attribute__((visibility("default")))

/* Cuts `bytes` into `count` pieces of the given sizes and writes one digest each. */
BENCH_DIGEST_API void bench_digest_pieces(const void* bytes, const int64_t* sizes, int64_t count, uint64_t* digests);

/* A digest of bytes that come in parts: make, add, take (which frees it). */
BENCH_DIGEST_API void* bench_digest_make(void);
BENCH_DIGEST_API void bench_digest_add(void* digest, const void* bytes, int64_t size);
BENCH_DIGEST_API uint64_t bench_digest_take(void* digest);

#ifdef __cplusplus
}
#endif
