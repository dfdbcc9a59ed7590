// What Swift's Glibc module leaves out. Header only: nothing here is compiled by a C build.
#ifndef LATCHKEY_LINUX_H
#define LATCHKEY_LINUX_H

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Asks the processor to bring the cache line of an address near; never faults.
static inline void latchkey_prefetch(const void *address) { __builtin_prefetch(address); }

#if defined(__x86_64__)
#include <cpuid.h>

/// Whether the processor has an instruction for CRC-32C (SSE 4.2).
static inline bool latchkey_has_crc32c(void) {
  unsigned int a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

/// Folds bytes into a remainder of CRC-32C by that instruction.
__attribute__((target("sse4.2"))) static inline unsigned int latchkey_crc32c(
    unsigned int remainder, const void *bytes, size_t count) {
  const unsigned char *next = (const unsigned char *)bytes;
  unsigned long long wide = remainder;
  for (; count >= 8; count -= 8, next += 8) {
    unsigned long long word;
    __builtin_memcpy(&word, next, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  remainder = (unsigned int)wide;
  for (; count > 0; count--, next++) remainder = __builtin_ia32_crc32qi(remainder, *next);
  return remainder;
}
#else
static inline bool latchkey_has_crc32c(void) { return false; }
static inline unsigned int latchkey_crc32c(unsigned int remainder, const void *bytes, size_t count) { return remainder; }
#endif

/// Names the calling thread for `top -H`; the kernel keeps the first 15 bytes.
static inline void latchkey_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// Has the kernel end waits of the calling thread without slack (PR_SET_TIMERSLACK of prctl(2)).
static inline void latchkey_wake_punctually(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

/// How many processors the calling thread may run on; 0 where the kernel doesn't say. By the system call, since glibc shows its
/// function to GNU dialects only.
static inline int latchkey_usable_processors(void) {
  unsigned long mask[128] = {0};
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  int count = 0;
  for (long index = 0; index < bytes / (long)sizeof mask[0]; index++) count += __builtin_popcountl(mask[index]);
  return count;
}

/// Asks for slices of so many nanoseconds for the calling thread, which keeps its nice value (sched_setattr(2)); 0 where that was
/// taken. A kernel before Linux 6.12 takes it and does nothing.
static inline long latchkey_set_slice(unsigned long long nanoseconds) {
  struct {
    unsigned int size, policy;
    unsigned long long flags;
    int nice;
    unsigned int priority;
    unsigned long long runtime, deadline, period;
  } attributes = {.size = 48};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -1;
  attributes.flags = 0;
  attributes.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/// The glibc header shows it to GNU dialects only.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

#endif
