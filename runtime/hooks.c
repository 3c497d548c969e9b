/* Bodies of the functions that the checker performs itself.
 *
 * A checked program calls the annotations of dampf.h, the functions of the verification community, and what the
 * compiler's sanitizers insert: calls about variables and frames, or one before every memory access that may be
 * shared; one for every atomic operation, one for every undefined operation. When the checker's machine arrives at one
 * of these symbols, it performs the operation and returns to the caller. The bodies here are what happens when the same
 * executable runs somewhere else, under qemu for instance: accesses need nothing, atomics are done, a choice yields its
 * least value, and what the checker would report ends the program.
 *
 * This file is compiled without sanitizers. Every function is external, never inlined, and kept by the linker.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define RETAIN __attribute__((__retain__))
#endif
#endif
#ifndef RETAIN
#define RETAIN
#endif

#define HOOK __attribute__((__noinline__, __used__, __visibility__("default"))) RETAIN
/* Programs of the verification community define some of these functions themselves. */
#define REPLACEABLE HOOK __attribute__((__weak__))

/* ---- saying what went wrong ---- */

static void say(const char *text) {
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written <= 0) return;
        text += written;
        length -= (size_t)written;
    }
}

static void say_number(unsigned number) {
    char digits[16];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    say(at);
}

static __attribute__((__noreturn__)) void end_with(const char *message) {
    say("dampf: ");
    say(message);
    say("\n");
    abort();
}

/* ---- annotations ---- */

/* Atomic regions exclude each other, and the table of held resources belongs to whoever is in one. */
static pthread_mutex_t region = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static __thread int in_region;

struct hold {
    const void *resource;
    pthread_t holder;
};

enum { HOLDS_MAX = 1024 };
static struct hold holds[HOLDS_MAX];
static size_t hold_count;

static struct hold *hold_of(const void *resource) {
    for (size_t i = 0; i < hold_count; i++) {
        if (holds[i].resource == resource) return &holds[i];
    }
    return NULL;
}

static int enter_region(void) {
    if (in_region) return 0;
    pthread_mutex_lock(&region);
    in_region = 1;
    return 1;
}

static void leave_region(void) {
    in_region = 0;
    pthread_mutex_unlock(&region);
}

HOOK void __dampf_begin_atomic(void) {
    enter_region();
}

HOOK void __dampf_end_atomic(void) {
    if (in_region) leave_region();
}

__attribute__((__used__, __visibility__("default"))) RETAIN long __dampf_estimate;

HOOK void __dampf_publish(long *place, long estimate) { *place = estimate; }

__attribute__((__used__, __visibility__("default"))) RETAIN long __dampf_evaluation;

/* What a thread has said to a planner. Only the checker writes and reads it. */
enum { SUGGESTIONS_MAX = 8 };
__attribute__((__used__, __visibility__("default"))) RETAIN __thread struct {
    uint32_t activity;
    uint32_t suggestion_count;
    uint64_t suggestions[SUGGESTIONS_MAX];
} __dampf_agent;

HOOK void __dampf_suggest(void *component) { (void)component; }
HOOK void __dampf_busy(void) {}
HOOK void __dampf_idle(void) {}

HOOK long __dampf_choose(long least, long greatest) {
    (void)greatest;
    return least;
}

HOOK __attribute__((__noreturn__)) void __dampf_assert_fail(const char *expression, const char *file, unsigned line,
                                                            const char *function) {
    say(file);
    say(":");
    say_number(line);
    say(": ");
    say(function);
    say(": assertion `");
    say(expression);
    say("` failed\n");
    abort();
}

/* A region that has to wait lets others in meanwhile; only the checker can take back what it has done. */
HOOK void __dampf_lock(const void *address, unsigned long size) {
    (void)size;
    int entered = enter_region();
    while (hold_of(address) != NULL) pthread_cond_wait(&released, &region);
    if (hold_count == HOLDS_MAX) end_with("too many resources are locked at once");
    holds[hold_count].resource = address;
    holds[hold_count].holder = pthread_self();
    hold_count++;
    if (entered) leave_region();
}

HOOK void __dampf_unlock(const void *address, unsigned long size) {
    (void)size;
    int entered = enter_region();
    struct hold *hold = hold_of(address);
    if (hold == NULL || !pthread_equal(hold->holder, pthread_self())) {
        end_with("privilege violation: a resource is unlocked by a thread that does not hold it");
    }
    *hold = holds[--hold_count];
    pthread_cond_broadcast(&released);
    if (entered) leave_region();
}

/* ---- the verification community's functions ---- */

#define NONDETERMINISTIC(type, name) \
    REPLACEABLE type __VERIFIER_nondet_##name(void); \
    REPLACEABLE type __VERIFIER_nondet_##name(void) { \
        return 0; \
    }

NONDETERMINISTIC(_Bool, bool)
NONDETERMINISTIC(char, char)
NONDETERMINISTIC(signed char, schar)
NONDETERMINISTIC(unsigned char, uchar)
NONDETERMINISTIC(short, short)
NONDETERMINISTIC(unsigned short, ushort)
NONDETERMINISTIC(int, int)
NONDETERMINISTIC(unsigned int, uint)
NONDETERMINISTIC(unsigned int, unsigned)
NONDETERMINISTIC(long, long)
NONDETERMINISTIC(unsigned long, ulong)
NONDETERMINISTIC(long long, longlong)
NONDETERMINISTIC(unsigned long long, ulonglong)
NONDETERMINISTIC(__int128, int128)
NONDETERMINISTIC(unsigned __int128, uint128)
NONDETERMINISTIC(int8_t, s8)
NONDETERMINISTIC(uint8_t, u8)
NONDETERMINISTIC(int16_t, s16)
NONDETERMINISTIC(uint16_t, u16)
NONDETERMINISTIC(int32_t, s32)
NONDETERMINISTIC(uint32_t, u32)
NONDETERMINISTIC(int64_t, s64)
NONDETERMINISTIC(uint64_t, u64)
NONDETERMINISTIC(size_t, size_t)
NONDETERMINISTIC(long long, loff_t)
NONDETERMINISTIC(unsigned long, sector_t)
NONDETERMINISTIC(unsigned long, pthread_t)
NONDETERMINISTIC(float, float)
NONDETERMINISTIC(double, double)
NONDETERMINISTIC(void *, pointer)
NONDETERMINISTIC(char *, pchar)
NONDETERMINISTIC(const char *, const_char_pointer)

REPLACEABLE void __VERIFIER_nondet_memory(void *memory, size_t size) {
    memset(memory, 0, size);
}

REPLACEABLE void reach_error(void) {
    end_with("a place that no run may reach was reached");
}

REPLACEABLE void __VERIFIER_error(void) {
    reach_error();
}

REPLACEABLE void __VERIFIER_assume(int condition) {
    if (!condition) _exit(0);
}

REPLACEABLE void assume_abort_if_not(int condition);
REPLACEABLE void assume_abort_if_not(int condition) {
    __VERIFIER_assume(condition);
}

REPLACEABLE void __VERIFIER_assert(int condition) {
    if (!condition) reach_error();
}

REPLACEABLE void __VERIFIER_atomic_begin(void) {
    __dampf_begin_atomic();
}

REPLACEABLE void __VERIFIER_atomic_end(void) {
    __dampf_end_atomic();
}

/* ---- memory accesses, as -fsanitize=thread reports them ---- */

#define IGNORED(name, ...) \
    HOOK void name(__VA_ARGS__); \
    HOOK void name(__VA_ARGS__) {}

/* The same where the program may have a function of its own. */
#define UNHEEDED(name, ...) \
    REPLACEABLE void name(__VA_ARGS__); \
    REPLACEABLE void name(__VA_ARGS__) {}

#define ACCESS(name) IGNORED(name, void *address __attribute__((__unused__)))

#define ACCESSES(size) \
    ACCESS(__tsan_read##size) \
    ACCESS(__tsan_write##size) \
    ACCESS(__tsan_read_write##size) \
    ACCESS(__tsan_unaligned_read##size) \
    ACCESS(__tsan_unaligned_write##size) \
    ACCESS(__tsan_unaligned_read_write##size) \
    ACCESS(__tsan_volatile_read##size) \
    ACCESS(__tsan_volatile_write##size) \
    ACCESS(__tsan_unaligned_volatile_read##size) \
    ACCESS(__tsan_unaligned_volatile_write##size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

IGNORED(__tsan_read_range, void *address __attribute__((__unused__)), unsigned long size __attribute__((__unused__)))
IGNORED(__tsan_write_range, void *address __attribute__((__unused__)), unsigned long size __attribute__((__unused__)))
ACCESS(__tsan_vptr_read)
IGNORED(__tsan_vptr_update, void **vptr __attribute__((__unused__)), void *value __attribute__((__unused__)))
IGNORED(__tsan_func_entry, void *caller __attribute__((__unused__)))
IGNORED(__tsan_func_exit, void)
IGNORED(__tsan_init, void)
IGNORED(__tsan_ignore_thread_begin, void)
IGNORED(__tsan_ignore_thread_end, void)

HOOK void *__tsan_memcpy(void *to, const void *from, unsigned long size) {
    return memcpy(to, from, size);
}

HOOK void *__tsan_memmove(void *to, const void *from, unsigned long size) {
    return memmove(to, from, size);
}

HOOK void *__tsan_memset(void *memory, int byte, unsigned long size) {
    return memset(memory, byte, size);
}

/* ---- variables and frames, as -fsanitize=address reports them ----
 *
 * Functions write to the shadow of their stack, which has to be there. Nobody knows which parts of it are needed, so
 * they are mapped when they are written to first. */

enum { SHADOW_SHIFT = 3, SHADOW_CHUNK_SHIFT = 16 };
static const uintptr_t shadow_offset = (uintptr_t)1 << 29;

static void map_shadow(int number, siginfo_t *information, void *context) {
    (void)context;
    uintptr_t address = (uintptr_t)information->si_addr;
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    uintptr_t shadow = (stack >> SHADOW_SHIFT) + shadow_offset;
    uintptr_t distance = address > shadow ? address - shadow : shadow - address;
    void *chunk = (void *)(address >> SHADOW_CHUNK_SHIFT << SHADOW_CHUNK_SHIFT);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    /* Far from the shadow of this stack it is a fault of the program's, and happens again. */
    if (distance > (uintptr_t)1 << 27 ||
        mmap(chunk, (size_t)1 << SHADOW_CHUNK_SHIFT, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
        signal(number, SIG_DFL);
    }
}

HOOK void __asan_init(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = map_shadow;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
}

UNHEEDED(__cyg_profile_func_enter, void *function __attribute__((__unused__)), void *caller __attribute__((__unused__)))
UNHEEDED(__cyg_profile_func_exit, void *function __attribute__((__unused__)), void *caller __attribute__((__unused__)))
IGNORED(__asan_version_mismatch_check_v8, void)
IGNORED(__asan_register_globals, void *globals __attribute__((__unused__)),
        unsigned long count __attribute__((__unused__)))
IGNORED(__asan_unregister_globals, void *globals __attribute__((__unused__)),
        unsigned long count __attribute__((__unused__)))
IGNORED(__asan_before_dynamic_init, const char *module __attribute__((__unused__)))
IGNORED(__asan_after_dynamic_init, void)
IGNORED(__asan_handle_no_return, void)
IGNORED(__asan_poison_stack_memory, void *memory __attribute__((__unused__)),
        unsigned long size __attribute__((__unused__)))
IGNORED(__asan_unpoison_stack_memory, void *memory __attribute__((__unused__)),
        unsigned long size __attribute__((__unused__)))
IGNORED(__asan_alloca_poison, void *memory __attribute__((__unused__)), unsigned long size __attribute__((__unused__)))
IGNORED(__asan_allocas_unpoison, void *top __attribute__((__unused__)), void *bottom __attribute__((__unused__)))
IGNORED(__asan_poison_memory_region, const volatile void *memory __attribute__((__unused__)),
        unsigned long size __attribute__((__unused__)))
IGNORED(__asan_unpoison_memory_region, const volatile void *memory __attribute__((__unused__)),
        unsigned long size __attribute__((__unused__)))

/* ---- what programs written for ThreadSanitizer call themselves ---- */

#define UNUSED_ADDRESS void *address __attribute__((__unused__))
#define UNUSED_FLAGS unsigned flags __attribute__((__unused__))
#define UNUSED_PLACE const char *file __attribute__((__unused__)), int line __attribute__((__unused__))

UNHEEDED(__tsan_acquire, UNUSED_ADDRESS)
UNHEEDED(__tsan_release, UNUSED_ADDRESS)
UNHEEDED(__tsan_mutex_create, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_destroy, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_pre_lock, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_post_lock, UNUSED_ADDRESS, UNUSED_FLAGS, int depth __attribute__((__unused__)))
UNHEEDED(__tsan_mutex_post_unlock, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_pre_signal, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_post_signal, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_pre_divert, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(__tsan_mutex_post_divert, UNUSED_ADDRESS, UNUSED_FLAGS)
UNHEEDED(AnnotateHappensBefore, UNUSED_PLACE, UNUSED_ADDRESS)
UNHEEDED(AnnotateHappensAfter, UNUSED_PLACE, UNUSED_ADDRESS)
UNHEEDED(AnnotateIgnoreReadsBegin, UNUSED_PLACE)
UNHEEDED(AnnotateIgnoreReadsEnd, UNUSED_PLACE)
UNHEEDED(AnnotateIgnoreWritesBegin, UNUSED_PLACE)
UNHEEDED(AnnotateIgnoreWritesEnd, UNUSED_PLACE)
UNHEEDED(AnnotateNewMemory, UNUSED_PLACE, UNUSED_ADDRESS, unsigned long size __attribute__((__unused__)))
UNHEEDED(AnnotateBenignRaceSized, UNUSED_PLACE, UNUSED_ADDRESS, unsigned long size __attribute__((__unused__)),
                const char *why __attribute__((__unused__)))
UNHEEDED(AnnotateRWLockCreate, UNUSED_PLACE, UNUSED_ADDRESS)
UNHEEDED(AnnotateRWLockDestroy, UNUSED_PLACE, UNUSED_ADDRESS)
UNHEEDED(AnnotateRWLockAcquired, UNUSED_PLACE, UNUSED_ADDRESS, long is_write __attribute__((__unused__)))
UNHEEDED(AnnotateRWLockReleased, UNUSED_PLACE, UNUSED_ADDRESS, long is_write __attribute__((__unused__)))

REPLACEABLE int __tsan_mutex_pre_unlock(UNUSED_ADDRESS, UNUSED_FLAGS) {
    return 0;
}

/* ---- atomic operations ----
 *
 * Done sequentially consistent, which no order forbids: the callers' orders arrive as values, and the builtins
 * would choose the strongest for a value that is not a constant anyway. */

#define ORDER int order __attribute__((__unused__))

#define ATOMIC_UPDATE(bits, type, operation) \
    HOOK type __tsan_atomic##bits##_fetch_##operation(volatile type *object, type value, ORDER); \
    HOOK type __tsan_atomic##bits##_fetch_##operation(volatile type *object, type value, ORDER) { \
        return __atomic_fetch_##operation(object, value, __ATOMIC_SEQ_CST); \
    }

#define ATOMIC_COMPARE_EXCHANGE(bits, type, strength, is_weak) \
    HOOK int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *object, type *expected, type desired, \
                                                               ORDER, int failure __attribute__((__unused__))); \
    HOOK int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *object, type *expected, type desired, \
                                                               ORDER, int failure __attribute__((__unused__))) { \
        return __atomic_compare_exchange_n(object, expected, desired, is_weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }

#define ATOMICS(bits, type) \
    HOOK type __tsan_atomic##bits##_load(const volatile type *object, ORDER); \
    HOOK type __tsan_atomic##bits##_load(const volatile type *object, ORDER) { \
        return __atomic_load_n(object, __ATOMIC_SEQ_CST); \
    } \
    HOOK void __tsan_atomic##bits##_store(volatile type *object, type value, ORDER); \
    HOOK void __tsan_atomic##bits##_store(volatile type *object, type value, ORDER) { \
        __atomic_store_n(object, value, __ATOMIC_SEQ_CST); \
    } \
    HOOK type __tsan_atomic##bits##_exchange(volatile type *object, type value, ORDER); \
    HOOK type __tsan_atomic##bits##_exchange(volatile type *object, type value, ORDER) { \
        return __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST); \
    } \
    ATOMIC_UPDATE(bits, type, add) \
    ATOMIC_UPDATE(bits, type, sub) \
    ATOMIC_UPDATE(bits, type, and) \
    ATOMIC_UPDATE(bits, type, or) \
    ATOMIC_UPDATE(bits, type, xor) \
    ATOMIC_UPDATE(bits, type, nand) \
    ATOMIC_COMPARE_EXCHANGE(bits, type, strong, 0) \
    ATOMIC_COMPARE_EXCHANGE(bits, type, weak, 1) \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *object, type expected, type desired, ORDER, \
                                                         int failure __attribute__((__unused__))); \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *object, type expected, type desired, ORDER, \
                                                         int failure __attribute__((__unused__))) { \
        __atomic_compare_exchange_n(object, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return expected; \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, unsigned __int128)

HOOK void __tsan_atomic_thread_fence(ORDER) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK void __tsan_atomic_signal_fence(ORDER) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- undefined operations, as -fsanitize=undefined reports them ---- */

#define UNDEFINED_ALWAYS(operation) \
    HOOK __attribute__((__noreturn__)) void __ubsan_handle_##operation(void); \
    HOOK __attribute__((__noreturn__)) void __ubsan_handle_##operation(void) { \
        end_with("__ubsan_handle_" #operation); \
    }

#define UNDEFINED(operation) UNDEFINED_ALWAYS(operation) UNDEFINED_ALWAYS(operation##_abort)

UNDEFINED(add_overflow)
UNDEFINED(sub_overflow)
UNDEFINED(mul_overflow)
UNDEFINED(negate_overflow)
UNDEFINED(divrem_overflow)
UNDEFINED(shift_out_of_bounds)
UNDEFINED(out_of_bounds)
UNDEFINED(local_out_of_bounds)
UNDEFINED(pointer_overflow)
UNDEFINED(type_mismatch)
UNDEFINED(type_mismatch_v1)
UNDEFINED(alignment_assumption)
UNDEFINED(load_invalid_value)
UNDEFINED(float_cast_overflow)
UNDEFINED(implicit_conversion)
UNDEFINED(vla_bound_not_positive)
UNDEFINED(nonnull_arg)
UNDEFINED(nonnull_return)
UNDEFINED(nonnull_return_v1)
UNDEFINED(nullability_arg)
UNDEFINED(nullability_return_v1)
UNDEFINED(invalid_builtin)
UNDEFINED(invalid_objc_cast)
UNDEFINED(function_type_mismatch)
UNDEFINED(function_type_mismatch_v1)
UNDEFINED(dynamic_type_cache_miss)
UNDEFINED(cfi_bad_type)
UNDEFINED(cfi_check_fail)
UNDEFINED_ALWAYS(builtin_unreachable)
UNDEFINED_ALWAYS(missing_return)
