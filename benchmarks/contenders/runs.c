// Runs of a file at a constant distance, one pread each: what pattern P6 does, at the speed of C.
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static int read_run(int fd, int64_t offset, int64_t bytes, char* into) {
  while (bytes > 0) {
    const ssize_t got = pread(fd, into, (size_t)bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? EIO : errno;
    into += got;
    offset += got;
    bytes -= got;
  }
  return 0;
}

/// 0, or the errno of the first run that could not be read.
int bench_read_runs(int fd, int64_t offset, int64_t run, int64_t distance, int64_t count, void* into) {
  for (int64_t i = 0; i < count; ++i) {
    const int error = read_run(fd, offset + i * distance, run, (char*)into + i * run);
    if (error != 0) return error;
  }
  return 0;
}
