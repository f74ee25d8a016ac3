#include "digest.h"

#include <xxhash.h>

void bench_digest_pieces(const void* bytes, const int64_t* sizes, int64_t count, uint64_t* digests) {
  const char* at = (const char*)bytes;
  for (int64_t i = 0; i < count; ++i) {
    digests[i] = XXH3_64bits(at, (size_t)sizes[i]);
    at += sizes[i];
  }
}

void* bench_digest_make(void) {
  XXH3_state_t* state = XXH3_createState();
  if (state != NULL) XXH3_64bits_reset(state);
  return state;
}

void bench_digest_add(void* digest, const void* bytes, int64_t size) {
  XXH3_64bits_update((XXH3_state_t*)digest, bytes, (size_t)size);
}

uint64_t bench_digest_take(void* digest) {
  const uint64_t value = XXH3_64bits_digest((XXH3_state_t*)digest);
  XXH3_freeState((XXH3_state_t*)digest);
  return value;
}
