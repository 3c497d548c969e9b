// expect: verified
// expect: invalid-access flags: -DUNMAPPED
// expect: invalid-access flags: -DWRITE_PROTECTED
// expect: invalid-access flags: -DNO_ACCESS
// expect: invalid-access flags: -DREAD_ONLY
// expect: invalid-access flags: -DBEHIND
// expect: unknown flags: -DELSEWHERE
// expect: unknown flags: -DHEAP
// Pages are mapped, protected, given back in parts and mapped again.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static char *map(size_t bytes, int protection) {
    char *memory = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    return memory;
}

int main(void) {
    char *memory = map(4 * PAGE, PROT_READ | PROT_WRITE);
    memset(memory, 1, 4 * PAGE);
    // The second page is given back, the others stay.
    assert(munmap(memory + PAGE, PAGE) == 0);
    assert(memory[PAGE - 1] == 1 && memory[2 * PAGE] == 1);
#ifdef UNMAPPED
    memory[PAGE + 5] = 2; // fault: invalid-access
#endif
    assert(mprotect(memory + 2 * PAGE, PAGE, PROT_READ) == 0);
    assert(memory[2 * PAGE] == 1);
#ifdef WRITE_PROTECTED
    memory[2 * PAGE] = 2; // fault: invalid-access
#endif
    assert(mprotect(memory + 2 * PAGE, PAGE, PROT_NONE) == 0);
#ifdef NO_ACCESS
    return memory[3 * PAGE - 1]; // fault: invalid-access
#endif
    assert(mprotect(memory + 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE) == 0);
    memory[2 * PAGE] = 3;
    assert(mprotect(memory, 2 * PAGE, PROT_READ) == -1 && errno == ENOMEM);
    assert(mprotect(memory + 1, PAGE, PROT_READ) == -1 && errno == EINVAL);
    assert(munmap(memory, 0) == -1 && errno == EINVAL);

    char *constants = map(PAGE, PROT_READ);
    assert(constants[7] == 0);
#ifdef READ_ONLY
    constants[7] = 1; // fault: invalid-access
#endif
#ifdef BEHIND
    return constants[PAGE]; // fault: invalid-access
#endif
    // What is reserved is mapped in parts.
    char *reserved = map(64 * PAGE, PROT_NONE);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    assert(mmap(reserved + PAGE, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) == reserved + PAGE);
    reserved[PAGE] = 1;
    assert(madvise(reserved + PAGE, PAGE, MADV_DONTNEED) == 0);
    assert(reserved[PAGE] == 0);
#ifdef ELSEWHERE
    mmap((void *)0x10000000, PAGE, PROT_READ, flags, -1, 0);
#endif
#ifdef HEAP
    char *block = aligned_alloc(PAGE, PAGE);
    mprotect(block, PAGE, PROT_NONE);
#endif
    assert(munmap(reserved, 64 * PAGE) == 0 && munmap(memory, 4 * PAGE) == 0 && munmap(constants, PAGE) == 0);
    // Memory that is mapped again is zero, and there is no end to it.
    for (int round = 0; round < 1000; ++round) {
        char *again = map(256 * PAGE, PROT_READ | PROT_WRITE);
        assert(again[PAGE] == 0);
        again[PAGE] = 1;
        assert(munmap(again, 256 * PAGE) == 0);
    }
    return 0;
}
