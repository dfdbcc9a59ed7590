// Counts the allocations and the reference counting of each thread of the process that this library is preloaded into.
//
// The counts stand in the file that LATCHKEY_COUNTS names, which whoever started the process reads while it runs: for each thread,
// in the order of their first count, eight words of 64 bits. The calls themselves go on to where they would have gone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct slot {
  uint64_t thread;  // as in /proc/<pid>/task; 0: the slot is free
  uint64_t allocations;
  uint64_t retains;
  uint64_t releases;
  uint64_t unused[4];
};

enum { slot_count = 512 };

static struct slot spare;  // takes what is counted without a file, or by more threads than there are slots
static struct slot *slots;
static uint64_t used_slots;
static __thread struct slot *own __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LATCHKEY_COUNTS");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, slot_count * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) slots = memory;
}

static struct slot *of_thread(void) {
  if (own) return own;
  if (!slots) return &spare;
  uint64_t index = __atomic_fetch_add(&used_slots, 1, __ATOMIC_RELAXED);
  own = index < slot_count ? &slots[index] : &spare;
  own->thread = (uint64_t)syscall(SYS_gettid);
  return own;
}

// Allocations, through glibc's own names for what is replaced here.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  of_thread()->allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  of_thread()->allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  of_thread()->allocations++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  of_thread()->allocations++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

// Reference counting: each of these stands in front of the function of Swift's runtime that has its name.

static void *next(void **known, const char *name) {
  if (!*known) *known = dlsym(RTLD_NEXT, name);
  if (!*known) abort();
  return *known;
}

#define RETAINING(name, parameters, arguments)                          \
  void *name parameters {                                               \
    static void *known;                                                 \
    of_thread()->retains++;                                             \
    return ((void *(*)parameters)next(&known, #name))arguments;         \
  }

#define RELEASING(name, parameters, arguments)                          \
  void name parameters {                                                \
    static void *known;                                                 \
    of_thread()->releases++;                                            \
    ((void (*)parameters)next(&known, #name))arguments;                 \
  }

RETAINING(swift_retain, (void *object), (object))
RETAINING(swift_retain_n, (void *object, uint32_t count), (object, count))
RETAINING(swift_bridgeObjectRetain, (void *object), (object))
RETAINING(swift_bridgeObjectRetain_n, (void *object, uint32_t count), (object, count))
RELEASING(swift_release, (void *object), (object))
RELEASING(swift_release_n, (void *object, uint32_t count), (object, count))
RELEASING(swift_bridgeObjectRelease, (void *object), (object))
RELEASING(swift_bridgeObjectRelease_n, (void *object, uint32_t count), (object, count))
